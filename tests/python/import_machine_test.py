"""Tests `dccvp import dts` and `dccvp import repl`. Each region of a machine description gets a place in the host's
memory map, or a sentence of the output explains why not."""

import pathlib
import shutil
import subprocess
import unittest

import import_samples as samples
import package

from dccvp.common.ending import InputError
from dccvp.importers import dts, machine, repl, write

HOST = {"machine": "virt", "harts": 2, "clock": "600MHz", "ram": "16MiB", "rom": {"base": "0x20000000", "size": "4MiB"}}


class Machines(package.FolderTest):
    def path(self, text, name="board.txt"):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    def host_of(self, module, *texts):
        """Returns (the `host` section with a program, all notes of the import)."""
        program = self.path("", "program.elf")
        imported = module.read_files([self.path(text, f"{i}.txt") for i, text in enumerate(texts)], {"elf": program})
        document = write.prepare(imported, "x")
        self.assertEqual(document["topology"], {"kind": "star", "hosts": 2})
        host = document["host"]
        own = {key: host.pop(key) for key in ("driver", "elf", "keeps_accounts")}
        self.assertEqual(own, {"driver": "firmware", "elf": program, "keeps_accounts": False})
        return host, {name: sentences for name, sentences in imported.notes.sections()}

    def refused(self, module, text):
        path = self.path(text)
        with self.assertRaises(InputError) as raised:
            module.read_files([path], {})
        return str(raised.exception).replace(path + ":", "")

    def check_refusals(self, module, text, changes):
        """Checks refused descriptions. `changes`: (old text, new text, text at the place that the error message
        gives, beginning of the message)."""
        for old, new, marker, message in changes:
            with self.subTest(message):
                self.assertEqual(text.count(old), 1, old)
                changed = text.replace(old, new)
                before = changed[:changed.index(marker)]
                place = f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"
                told = self.refused(module, changed)
                self.assertTrue(told.startswith(f"{place}: {message}"), f"{place}: {told}")


class Repl(Machines):
    def test_every_entry_has_its_place_or_a_sentence(self):
        host, notes = self.host_of(repl, samples.REPL)
        self.assertEqual(host, HOST)
        self.assertEqual(notes["Read"][1],
                         "machine virt: 2 harts, 1 RAM, 1 ROM, 3 devices at the machine's own addresses")
        self.assertEqual(notes["Not expressed"], [
            "extensions f, d of 'rv32gc': a host's harts are RV32IMAC",
            "interrupt 12 of uart0 (UART.NS16550) at 0x10000000: its source is 10",
            "uart1 (UART.NS16550) at 0x10001000: machine virt has it at 0x10000000"])
        self.assertEqual(notes["Ignored"], [
            "i2c (I2C.OpenCoresI2C) at 0x10030000: no such device",
            'using "parts/common.repl": give that file as well, before this one', "ddr again at 0x0",
            "sensor (Sensors.TMP103), which is not on the system bus", "sysbus: commands and tags of the bus"])

    def test_files_add_up(self):
        first = 'cpu: CPU.RiscV32 @ sysbus\n    cpuType: "rv32imac"\nram: Memory.MappedMemory @ sysbus 0x80000000\n'
        host, _ = self.host_of(repl, first + "    size: 0x10000\n", "ram:\n    size: 0x200000\n")
        self.assertEqual(host, {"machine": "virt", "ram": "2MiB"})

    def test_sizes_that_no_host_has(self):
        text = samples.REPL.replace("size: 0x1000000\n", "size: 0x4000\n").replace(
            'cpuType: "rv32imac', 'cpuType: "rv64gc')
        host, notes = self.host_of(repl, text)
        self.assertEqual(host["ram"], "64KiB")
        self.assertIn("RAM of 64KiB instead of 16KiB: a host has 64 KiB to 1 GiB, in pages of 4 KiB", notes["Assumed"])
        self.assertIn("'rv64gc_zicsr_zifencei': a host's harts are RV32IMAC, so programs need to be compiled for them",
                      notes["Not expressed"])

    def test_refusals_name_the_place(self):
        self.check_refusals(repl, samples.REPL, (
            ("bootFlash: ", "bootFlash ", "bootFlash", "expected NAME: TYPE @ PLACE"),
            ('    cpuType: "rv32imac_zicsr_zifencei"\n', "    cpuType\n", "cpuType",
             "expected NAME: VALUE or FROM -> TO"),
            ("size: 0x400000", "size: many", "bootFlash", "size of bootFlash: expected a number"),
            ("    size: 0x1000000\n", "", "ddr", "memory ddr without a size"),
            ("mirror */", "mirror", "/* and", "a comment that does not end"),
            ("    sysbus 0x0\n}", "    sysbus 0x0\n", "ddr", "a bracket that does not close"),
            ("0x20400000>", "0x1F000000>", "bootFlash", "the range of bootFlash ends before it begins"),
            ("<0x20000000, 0x20400000>", "0x80100000", "bootFlash",
             "bootFlash (Memory.MappedMemory) at 0x80100000 overlaps ddr"),
            ('CPU.RiscV32 @ sysbus\n    cpuType: "rv32gc', 'CPU.CortexM @ sysbus\n    cpuType: "rv32gc', "cpu1",
             "cpu1 is a CPU.CortexM; hosts have RISC-V harts"),
            ("cpu1: ", "cpu0: ", 'cpu0: CPU.RiscV32 @ sysbus\n    cpuType: "rv32gc', "cpu0 is created twice"),
            ("uart0:\n", "uart9:\n", "uart9", "uart9 has no type; is a file missing that `using` names?"),
            ("    IRQ -> plic@12", "    IRQ ->", "IRQ ->", "a connection without its end"),
            ("ddr: Memory", "    ddr: Memory", "ddr: Memory", "an attribute without an entry")))


@unittest.skipUnless(shutil.which("dtc"), "dtc is missing (package device-tree-compiler)")
class Dts(Machines):
    def test_every_node_has_its_place_or_a_sentence(self):
        host, notes = self.host_of(dts, samples.DTS)
        expected = {key: value for key, value in HOST.items() if key != "harts"}
        self.assertEqual(host, expected)
        self.assertIn("RAM of 16MiB instead of 16386KiB: a host has 64 KiB to 1 GiB, in pages of 4 KiB",
                      notes["Assumed"])
        self.assertEqual(notes["Read"][1],
                         "machine virt: 1 hart, 2 RAMs, 2 ROMs, 3 devices at the machine's own addresses")
        self.assertEqual(notes["Not expressed"], [
            "extensions f of 'rv32imafc_zicsr': a host's harts are RV32IMAC",
            "RAM memory@8000000 (mmio-sram) at 0x8000000: a host's RAM is at 0x80000000",
            "ROM rom@1000 (mtd-rom) at 0x1000: the largest one is used",
            "serial@c001000 (ns16550a) at 0x10001000: machine virt has it at 0x10000000"])
        self.assertEqual(notes["Ignored"], [
            "spi@1000000 (vendor,spi) at 0x1000000: no such device", "cpu@1: its status is 'disabled'",
            "chip@0: on a bus whose addresses the processor does not see"])

    def test_the_binary_form_gives_the_same(self):
        blob = subprocess.run(["dtc", "-q", "-I", "dts", "-O", "dtb"], input=samples.DTS.encode(), capture_output=True,
                              check=True).stdout
        self.assertEqual(self.host_of(dts, samples.DTS)[0], self.host_of(dts, blob)[0])
        self.assertTrue(self.refused(dts, blob[:200]).startswith("1:1: no device tree: "))

    def test_refusals_name_the_place(self):
        self.check_refusals(dts, samples.DTS, (
            ("reg = <0x1000 0x2000>;", "reg = <0x1000 0x2000;", "; };\n  };\n};", "no device tree: syntax error"),
            ("reg = <0x1000 0x2000>;", "reg = <0x1000 0x2000 0x3000>;", "rom@1000",
             "reg of 'rom@1000' has 3 cells, not a"),
            ("0x0 0x80000000 0x0 0x1000800", "0x0 0x80000000 0x0 0x90000000 0x1", "memory@80000000",
             "reg of 'memory@80000000' has 5 cells"),
            ("<0x90000000 0x0 0x20000000 0x10000000>", "<0x90000000 0x0>", "soc {", "ranges of 'soc' has 10 cells"),
            ("0x0 0x8000000 0x0 0x4000>", "0x0 0x80000000 0x0 0x4000>", "memory@8000000 {",
             "memory@8000000 (mmio-sram) at 0x80000000 overlaps memory@80000000"),
            ("/dts-v1/;\n", "/dts-v1/;\n#include <soc.dtsi>\n", "#include", "a line for the C preprocessor"),
            ('"vendor,core", "riscv"; riscv,isa = "rv32imafc_zicsr"', '"arm,cortex-a7"', "cpu@0",
             "cpu@0 is no RISC-V")))

    def test_a_tree_of_nothing_is_refused(self):
        self.assertEqual(self.refused(dts, "/dts-v1/;\n/ { };\n"),
                         "1:1: the description has neither a RISC-V hart nor memory")


class Isa(unittest.TestCase):
    def test_strings(self):
        for text, bits, names in (("rv32imac", 32, "i m a c"), ("rv64gc", 64, "i m a f d c"), ("", 0, ""),
                                  ("RV32IMC_Zicsr", 32, "i m c zicsr"), ("cortex-m3", 0, ""),
                                  ("rv32imaczicsr_zifencei", 32, "i m a c zicsr zifencei")):
            with self.subTest(text):
                self.assertEqual(machine.isa_extensions(text), (bits, names.split()))


class Files(Machines):
    def test_without_a_program_the_machine_is_a_file_of_its_own(self):
        folder = self.folder / "out"
        for words in ((), ("--set=elf=" + self.path("", "none.elf"),)):
            done = subprocess.run([package.DCCVP, "import", "repl", self.path(samples.REPL, "b.repl"), "-o", folder,
                                   "--force", *words], capture_output=True, encoding="utf-8", check=False)
            if words:
                self.assertEqual(done.returncode, 2, "an empty program")
                self.assertIn("none.elf", done.stderr)
                continue
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("network.yaml: ok (star, 2 hosts", done.stdout)
            self.assertIn("rom: {base: 0x20000000, size: 4MiB}\n", (folder / "host.yaml").read_text())
            own = self.folder / "own.yaml"
            own.write_text("include: [out/host.yaml]\nhost: {elf: nowhere.elf}\ntopology: {kind: star, hosts: 2}\n")
            checked = subprocess.run([package.DCCVP, "check", own], capture_output=True, encoding="utf-8", check=False)
            self.assertIn("nowhere.elf", checked.stderr)
        self.assertTrue(pathlib.Path(folder / "host.yaml").exists())


if __name__ == "__main__":
    package.main()
