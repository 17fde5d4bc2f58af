"""Tests that every generated form agrees with the YAML, register by register and field by field."""

import re
import shutil
import subprocess
import tempfile
import unittest

import yaml

import readers

MAPS = ("dcc", "nic")


class FormsAgree(unittest.TestCase):
    maxDiff = None

    def compare(self, form, name, found, wanted, resets):
        """resets: the form gives reset values per register ("word"), per field ("field") or none."""
        self.assertEqual(sorted(found), sorted(wanted), f"{form} of {name}: registers")
        for key, entry in wanted.items():
            got = found[key]
            place = f"{form} of {name}: {key}"
            self.assertEqual((got.address, got.count, got.stride),
                             (entry.address, entry.count, entry.stride), place)
            if resets == "word" and entry.reset is not None:
                self.assertEqual(got.reset, entry.reset, place + " reset")
            self.assertEqual(sorted(got.fields), sorted(entry.fields), place + " fields")
            for f, bits in entry.fields.items():
                other = got.fields[f]
                self.assertEqual((other.lsb, other.width), (bits.lsb, bits.width), f"{place}.{f}")
                self.assertEqual(other.values, bits.values, f"{place}.{f} values")
                if other.access is not None:
                    self.assertEqual(other.access, bits.access, f"{place}.{f} access")
                    wanted_range = bits.range if bits.access in ("RW", "WO") else None
                    self.assertEqual(other.range, wanted_range, f"{place}.{f} range")
                if resets == "field" and other.reset is not None and bits.reset is not None:
                    self.assertEqual(other.reset, bits.reset, f"{place}.{f} reset")

    def test_source_is_not_trivial(self):
        # The comparisons below mean nothing if the reader of the YAML source finds no registers.
        dcc = readers.source("dcc")
        self.assertEqual(dcc["CTRL"].fields["BYTE_COUNTER"].lsb, 5)
        self.assertEqual(dcc["SLOTS.DUE"].address, 0x8001C)
        self.assertEqual(dcc["DECREASE"].fields["VALUE"].range, (0, 65536))
        self.assertEqual(len([k for k in dcc if k.startswith("STAT_")]), 34)

    def test_ip_xact(self):
        for name in MAPS:
            found, wanted = readers.ipxact(name), readers.source(name)
            self.compare("IP-XACT", name, found, wanted, "field")
            self.assertEqual(found["CTRL"].fields["ENABLE"].reset, 0)
            for key, entry in wanted.items():
                if entry.count == 1 and all(b.access == "RW" for b in entry.fields.values()):
                    for f in entry.fields:
                        self.assertIsNotNone(found[key].fields[f].reset, f"{key}.{f}")

    def test_ip_xact_2022(self):
        for name in MAPS:
            found = readers.ipxact(name, "_2022")
            self.compare("IP-XACT 2022", name, found, readers.source(name), "field")
            self.assertEqual(found, readers.ipxact(name), name)

    def test_uvm(self):
        for name in MAPS:
            wanted = readers.source(name)
            found, memories = readers.uvm(name, wanted)
            in_memory = {key for key in wanted if key.split(".")[0] in memories}
            for key in in_memory:
                self.assertEqual(memories[key.split(".")[0]][0] // 4096, wanted[key].address // 4096, key)
            registers = {key: entry for key, entry in wanted.items() if key not in in_memory}
            for entry in registers.values():  # a model for UVM has no names of values
                for bits in entry.fields.values():
                    bits.values = {}
            self.compare("UVM", name, found, registers, "field")
            for key, entry in registers.items():
                if entry.count == 1 and all(b.access == "RW" for b in entry.fields.values()):
                    for f, bits in entry.fields.items():
                        self.assertEqual(found[key].fields[f].reset, bits.reset, f"{key}.{f}")

    @unittest.skipIf(shutil.which("verilator") is None, "verilator is not installed")
    def test_uvm_compiles(self):
        # Beside stand-ins for UVM. Verilator does not compile UVM's factory, so the test replaces it by constructors.
        for name in MAPS:
            text = (readers.forms() / f"{name}_uvm_pkg.sv").read_text(encoding="utf-8")
            with tempfile.NamedTemporaryFile("w", suffix=".sv", encoding="utf-8") as file:
                file.write(re.sub(r"\w+::type_id::create\(", "new(", text))
                file.flush()
                done = subprocess.run(["verilator", "--lint-only", "-Wno-fatal", "-Wno-lint", "-Wno-style", "-I.",
                                       "uvm_pkg.sv", file.name], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, "%Error" in done.stderr), (0, False), done.stderr[:2000])

    def test_systemrdl(self):
        for name in MAPS:
            found, wanted = readers.systemrdl(name), readers.source(name)
            self.compare("SystemRDL", name, found, wanted, "field")
            for key, entry in wanted.items():
                for f, bits in entry.fields.items():
                    if entry.count == 1 and bits.access == "RW":
                        self.assertIsNotNone(found[key].fields[f].reset, f"{key}.{f}")

    def test_svd(self):
        for name in MAPS:
            self.compare("SVD", name, readers.svd(name), readers.source(name), "word")

    def test_c_header(self):
        for name in MAPS:
            wanted = readers.source(name)
            found, leftover = readers.c_header(name, wanted)
            for key, entry in found.items():
                for f, bits in entry.fields.items():
                    limits = wanted[key].fields[f].range
                    self.assertEqual(bits.range, limits, f"{key}.{f} range")
            self.compare("C header", name, found, wanted, "none")
            for key, entry in wanted.items():
                if entry.count == 1 and not key.startswith("STAT_"):
                    self.assertEqual(found[key].reset, entry.reset, key)
            up = name.upper()
            self.assertEqual(leftover, {f"{up}_SIZE", f"{up}_STATISTICS_OFFSET",
                                        f"{up}_STATISTICS_COUNT", f"{up}_PARAMETER_REGISTERS"},
                             "macros without a source")

    def test_parameters(self):
        for name in MAPS:
            wanted = readers.parameters(name)
            self.assertGreater(len(wanted), 6)
            initial, decoded = readers.cpp_parameters(name)
            self.assertEqual(initial, {m: bits.reset for m, (_, _, bits) in wanted.items()})
            names = {m: ("k" + "".join(p.capitalize() for p in register.split("_")),
                         f"{name}_{register}_{field}".upper())
                     for m, (register, field, _) in wanted.items()}
            self.assertEqual(decoded, names)
            whole = [(register, *(bits.range or (0, (1 << bits.width) - 1)), bits.reset)
                     for register, field, bits in wanted.values() if field == "VALUE"]
            self.assertEqual(readers.c_parameters(name), whole)

    def test_units(self):
        wanted = [(member.removeprefix("rate."), *place) for member, place
                  in readers.parameters("dcc").items() if member.startswith("rate.")]
        self.assertGreater(len(wanted), 10)
        struct, width, connected, walked = readers.unit("dcc", "rate", "rate_lut")
        bits = [(name, b.width) for name, _, _, b in wanted]
        self.assertEqual(struct, bits)
        self.assertEqual(width, sum(width for _, width in bits))
        self.assertEqual(connected, {name: (r if f == "VALUE" else f"{r}_{f}").lower()
                                     for name, r, f, _ in wanted})
        self.assertEqual(walked, [(name, name, width) for name, width in bits])

    def test_settings(self):
        self.assertIn("first_cut", readers.settings("dcc")[0])
        for name in MAPS:
            wanted, limits, found, ranges, programmed = readers.settings(name)
            self.assertEqual((found, ranges), (wanted, limits))
            self.assertEqual(sorted(programmed), sorted(wanted))

    def test_statistics(self):
        for name in MAPS:
            counters = [k[5:-3] for k in readers.source(name) if re.fullmatch(r"STAT_\w+_LO", k)]
            members, rows = readers.c_statistics(name)
            self.assertEqual(members, [c.lower() for c in counters])
            self.assertEqual(rows, [(c, c.lower()) for c in counters])

    def test_memory_maps(self):
        for stem in ("memory_map", "memory_map_virt"):
            with self.subTest(stem):
                self.check_memory_map(stem)

    def check_memory_map(self, stem):
        folder = readers.ROOT / "rtl/regs"
        data = yaml.safe_load((folder / f"{stem}.yaml").read_text(encoding="utf-8"))
        prefix = data["prefix"]
        header = (readers.code() / f"driver/{stem}.h").read_text(encoding="utf-8")
        macros = {m[1]: int(m[2], 0) for m in re.finditer(r"^#define (\w+) +(\w+)", header, re.M)}
        page = (readers.ROOT / f"docs/registers/{stem}.md").read_text(encoding="utf-8")
        wanted = {}
        for region in data["regions"]:
            if "map" in region:
                text = (readers.code() / f"driver/{region['map']}_regs.h").read_text(encoding="utf-8")
                block = yaml.safe_load((folder / f"{region['map']}.yaml").read_text(encoding="utf-8"))
                base = int(re.search(r"_BASE +UINT64_C\((\w+)\)", text)[1], 0)
                self.assertEqual(base, block["base_address"])
            else:
                name, base = f"{prefix}_{region['name']}", region["base"]
                wanted[f"{name}_BASE"] = base
                wanted.update({f"{name}_BYTES": region["size"]} if "size" in region else {})
                wanted.update({f"{name}_{w['name']}": w["offset"] for w in region.get("words", [])})
                wanted.update({f"{prefix}_{a['name']}_BYTES": a["size"] for a in region.get("areas", [])})
            self.assertIn(f"| 0x{base >> 16:04X}_{base & 0xFFFF:04X} |", page)
        for source in data["interrupts"]:
            number = source.get("number")
            if number is None:
                block = yaml.safe_load((folder / f"{source['map']}.yaml").read_text(encoding="utf-8"))
                number = block["interrupt"]["number"]
            sources = "IRQ_SOURCE" if prefix == "DCC" else f"{prefix}_IRQ"
            wanted[f"{sources}_{source['name']}"] = number
        self.assertEqual(macros, wanted)

    def test_system_verilog(self):
        for name in MAPS:
            wanted = readers.source(name)
            found, leftover = readers.sv_package(name, wanted)
            self.compare("SystemVerilog", name, found, wanted, "word")
            leftover = {k for k in leftover if not k.endswith("Window")}
            self.assertEqual(leftover, {"AddrWidth", "NumWindows"}, "constants without a source")

    def test_xml_is_well_formed(self):
        files = [str(readers.forms() / f"{m}.{e}") for m in MAPS for e in ("xml", "svd")]
        done = subprocess.run(["xmllint", "--noout", *files], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_markdown_names_everything(self):
        for name in MAPS:
            text = (readers.ROOT / f"docs/registers/{name}.md").read_text(encoding="utf-8")
            for key, entry in readers.source(name).items():
                if key.startswith("STAT_"):
                    self.assertIn(f"| {key[5:-3].lower()} |", text)
                    self.assertIn(f"{entry.address:#07x}", text)
                    continue
                owner = key.split(".")[0]
                title = owner if entry.count == 1 else owner.lower()
                section = text.split(f"\n### {title}\n", 1)[1].split("\n### ", 1)[0]
                for f, bits in entry.fields.items():
                    place = f"{bits.lsb + bits.width - 1}:{bits.lsb}" if bits.width > 1 else bits.lsb
                    self.assertIn(f"| {place} | {f} | {bits.access} |", section, key)


if __name__ == "__main__":
    unittest.main()
