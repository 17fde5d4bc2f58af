"""Source files of a unit, for the scripts of this directory, and the benches of the two units that have a bench of
their own."""
from dataclasses import dataclass
import os
import subprocess
import sys

RTL = os.path.dirname(os.path.abspath(__file__))
ARRAY = "common/ram_1r1w_array.sv"  # contents of a RAM; a black box in scripts that need only the logic
# Verilator option for netlists from yosys. Verilator before 5.010 drops a NOT inside a tree of single-bit XORs (its
# issue 4059), which makes the parity of a netlist's memories wrong. rtl/CMakeLists.txt has the same option.
OF_GATES = ["-fno-const-bit-op-tree"]


def run(command, **options):
    """Returns the standard output of a command; ends the script if the command fails."""
    result = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if result.returncode != 0:
        sys.exit(f"{os.path.basename(sys.argv[0])}: {' '.join(command)[:300]} failed:\n{result.stdout[-3000:]}"
                 f"{result.stderr[-3000:]}")
    return result.stdout


def sources(folder):
    """Returns paths below RTL in the order of compilation: the unit's part of controller/files.f, common/ and
    secded/. `folder` is "timing_wheel" or "rate_lut"."""
    parts = (folder + "/", "common/", "secded/")
    with open(os.path.join(RTL, "controller/files.f"), encoding="utf-8") as lines:
        return [line for line in lines.read().split() if line.startswith(parts)]


@dataclass
class Unit:
    """A unit with its top module as the bench sees it, and the parts of its bench."""
    folder: str
    top: str       # name of the top module; its file is verilated/FOLDER/TOP.sv
    cells: str     # cells of the unit itself, as yosys selects them in the flattened top
    judge: str     # header with the bench's verdict, in mutation/
    bench: list    # C++ sources of the bench, relative to the project's root
    amount: int    # amount of work that unit_runner gets in a mutation campaign
    covering: int  # amount of work that unit_runner gets in a coverage run


UNITS = {
    "wheel": Unit("timing_wheel", "timing_wheel_dut", "c:u_wheel.* c:*u_wheel*", "wheel_judge.h",
                  [f"rtl/bench/timing_wheel_{part}.cpp" for part in ("bench", "coverage", "stimulus")],
                  150_000, 100_000),
    "rate": Unit("rate_lut", "rate_dut", "c:u_rate.* c:*u_rate*", "rate_judge.h",
                 ["rtl/bench/rate_bench.cpp", "rtl/bench/rate_answer.cpp",
                  *(f"models/core/controller/{part}.cpp" for part in (
                      "rate_unit", "rate_tables", "policy", "law/law", "law/dcqcn", "law/proportional"))],
                 400, 400),
}
