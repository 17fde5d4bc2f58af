#!/usr/bin/python3 -B
"""Checks the timing constraints (rtl/handoff/dcc_top.sdc) on the whole controller, mapped to OSU018 (180 nm).

    timing.py [--slots 64 --slots 1024] [--out FILE] [--work DIR]

Memories are macros with the times of MEMORIES, at the clock periods there. OpenSTA reports the worst slack from inputs,
flip-flops and memories to flip-flops, memories and outputs. The script fails if a slack is negative, if a port has no
delay, or if an endpoint has no constraint; and if OpenSTA finds no violation for inputs that come too late, or for a
clock of 4 ns. There are no wires, no clock tree and no hold times in it. With --work a netlist that is there is used
again.
"""
import argparse
import os
import re
import sys
import tempfile

from run import LIBERTY, RTL, controller, macros_library, osu018_area, run

SDC = os.path.join(RTL, "handoff/dcc_top.sdc")
# OSU018 has no memories, so their times are stated here: clock period, from a macro's clock to its output, and its
# set-up time, in ns. First memories of flip-flops or latches, then compiled ones at a slower clock. 8.2 and not 8.0:
# with parity in the byte queue 64 slots need 8.11 ns, of which 0.4 are uncertainty.
MEMORIES = ((8.2, 0.4, 0.2), (10.0, 2.0, 0.5))
STARTS = {"input": "[all_inputs]", "flop": "$flops", "memory": "$memories"}
ENDS = {"flop": "$flops", "memory": "$memories", "output": "[all_outputs]"}
SHARE = 0.25        # part of the period outside the block, at inputs and at outputs
UNCERTAINTY = 0.05  # part of the period


def worst(netlist, library, period, share, work):
    """Returns (start, end) -> (slack, from, to) in ns, and what check_setup has said."""
    script = os.path.join(work, "timing.tcl")
    with open(script, "w", encoding="utf-8") as file:
        file.write(f"read_liberty {LIBERTY}\nread_liberty {library}\nread_verilog {netlist}\nlink_design dcc_top\n"
                   f"set period {period}\nset share {share}\nsource {SDC}\n"
                   "set memories [get_cells *u_array]\nputs \"memories [llength $memories]\"\nset flops {}\n"
                   # all_registers returns the memories' macros, too: they are taken out of the list of flip-flops
                   "foreach cell [all_registers -cells] {\n"
                   "  if {![string match *u_array [get_full_name $cell]]} { lappend flops $cell }\n}\n"
                   "check_setup -verbose\nputs checked\n" +
                   "".join(f"puts \"group {start} {end}\"\nreport_checks -path_delay max -format full "
                           f"-from {source} -to {sink}\n"
                           for start, source in STARTS.items() for end, sink in ENDS.items()) + "puts end\nexit\n")
    log = run(["sta", "-no_splash", "-exit", script], check=False)
    with open(os.path.join(work, "timing.log"), "w", encoding="utf-8") as file:
        file.write(log)
    slacks = {}
    for start, end, report in re.findall(r"^group (\w+) (\w+)$(.*?)(?=^group |^end$)", log, re.M | re.S):
        found = re.search(r"Startpoint: (\S+).*?Endpoint: (\S+).*?(-?[\d.]+)\s+slack", report, re.S)
        if found:
            slacks[start, end] = float(found[3]), found[1], found[2]
    said = re.search(r"^memories \d+\n(.*?)^checked$", log, re.M | re.S)
    if not said or re.search(r"^Error", log, re.M) or "\nend\n" not in log:
        sys.exit(f"timing.py: OpenSTA ends early:\n{log[-2000:]}")
    return slacks, said[1]


def unconstrained(said):
    """Returns what check_setup complains of, apart from the reset (a false path) and from read strobes of memories
    that are constant 1."""
    names = re.findall(r"^  (\S+)$", said, re.M)
    return [name for name in names if name != "rst_ni" and not name.endswith(".u_array/ren_i")]


def least_period(slacks, period):
    """The least period with all slacks 0: of a slack that is not through a port the part 1 - UNCERTAINTY of a change of
    the period is seen, and SHARE less for each port."""
    return max(period - slack / (1 - UNCERTAINTY - SHARE * ((start == "input") + (end == "output")))
               for (start, end), (slack, *_) in slacks.items())


def check(slots, work, tell):
    """Returns the failures at one number of slots."""
    netlist, macros = (os.path.join(work, f"{name}_{slots}.v") for name in ("dcc_top", "macros"))
    library = os.path.join(work, f"macros_{slots}.lib")
    if not os.path.exists(netlist):
        osu018_area(controller(slots), "dcc_top", work,
                    f"rename -top dcc_top; write_verilog -noattr -simple-lhs {netlist}")
    failures = []
    for period, access, setup in MEMORIES:
        with open(netlist, encoding="utf-8") as source, open(macros, "w", encoding="utf-8") as file:
            file.write(source.read())
        macros_library(macros, library, access, setup)
        slacks, said = worst(macros, library, period, SHARE, work)
        tell(f"{slots} slots, clock of {period} ns, memories {access} ns from the clock and {setup} ns of set-up, "
             f"ports {SHARE * period:.2f} ns: least period {least_period(slacks, period):.2f} ns; worst slacks:")
        for (start, end), (slack, source, sink) in slacks.items():
            tell(f"  {start} to {end}: {slack:.2f} ns, {source} to {sink}")
            if slack < 0:
                failures.append(f"{slots} slots, {period} ns: {start} to {end} misses the clock by {-slack:.2f} ns")
        for start in STARTS:
            failures += [f"{slots} slots: no path from {start} to {end}" for end in ENDS if (start, end) not in slacks]
        failures += [f"{slots} slots: without constraint: {name}" for name in unconstrained(said)]
    # The check itself: what cannot be met must be reported.
    late, _ = worst(macros, library, period, 0.75, work)
    fast, _ = worst(macros, library, 4.0, SHARE, work)
    if late.get(("input", "flop"), (0,))[0] >= 0 or fast.get(("flop", "flop"), (0,))[0] >= 0:
        failures.append(f"{slots} slots: inputs after three quarters of the period, or a clock of 4 ns, are accepted")
    return failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slots", type=int, action="append")
    parser.add_argument("--out")
    parser.add_argument("--work")
    options = parser.parse_args()
    lines, failures = [], []

    def tell(line):
        print(line, flush=True)
        lines.append(line)

    with tempfile.TemporaryDirectory() as scratch:
        work = options.work or scratch
        os.makedirs(work, exist_ok=True)
        for slots in options.slots or (64, 1024):
            failures += check(slots, work, tell)
    for failure in failures:
        tell(f"FAIL: {failure}")
    if not failures:
        tell("every path meets its clock; inputs after three quarters of the period and a clock of 4 ns are refused")
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
