"""The generated code is usable by the tools it is meant for."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

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
                           "-ffreestanding", "-I", str(ROOT / "sw/driver"), "-c", str(unit), "-o",
                           str(pathlib.Path(folder) / "unit.o"))
                self.assertEqual(done.returncode, 0, done.stderr)

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
            path = ROOT / f"sw/driver/{name}_regs.h"
            for number, line in enumerate(path.read_text().splitlines(), 1):
                self.assertLessEqual(len(line), 100, f"{path}:{number}")


if __name__ == "__main__":
    unittest.main()
