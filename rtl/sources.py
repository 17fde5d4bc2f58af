"""The sources of a unit, for the scripts of this directory, and the benches of the two that have one of their own."""
from dataclasses import dataclass
import os

RTL = os.path.dirname(os.path.abspath(__file__))
ARRAY = "common/ram_1r1w_array.sv"  # the RAM's contents: a black box where only logic is meant
# For what yosys has written. Verilator before 5.010 loses a NOT inside a tree of single bits' XORs (its issue
# 4059): the parity of a netlist's memories was wrong. rtl/CMakeLists.txt has it, too.
OF_GATES = ["-fno-const-bit-op-tree"]


def sources(folder):
    """Paths below RTL in the order of compilation: the unit's part of controller/files.f, common/ and secded/;
    folder is "timing_wheel" or "rate_lut"."""
    parts = (folder + "/", "common/", "secded/")
    with open(os.path.join(RTL, "controller/files.f"), encoding="utf-8") as lines:
        return [line for line in lines.read().split() if line.startswith(parts)]


@dataclass
class Unit:
    """A unit with its pins as the bench sees them, and that bench."""
    folder: str
    top: str       # verilated/TOP.sv
    cells: str     # the unit's own, as yosys selects them in the flattened top
    judge: str     # below mutation/
    bench: list    # C++ sources, from the project's root
    amount: int    # of a campaign: what unit_runner takes
    covering: int  # likewise, of a coverage run


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
