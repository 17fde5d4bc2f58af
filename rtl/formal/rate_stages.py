#!/usr/bin/python3 -B
"""Proves the rate unit's arithmetic equal to its definition, one pipeline stage at a time.

rate_stages.py [--only N ...]. yosys cuts the unit at its flip-flops and memories and looks for contents and inputs
with which a stage takes something else than the definition says (rate_stages.sv): none, for all time and any
stimulus. What is not part of it: that a stage's operands are the right request's (the delays beside the
calculation), which the bench and rate_formal.sv show. Exit 1 if a stage differs or a false property holds.
"""
import argparse
import os
import re
import sys
import tempfile
import time

RTL = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, RTL)
from sources import ARRAY, run, sources  # noqa: E402

STAGES = {
    0: "part of a step at a low target", 1: "halves of step times packets, factor or interval",
    2: "halves make up the product (a bit of the multiplier at a time)", 3: "intervals of alpha, at most 4095",
    4: "additive step, at most 2^32 - 1", 5: "alpha decayed by the high digits", 6: "… by the low digits",
    7: "argument of the decrease table, at most 1", 8: "gain of alpha", 9: "alpha of a cut, at most 1",
    10: "line between two entries of the decrease table; argument beyond the whole",
    11: "halves of the rate times the multiplier",
    12: "that product, rounded for an increase", 13: "limits of the class",
    14: "sum of an increase, part of its step; a cut's rate",
    15: "what a cut takes off the target for good", 16: "the target, not below 0", 17: "not above the greatest rate",
    18: "half way, rounded up; a cut's target not below the least rate", 19: "the least rate; at the maximum"}
FALSE = {20: "half way is rounded down", 21: "the argument is never cut down to 1",
         22: "the line is not rounded", 23: "a cut's target is never held up",
         24: "the part of a step has one bit"}


def yosys(commands):
    return run(["yosys", "-p", commands], cwd=RTL)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--only", type=int, nargs="+")
    options = parser.parse_args()
    logic = " ".join(source for source in sources("rate_lut") if source != ARRAY)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        cut = os.path.join(folder, "cut.il")
        yosys(f"read_verilog -sv -lib {ARRAY}; read_verilog -sv {logic}; hierarchy -check -top rate_unit; proc; "
              f"flatten; opt_expr; opt_clean; expose -evert-dff -evert; opt_clean; rename rate_unit rate_cut; "
              f"write_rtlil {cut}")
        for number, text in {**STAGES, **FALSE}.items():
            if options.only and number not in options.only:
                continue
            begin = time.monotonic()
            said = yosys(f"read_rtlil {cut}; read_verilog -sv rate_lut/generated/dcc_rate_pkg.sv "
                         "rate_lut/rtl/rate_lut_pkg.sv formal/rate_stages.sv; "
                         f"chparam -set Property {number} rate_stages; hierarchy -check -top rate_stages; proc; "
                         "flatten; opt_expr; opt_clean; wreduce; opt_expr; opt_merge; opt_clean; "
                         "sat -timeout 60 -prove bad_o 0 -show-inputs")
            if "no model found: SUCCESS" in said:
                result = "proved"
            elif "model found: FAIL" in said:
                result = "counterexample"
            else:
                result = "unknown: " + " ".join(re.findall(r"Interrupted.*|TIMEOUT.*", said)[:1])
            good = result == ("proved" if number in STAGES else "counterexample")
            wrong += not good
            print(f"{'ok  ' if good else 'FAIL'} {number:>2} {result:<14} {time.monotonic() - begin:6.1f} s  {text}",
                  flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
