#!/usr/bin/python3 -B
"""Synthesises the timing wheel, the rate unit, the pacer and the whole controller for several targets and writes one
report.

run.py --out FILE [--work DIR] [--unit wheel | rate | pacer | controller] [--only TARGET] [--points FILE]. iCE40 is
placed and routed in an HX8K, the largest one (a real Fmax), ECP5 and Xilinx give resources only, OSU018 (180 nm) gives
area, a critical path and power without wires and RAMs. Of the whole controller the memories are macros, for several
numbers of slots; --points writes those figures as CSV, from which `dccvp cost` interpolates. On OSU018 paths end and
begin at the macros, too: a macro's access time adds to osu018_from_memory_ps, its set-up time to osu018_to_memory_ps.
"""
import argparse
import csv
import functools
import os
import re
import subprocess
import sys
import tempfile

RTL = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [RTL, os.path.join(os.path.dirname(RTL), "python")]
from dccvp.cost import rtl_digest  # noqa: E402
from sources import ARRAY, sources  # noqa: E402

LIBERTY = "/usr/share/qflow/tech/osu018/osu018_stdcells.lib"
NAND2_AREA = 24.0  # area of OSU018's NAND2X1 in the library's unit (µm²)
PINS = 9  # bits of the RAMs' pins for configuration and test (common/ram_pkg.sv)
PERIOD = 4  # clock period in ns for the timing analyser

# Power without a switching trace: each input changes in one of ten cycles, and OpenSTA propagates this activity
# through gates and flip-flops. The script adds up cells one by one, because OpenSTA 2.0.17 gives no number for a few
# gates in a hundred thousand, and then no total either.
POWER = """
set_power_activity -input -activity 0.1 -duty 0.5
set corner [sta::cmd_corner]
lassign {0.0 0.0 0 0} dynamic leakage cells without
foreach cell [get_cells *] {
  lassign [sta::instance_power $cell $corner] i s l t
  incr cells
  if {![string is double -strict $t] || $t != $t} { incr without; continue }
  set dynamic [expr {$dynamic + $i + $s}]
  set leakage [expr {$leakage + $l}]
}
puts "power $dynamic $leakage of $cells without $without"
"""


def run(command, check=True):
    result = subprocess.run(command, cwd=RTL, capture_output=True, text=True, check=False)
    if check and result.returncode != 0:
        sys.exit(f"run.py: {' '.join(command)[:200]} failed:\n{result.stdout[-2000:]}"
                 f"{result.stderr[-2000:]}")
    return result.stdout + result.stderr


def read(folder, black_box, before=""):
    """Returns yosys commands that read a unit; `before` is inserted between reading the sources and synthesis."""
    logic = [source for source in sources(folder) if source != ARRAY]
    array = f"read_verilog -sv {'-lib ' if black_box else ''}{ARRAY}"
    return f"{array}; read_verilog -sv {' '.join(logic)}; {before}"


def wheel(timers, black_box, split=(5, 5, 6), module="timing_wheel"):
    top, middle, last = split
    return read("timing_wheel", black_box,
                f"chparam -set NumTimers {timers} -set TopBits {top} -set MiddleBits {middle} "
                f"-set LastBits {last} {module}; ")


def controller(slots):
    """Returns yosys commands that read the whole block with memories as black boxes, so the counted logic does not
    depend on a technology's macros."""
    with open(os.path.join(RTL, "controller/files.f"), encoding="utf-8") as lines:
        logic = [line for line in lines.read().split() if line != ARRAY]
    return (f"read_verilog -sv -lib {ARRAY}; read_verilog -sv {' '.join(logic)}; "
            f"chparam -set Slots {slots} dcc_top; ")


def controller_point(slots, target):
    """Returns the figures of one target at one number of slots."""
    if target == "osu018":
        with tempfile.TemporaryDirectory() as work:
            return controller_timing(slots, work)
    if target == "gates":
        text = run(["yosys", "-p", controller(slots) + "hierarchy -check -top dcc_top; "
                    "script synth/netlist.ys; stat"])
        counts = cells(text)
        return {"gates": some(counts, r"\$_(AND|OR|XOR|MUX|NOT)_"),
                "flops": some(counts, r"\$_S?DFF.*")}
    if target == "xilinx7":
        text = run(["yosys", "-p", controller(slots) + "synth_xilinx -family xc7 -noiopad -flatten "
                    "-top dcc_top; stat"])
        counts = cells(text)
        return {"xilinx7_lut": some(counts, "LUT[1-6]"), "xilinx7_ff": some(counts, "FD.*"),
                "xilinx7_dsp": some(counts, "DSP48E1"), "xilinx7_carry4": some(counts, "CARRY4"),
                "xilinx7_lutram": some(counts, "RAM(32|64).*")}
    counts = cells(run(["yosys", "-p", controller(slots) + "synth_ecp5 -top dcc_top; stat"]))
    return {"ecp5_lut4": some(counts, "LUT4"), "ecp5_ff": some(counts, "TRELLIS_FF"),
            "ecp5_dsp": some(counts, "MULT18X18D"), "ecp5_lutram": some(counts, "TRELLIS_DPR16X4")}


def macros_library(netlist, library, access=0.0, setup=0.0):
    """Gives each size of RAM array a cell of its own in a netlist, and writes a Liberty file of these cells with a
    clock-to-output delay `access` and a set-up time `setup` in ns. With 0 the timing report contains paths through
    memories, without the macros' own times."""
    with open(netlist, encoding="utf-8") as file:
        text = file.read()
    shape = r"ram_1r1w_array #\(\s*\.Depth\(32'd(\d+)\),\s*\.Width\(32'd(\d+)\)\s*\)"
    sizes = sorted({(int(depth), int(width)) for depth, width in re.findall(shape, text)})
    with open(netlist, "w", encoding="utf-8") as file:
        file.write(re.sub(shape, r"ram_\1x\2", text))
    lines = ["library (macros) {", "  delay_model : table_lookup;", '  time_unit : "1ns";', '  voltage_unit : "1V";',
             '  current_unit : "1mA";', "  capacitive_load_unit (1, pf);"]
    # Thresholds are those of the standard cells' library.
    lines += [f"  {what}_threshold_pct_{edge} : {percent};" for what, percent in (
        ("input", 50), ("output", 50), ("slew_lower", 20), ("slew_upper", 80)) for edge in ("rise", "fall")]
    buses = {"raddr_i": None, "waddr_i": None, "wdata_i": None, "rdata_o": None}
    before = " ".join(f'{edge}_constraint (scalar) {{ values ("{setup}"); }}' for edge in ("rise", "fall"))
    delay = " ".join(f'{what} (scalar) {{ values ("{value}"); }}' for what, value in (
        ("cell_rise", access), ("cell_fall", access), ("rise_transition", 0.1), ("fall_transition", 0.1)))
    for width in sorted({PINS} | {bits for depth, data in sizes for bits in ((depth - 1).bit_length(), data)}):
        lines.append(f"  type (bits_{width}) {{ base_type : array; data_type : bit; bit_width : {width}; "
                     f"bit_from : {width - 1}; bit_to : 0; downto : true; }}")
    takes = f'timing () {{ related_pin : "clk_i"; timing_type : setup_rising; {before} }}'
    gives = f'timing () {{ related_pin : "clk_i"; timing_type : rising_edge; {delay} }}'
    for depth, data in sizes:
        lines.append(f"  cell (ram_{depth}x{data}) {{ area : 0; is_macro_cell : true;")
        lines.append("    pin (clk_i) { direction : input; clock : true; capacitance : 0.01; }")
        for strobe in ("ren_i", "wen_i"):
            lines.append(f"    pin ({strobe}) {{ direction : input; capacitance : 0.01; {takes} }}")
        lines.append(f"    bus (ram_pins_i) {{ bus_type : bits_{PINS}; direction : input; capacitance : 0.01; }}")
        for bus in buses:
            width = data if "data" in bus else (depth - 1).bit_length()
            side, timing = ("output", gives) if bus == "rdata_o" else ("input", takes)
            capacitance = "" if side == "output" else "capacitance : 0.01; "
            lines.append(f"    bus ({bus}) {{ bus_type : bits_{width}; direction : {side}; {capacitance}{timing} }}")
        lines.append("  }")
    with open(library, "w", encoding="utf-8") as file:
        file.write("\n".join(lines + ["}"]) + "\n")


def osu018_area(commands, top, work, then=""):
    """Synthesises a unit for OSU018, whose RAM arrays are black boxes; returns its area in NAND2 gates. `then`: further
    commands of yosys."""
    constraints = os.path.join(work, "abc.constr")
    with open(constraints, "w", encoding="utf-8") as file:
        file.write("set_driving_cell INVX2\nset_load 0.1\n")
    text = run(["yosys", "-p", commands + f"synth -flatten -top {top}; opt -full; "
                f"dfflibmap -liberty {LIBERTY}; abc -D 4000 -constr {constraints} -liberty {LIBERTY}; "
                f"opt_clean -purge; stat -liberty {LIBERTY}; {then}"])
    area = re.findall(r"Chip area for .*?: ([\d.]+)", text)
    return round(float(area[-1]) / NAND2_AREA) if area else None


def osu018_paths(top, commands, work):
    """Returns area in NAND2 gates; the longest paths by the kind of their start and end points: group -> (ns, from,
    to); energy in pJ a cycle and leakage in nW, without wires and clock tree. Memories are macros without delay and
    without power. Exits if the timing analyser reports a problem with its input."""
    netlist, library = os.path.join(work, f"{top}.v"), os.path.join(work, "macros.lib")
    script = os.path.join(work, "sta.tcl")
    area = osu018_area(commands, top, work, f"rename -top {top}; write_verilog -noattr -simple-lhs {netlist}")
    macros_library(netlist, library)
    paths = {"logic": "-from [all_registers -clock_pins] -to [all_registers -data_pins]",
             "from_memory": "-from $memories", "to_memory": "-to $memories",
             "from_input": "-from [all_inputs]", "to_output": "-to [all_outputs]"}
    with open(script, "w", encoding="utf-8") as file:
        file.write(f"read_liberty {LIBERTY}\nread_liberty {library}\nread_verilog {netlist}\nlink_design {top}\n"
                   f"create_clock -name clk -period {PERIOD} [get_ports clk_i]\n"
                   "set_input_delay 0 -clock clk [all_inputs]\nset_output_delay 0 -clock clk [all_outputs]\n"
                   # the reset is asynchronous, so paths from it have no clock
                   "set_false_path -from [get_ports rst_ni]\n"
                   "set memories [get_cells *u_array]\nputs \"memories [llength $memories]\"\n" +
                   "".join(f"puts \"group {name}\"\nreport_checks -path_delay max -format full {where}\n"
                           for name, where in paths.items()) + POWER + "exit\n")
    log = run(["sta", "-no_splash", "-exit", script], check=False)
    with open(os.path.join(work, f"sta_{top}.log"), "w", encoding="utf-8") as file:
        file.write(log)
    longest = {}
    for name, report in re.findall(r"^group (\w+)$(.*?)(?=^group |\Z)", log, re.M | re.S):
        found = re.search(r"Startpoint: (\S+).*?Endpoint: (\S+).*?([\d.]+)\s+data arrival time", report, re.S)
        if found:
            longest[name] = (float(found[3]), found[1], found[2])
    power = re.search(r"^power (\S+) (\S+) of (\d+) without (\d+)$", log, re.M)
    if not area or set(longest) != set(paths) or not power or int(power[4]) > int(power[3]) / 1000:
        missing = ", ".join(sorted(set(paths) - set(longest))) or ("power" if area else "area")
        sys.exit(f"run.py: {top} on OSU018: no {missing}:\n{log[-2000:]}")
    return area, longest, (float(power[1]) * PERIOD * 1e3, float(power[2]) * 1e9)


def controller_timing(slots, work):
    """Returns area, the longest paths by their start and end points, and power, at one number of slots."""
    area, longest, (energy, leakage) = osu018_paths("dcc_top", controller(slots), work)
    return {"osu018_nand2": area, "osu018_cycle_pj": round(energy), "osu018_leakage_nw": round(leakage),
            **{f"osu018_{name}_ps": round(1000 * ns) for name, (ns, *_) in longest.items()}}


def measure_controller(path, only):
    """Returns the points of all targets, and adds each to a CSV file, so that an interrupted run continues there.
    Points of another RTL are measured anew."""
    rows, rtl = {}, rtl_digest()
    if os.path.exists(path):
        with open(path, newline="", encoding="utf-8") as file:
            rows = {int(row["slots"]): row for row in csv.DictReader(file) if row.get("rtl") == rtl}
    for target, counts in (("xilinx7", (1024, 64, 16384)), ("ecp5", (1024, 64, 16384)),
                           ("gates", (1024, 64, 16384)), ("osu018", (1024, 64, 16384))):
        for slots in counts:
            row = rows.setdefault(slots, {"slots": slots, "rtl": rtl})
            if only not in (None, target) or any(key.startswith(target) and row[key] for key in row):
                continue
            row.update(controller_point(slots, target))
            print(", ".join(f"{key} {value}" for key, value in row.items()), flush=True)
            names = ["slots"] + sorted({key for one in rows.values() for key in one} - {"slots"})
            with open(path, "w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, names, restval="", lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows[number] for number in sorted(rows))
    return rows


def cells(text):
    """Returns the cell counts of the last `stat` in the text."""
    last = text[text.rindex("Number of cells:"):]
    return {name: int(count) for name, count in re.findall(r"^\s+(\S+)\s+(\d+)\s*$", last, re.M)}


def some(counts, pattern):
    return sum(count for name, count in counts.items() if re.fullmatch(pattern, name))


def ice40(name, top, commands, work, fits=True):
    """Places and routes a unit in its wrapper, whose shift registers count among the flip-flops. `fits`: False for a
    unit that needs more logic cells than the device has. Exits if a unit does not behave so."""
    json = os.path.join(work, f"ice40_{top}.json")
    counts = cells(run(["yosys", "-p", commands + f"synth_ice40 -abc2 -top {top} -json {json}; stat"]))
    log = run(["nextpnr-ice40", "--hx8k", "--package", "ct256", "--json", json, "--seed", "1",
               "--pcf-allow-unconstrained", "--freq", "50", "--timing-allow-fail"], check=False)
    used = re.findall(r"ICESTORM_LC: +(\d+)/ *(\d+)", log)
    fmax = re.findall(r"Max frequency for clock.*?: ([\d.]+) MHz", log)
    size = (f"iCE40 HX8K, {name}: {some(counts, 'SB_LUT4')} LUT4, {some(counts, 'SB_DFF.*')} FF, "
            f"{some(counts, 'SB_RAM40.*')} RAM (4 kbit), ")
    if not used or bool(fmax) != fits:
        sys.exit(f"run.py: {size}" + (f"placed against expectation, {fmax[-1]} MHz" if fmax else
                                      (re.findall(r"ERROR: (.*)", log) or [log[-1000:]])[0]))
    return size + (f"{used[-1][0]} of {used[-1][1]} logic cells, Fmax after place and route {fmax[-1]} MHz" if fits else
                   f"does not fit: {used[-1][0]} of {used[-1][1]} logic cells")


def ice40_jobs(work):
    """Returns (unit, target, job) of everything that is placed in an iCE40, and of what does not fit."""
    pins = "read_verilog -sv synth/shift_pins.sv synth/wheel_pins.sv; "
    rate = (read("rate_lut", False) + "read_verilog -sv synth/shift_pins.sv synth/rate_pins.sv; "
            "chparam -set Fixed {} rate_pins; ")
    with open(os.path.join(RTL, "pacer/files.f"), encoding="utf-8") as lines:
        files = lines.read().split()
    part = ("read_verilog -sv pacer/rtl/dc_pacer_pkg.sv rate_lut/rtl/rl_mul.sv pacer/rtl/dc_pacer_rate.sv "
            "synth/shift_pins.sv synth/part_pins.sv; chparam -set Part {} part_pins; ")
    units = [
        # A wheel of 256 timers with 16 bits takes 7180 of 7680 LUTs, which nextpnr cannot place, so the wheel has 128
        # timers here.
        ("wheel", "128 timers, split 4/4/5", "wheel_pins", pins + wheel(128, False, (4, 4, 5), "wheel_pins"), True),
        ("rate", "rate unit", "rate_pins", rate.format(0), False),
        ("rate", "rate unit for DCQCN with constant registers", "rate_pins", rate.format(1), False),
        ("rate", "multiplier of the rate unit, 32 by 20 bits", "part_pins", part.format(0), True),
        ("pacer", "pacer with 16 flows in rows of 2, two packets a flow", "pacer_pins",
         f"read_verilog -sv {' '.join(files)} synth/shift_pins.sv synth/pacer_pins.sv; "
         "chparam -set Flows 16 -set Width 2 -set Depth 2 pacer_pins; ", False),
        ("pacer", "divider of the pacer", "part_pins", part.format(1), True)]
    return [(unit, "ice40", functools.partial(ice40, name, top, commands, work, fits))
            for unit, name, top, commands, fits in units]


def ecp5(name, top, commands):
    counts = cells(run(["yosys", "-p", commands + f"synth_ecp5 -top {top}; stat"]))
    return (f"ECP5, {name}: {some(counts, 'LUT4')} LUT4, {some(counts, 'TRELLIS_FF')} FF, "
            f"{some(counts, 'DP16KD')} DP16KD, {some(counts, 'TRELLIS_DPR16X4')} DPR16X4, "
            f"{some(counts, 'MULT18X18D')} MULT18X18D")


def xilinx(name, top, commands):
    counts = cells(run(["yosys", "-p", commands + f"synth_xilinx -family xc7 -top {top}; stat"]))
    return (f"Xilinx 7, {name}: {some(counts, 'LUT[1-6]')} LUT, {some(counts, 'FD.*')} FF, "
            f"{some(counts, 'RAMB18E1')} RAMB18, {some(counts, 'RAMB36E1')} RAMB36, "
            f"{some(counts, 'RAM(32|64).*')} LUT RAM, {some(counts, 'CARRY4')} CARRY4, "
            f"{some(counts, 'DSP48E1')} DSP48E1")


def osu018(name, top, commands, work):
    area, longest, (energy, _) = osu018_paths(top, commands, work)
    paths = "; ".join(f"{group.replace('_', ' ')} {ns} ns, {start} to {end}"
                      for group, (ns, start, end) in longest.items())
    return (f"OSU018 (180 nm), {name}, memories as macros: {area / 1000:.1f} kGE without them, "
            f"{energy:.0f} pJ a cycle; longest paths: {paths}")


def ram_list(timers):
    slot = (timers - 1).bit_length()
    words = timers // 32
    rams = [("record", timers, 2 + 7 + 17), ("next", timers, slot), ("previous", timers, slot),
            ("list", 128, 2 * slot), ("summary", 128, words), ("leaf", 128 * words, 32)]
    # (name, depth, width of a memory word with its parity bits)
    rams = [(name, depth, width + -(-width // 32)) for name, depth, width in rams]
    bits = sum(depth * width for _, depth, width in rams)
    rows = ", ".join(f"{name} {depth}x{width}" for name, depth, width in rams)
    return f"RAM arrays, {timers} timers: {rows}; {bits / 1024:.1f} kbit"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", required=True)
    parser.add_argument("--work")
    parser.add_argument("--unit", choices=["wheel", "rate", "pacer", "controller"])
    parser.add_argument("--only", choices=["ice40", "ecp5", "xilinx", "osu018", "ram", "xilinx7", "gates"])
    parser.add_argument("--points", default=os.path.join(os.path.dirname(RTL), "python/dccvp/controller_points.csv"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        work = options.work or scratch
        os.makedirs(work, exist_ok=True)
        jobs = [("wheel", "ram", lambda: ram_list(1024)), ("wheel", "ram", lambda: ram_list(4096)),
                *ice40_jobs(work)]
        for unit, name, top, commands in (
                ("wheel", "1024 timers", "timing_wheel", lambda box: wheel(1024, box)),
                ("rate", "rate unit", "rate_unit", lambda box: read("rate_lut", box))):
            jobs += [(unit, "ecp5", functools.partial(ecp5, name, top, commands(False))),
                     (unit, "xilinx", functools.partial(xilinx, name, top, commands(False))),
                     (unit, "osu018", functools.partial(osu018, name, top, commands(True), work))]
        with open(options.out, "w", encoding="utf-8") as report:
            for unit, name, job in jobs:
                if options.only in (None, name) and options.unit in (None, unit):
                    line = job()
                    print(line, flush=True)
                    report.write(line + "\n")
            # this unit needs twelve syntheses of the whole controller, so it runs only on request
            if options.unit == "controller":
                report.write("\nThe whole controller, memories as macros (yosys, counts after mapping):\n")
                for slots, row in sorted(measure_controller(options.points, options.only).items()):
                    report.write(", ".join(f"{key} {value}" for key, value in row.items()) + "\n")
            report.write(
                "\nWhat these figures do not say: iCE40's is the only placed and routed one; ECP5 and\n"
                "Xilinx are counts after mapping. OSU018 is a 180 nm library without wires, and a\n"
                "memory takes no time there: a macro's access time adds to the paths from memory, its\n"
                "set-up time to those to memory. Its power is without a trace: inputs that change every\n"
                "tenth cycle; no wires, no tree of the clock, no memories.\n")


if __name__ == "__main__":
    main()
