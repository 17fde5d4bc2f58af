#!/usr/bin/python3 -B
"""What clock gates save (ClockGate of dcc_top): edges of flip-flops in simulation, and the gates' own area.

clocks.py [--out FILE] [--work DIR] [--light N] [--heavy N] [--rest N]. A testbench (tb_clocks.v, Verilator) runs the
shipped size with gates beside the same without, compares every output in every cycle, and counts edges of the gated
clocks at idle and under two loads. yosys counts the flip-flops behind each clock; memories are macros and do not count.
The area is that of OSU018 (180 nm): `dc_clocks` with a flip-flop (the library's latch has no area) and an AND for each
gate, and the OR of its conditions. The other cells are the same with and without gates. Exit 1 if an output differs.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

RTL = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [RTL, os.path.join(RTL, "synth")]
from run import LIBERTY, NAND2_AREA  # noqa: E402
from sources import ARRAY, run  # noqa: E402

CYCLES_A_US = 250  # the platform's clock: 250 MHz
GATE = "common/dc_clock_gate.sv"
LOADS = {"idle": "nothing offered, no flow bound",
         "light": "8 flows, 4 KiB every 333 cycles (25 Gb/s), a CNP every 50 us",
         "heavy": "256 flows, 1 KiB every 21 cycles (100 Gb/s), a CNP every 0.5 us"}


def files():
    with open(os.path.join(RTL, "controller/files.f"), encoding="utf-8") as lines:
        return lines.read().split()


def flops():
    """Returns the number of flip-flops behind each clock, of those of dc_clocks, and of all."""
    logic = " ".join(source for source in files() if source not in (ARRAY, GATE))
    behind = "".join(f"select -set ends c:*u_clocks*{gate} %co1:+[clk_o] w:* %i; "
                     "select -count @flops @ends %co1:+[C] %i; " for gate in ("u_events", "u_entries"))
    text = run(["yosys", "-p", f"read_verilog -sv -lib {ARRAY} {GATE}; read_verilog -sv {logic}; "
                "chparam -set ClockGate 1 dcc_top; hierarchy -check -top dcc_top; proc; flatten; memory_map; opt; "
                "opt_dff; simplemap t:$*dff*; opt_clean; select -set flops t:$_*DFF*; " + behind +
                "select -count @flops w:*u_clocks*_q %ci1:+[Q] %i; select -count @flops"], cwd=RTL)
    return [int(number) for number in re.findall(r"^(\d+) objects\.$", text, re.M)][-4:]


def area():
    """Returns the area of the clocks with two gates in NAND2 gates of OSU018, and what it consists of."""
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "clocks.v")
        with open(path, "w", encoding="utf-8") as file:  # the OR of dc_manager's conditions
            file.write("module clocks(input clk, rst_n, scan, offered, input [11:0] why, output [2:0] clks);\n"
                       "dc_clocks #(.ClockGate(1)) u(clk, rst_n, scan, |why, offered, clks[0], clks[1], clks[2]);\n"
                       "endmodule\n")
        text = run(["yosys", "-p",
                    f"read_verilog -sv -lib {GATE}; read_verilog -sv controller/rtl/dc_clocks.sv {path}; "
                    f"hierarchy -check -top clocks; synth -flatten -top clocks; "
                    f"dfflibmap -liberty {LIBERTY}; abc -liberty {LIBERTY}; opt_clean -purge; "
                    f"stat -liberty {LIBERTY}"], cwd=RTL)
    with open(LIBERTY, encoding="utf-8") as lines:
        cells = dict(re.findall(r"^\s*cell ?\(\"?(\w+)\"?\) ?\{.*?^\s*area : ([\d.]+);", lines.read(), re.M | re.S))
    gate = float(cells["DFFPOSX1"]) + float(cells["AND2X2"])
    logic = float(re.findall(r"Chip area for .*?: ([\d.]+)", text)[-1])
    return round((logic + 2 * gate) / NAND2_AREA), round(logic / NAND2_AREA), round(gate / NAND2_AREA, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out")
    parser.add_argument("--work", help="folder in which a build of the testbench stays")
    for name, cycles in (("light", 100000), ("heavy", 20000), ("rest", 20000)):
        parser.add_argument(f"--{name}", type=int, default=cycles, help="cycles")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        program = os.path.join(options.work or scratch, "Vtb_clocks")
        if not os.path.exists(program):
            run(["verilator", "--binary", "--timing", "--assert", "-O3", "-fno-life", "--x-initial", "unique",
                 "-CFLAGS", "-O1", "-Wno-fatal", "-Wno-lint", "-Wno-style", "-Wno-TIMESCALEMOD",
                 "--top-module", "tb_clocks", "--Mdir", os.path.dirname(program), *files(),
                 "synth/tb_clocks.v"], cwd=RTL)
        bench = subprocess.run([program, f"+light={options.light}", f"+heavy={options.heavy}", f"+rest={options.rest}",
                                "+verilator+rand+reset+2", "+verilator+seed+7"], capture_output=True, text=True,
                               check=False)
    print(bench.stdout, end="")
    if bench.returncode != 0 or "\nPASS" not in bench.stdout:
        sys.exit("clocks.py: the block with gates answers otherwise, or its clocks run when they must not")
    behind_events, behind_entries, own, gated = flops()
    free, plain = gated - behind_events - behind_entries, gated - own
    whole, logic, gate = area()
    lines = [f"dcc_top with ClockGate = 1, default parameters: {gated} flip-flops, {behind_events} behind the clock of "
             f"events, {behind_entries} behind that of the byte queue's entries, {free} always clocked "
             f"(ClockGate = 0: {plain})",
             f"Area of the gates: {whole} NAND2 of OSU018 (dc_clocks {logic}, each gate {gate})",
             f"Edges of flip-flops in a microsecond of {CYCLES_A_US} cycles, without gates {plain * CYCLES_A_US}:"]
    for name, cycles, events, entries in re.findall(
            r"^(\w+) (\d+) cycles, clk_events (\d+), clk_entries (\d+)$", bench.stdout, re.M):
        runs, enters = int(events) / int(cycles), int(entries) / int(cycles)
        edges = free + behind_events * runs + behind_entries * enters
        lines.append(f"  {name} ({LOADS[name]}): {edges * CYCLES_A_US:.0f}, {100 * edges / plain:.1f} % (clock of "
                     f"events {100 * runs:.1f} % of the cycles, of entries {100 * enters:.1f} %)")
    text = "\n".join(lines) + "\n"
    print(text, end="")
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
