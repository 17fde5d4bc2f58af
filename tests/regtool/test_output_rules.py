"""Tests that compilers and simulators accept the generated code."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import readers

ROOT = pathlib.Path(__file__).resolve().parents[2]
GENERATED = ROOT / "rtl/regs/generated"
MAPS = ("dcc", "nic")


def run(*command, cwd=None):
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)


class OutputRules(unittest.TestCase):
    def sources(self, name):
        return [str(GENERATED / f"{name}_regs_pkg.sv"), str(GENERATED / f"{name}_regs_apb.sv")]

    def test_c_headers_compile_alone_and_together(self):
        with tempfile.TemporaryDirectory() as folder:
            unit = pathlib.Path(folder) / "unit.c"
            unit.write_text('#include "dcc_regs.h"\n#include "nic_regs.h"\n#include "dcc_regs.h"\n'
                            "uint32_t f(void);\nuint32_t f(void) {\n"
                            "  return DCC_SLOTS_ENTRY_OFFSET(3) | NIC_CTRL_ENABLE_MASK;\n}\n")
            for compiler in ("gcc", "riscv64-unknown-elf-gcc"):
                if compiler != "gcc" and not shutil.which(compiler):
                    continue
                done = run(compiler, "-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror",
                           "-ffreestanding", "-I", str(readers.code() / "driver"), "-c", str(unit), "-o",
                           str(pathlib.Path(folder) / "unit.o"))
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_register_that_nobody_handles_does_not_compile(self):
        register = "  - {name: FORGOTTEN_%s, offset: %#x, access: %s, width: 8, description: Nobody's.}\n"
        more = {"registers:\n": register % ("RO", 0x7F0, "RO") + register % ("RW", 0x7F4, "RW"),
                "  counters:\n": "    - {name: forgotten, description: Nobody's.}\n"}
        for name, devices in (("dcc", ("models/core/controller/controller_registers.cpp",
                                       "models/core/controller/controller_model_access.cpp")),
                              ("nic", ("models/core/nic/host/nic_host_interface.cpp",))):
            for forget in (False, True):
                with self.subTest(devices=devices, forget=forget), \
                        tempfile.TemporaryDirectory() as folder:
                    text = (ROOT / f"rtl/regs/{name}.yaml").read_text(encoding="utf-8")
                    for key, line in more.items():
                        text = text.replace(key, key + line, 1) if forget else text
                    path = pathlib.Path(folder) / f"{name}.yaml"
                    path.write_text(text, encoding="utf-8")
                    for maps in ((), (str(path),)):
                        done = run(str(ROOT / "python/tool.py"), "regtool", "--code", folder, *maps)
                        self.assertEqual(done.returncode, 0, done.stderr)
                    done = run("g++", "-std=c++17", "-Wall", "-Werror", "-fsyntax-only",
                               "-I", folder, "-I", str(ROOT / "models/core"),
                               "-I", str(ROOT / "sw"), *(str(ROOT / d) for d in devices))
                    if not forget:
                        self.assertEqual((done.returncode, done.stderr), (0, ""))
                        continue
                    found = re.findall(r"value .(k\w+). not handled in switch", done.stderr)
                    self.assertEqual(sorted(found), ["kForgottenRo", "kForgottenRw", "kStatForgotten"])

    # Steps of the recipe in rtl/regs/README.md, "A new parameter, file by file": the text that a step finds
    # and the text that it inserts.
    RECIPE = {
        "rtl/regs/dcc.yaml": ("  - name: SILENCE\n", """\
  - name: MARK_MASK
    offset: 0x06c
    access: RW
    regwen: PARAMETERS
    parameter: rate.mark_mask
    setting: 'bits of the marks that count (proportional)'
    width: 8
    reset: 255
    description: With CTRL.CUT_BY_MARKS a cut is by these bits of the marks.
  - name: SILENCE
"""),
        "models/core/controller/rate_unit.cpp": (
            "std::uint64_t{request.marks} <<",
            "static_cast<std::uint64_t>(request.marks & registers.mark_mask) <<"),
        "rtl/rate_lut/rtl/rate_unit.sv": (
            "18'(s6_marks_q) <<",
            "({10'b0, s6_marks_q & regs_i.mark_mask}) <<"),
    }

    @unittest.skipUnless(shutil.which("verilator"), "Verilator is not installed")
    def test_a_register_of_the_rate_unit_is_three_files(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "copy"
            for part in ("models/core", "rtl", "sw", "python", "docs/registers"):
                shutil.copytree(ROOT / part, copy / part)
            for path, (found, instead) in self.RECIPE.items():
                before = (copy / path).read_text(encoding="utf-8")
                self.assertEqual(before.count(found), 1, path)
                (copy / path).write_text(before.replace(found, instead), encoding="utf-8")
            for option in ((), ("--code", f"{folder}/code")):
                done = run(str(copy / "python/tool.py"), "regtool", *option)
                self.assertEqual(done.returncode, 0, done.stderr)
            touched = {str(p.relative_to(copy)) for p in copy.rglob("*") if p.is_file()
                       and "__pycache__" not in p.parts and p.read_bytes() != self.original(p, copy)}
            by_hand = {p for p in touched if "generated" not in p and not p.startswith("docs/registers/")}
            self.assertEqual(by_hand, set(self.RECIPE))
            # The new parameter must appear in the model, in the words and recordings of lock-step, and at the pins of
            # the RTL.
            for source in ("models/core/controller/rate_unit.cpp", "models/core/controller/rate_calls.cpp",
                           "rtl/bench/rate_recording.cpp", "rtl/verilated/rate_lut/rate_engine_rtl.cpp",
                           "models/core/controller/dcc.cpp"):
                done = run("g++", "-std=c++17", "-Wall", "-Werror", "-fsyntax-only",
                           "-I", f"{copy}/models/core", "-I", f"{copy}/sw", "-I", f"{folder}/code",
                           "-I", f"{copy}/rtl/verilated", "-I", f"{copy}/rtl/verilated/rate_lut",
                           "-I", f"{copy}/rtl/bench", str(copy / source))
                self.assertEqual((done.returncode, done.stderr), (0, ""), source)
            # Compiles the rate unit inside the controller and with pins of its own.
            files = (copy / "rtl/controller/files.f").read_text(encoding="utf-8").split()
            unit = [f for f in files if f.startswith(("common/", "secded/", "rate_lut/"))]
            for top, sources in (("dcc_top", ["controller/lint/waivers.vlt", *files]),
                                 ("rate_dut", [*unit, "verilated/rate_lut/rate_dut.sv"])):
                done = run("verilator", "--lint-only", "-Wall", "--top-module", top,
                           "rate_lut/lint/waivers.vlt", *sources, cwd=copy / "rtl")
                self.assertEqual((done.returncode, done.stderr), (0, ""), top)

    @staticmethod
    def original(path, copy):
        same = ROOT / path.relative_to(copy)
        return same.read_bytes() if same.exists() else None

    @unittest.skipUnless(shutil.which("verilator"), "Verilator is not installed")
    def test_verilator_finds_nothing(self):
        for name in MAPS:
            done = run("verilator", "--lint-only", "-Wall", *self.sources(name), "--top-module",
                       f"{name}_regs_apb")
            self.assertEqual((done.returncode, done.stderr), (0, ""), name)

    @unittest.skipUnless(shutil.which("yosys"), "yosys is not installed")
    def test_yosys_reads_it_without_latches(self):
        for name in MAPS:
            script = (f"read_verilog -sv {' '.join(self.sources(name))}; "
                      f"prep -top {name}_regs_apb; check -assert; select -assert-none t:$dlatch")
            done = run("yosys", "-q", "-p", script)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_files_stay_within_a_hundred_columns_where_code_is_read(self):
        for name in MAPS:
            path = readers.code() / f"driver/{name}_regs.h"
            for number, line in enumerate(path.read_text().splitlines(), 1):
                self.assertLessEqual(len(line), 100, f"{path}:{number}")


if __name__ == "__main__":
    unittest.main()
