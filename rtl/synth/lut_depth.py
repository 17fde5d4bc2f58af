#!/usr/bin/python3
"""Measures accuracy and area of the decrease look-up table at several depths.

  lut_depth.py --out FILE.csv [--make-tables PROGRAM] [--bits 4..10] [--no-area]

Accuracy: the cut (1 − multiplier) for every argument that the hardware can look up, in the integers of
docs/formats.md, compared with the real curve: 1 − m/16 for m = marks / weight, down to 0. `one_mark_weight_W` is
the relative error of the cut that one CE mark causes for a flow of weight W; differentiation depends on this cut.
`dcqcn_max` is the greatest relative error for DCQCN's straight line. Area: yosys synthesises rtl/synth/lut_depth.sv
for iCE40 (LUTs and 4 kbit RAMs) and OSU018 (180 nm, logic without the RAM arrays).
"""
import argparse
import csv
import fractions
import os
import re
import subprocess
import sys
import tempfile

from run import ARRAY, cells, osu018_area, run, some

ONE = 1 << 16
SOURCES = "common/ram_pkg.sv common/ram_1r1w.sv synth/lut_depth.sv"
WEIGHTS = (1, 2, 4, 8, 16)
CUT = 16  # fraction of the rate that a mark removes: 1/16
MARK = 1 << 10  # argument of one mark at weight 1


def exact(argument):
    """Returns the multiplier of the proportional policy's exact line; an argument of MARK is one mark at weight 1."""
    return max(fractions.Fraction(0), 1 - fractions.Fraction(argument, MARK * CUT))


def proportional(bits):
    """Returns 2^bits + 1 table entries in 1.16, rounded half up."""
    table = []
    for i in range((1 << bits) + 1):
        argument = i << (16 - bits)
        table.append(int(exact(argument) * ONE + fractions.Fraction(1, 2)))
    return table


def straight(bits):
    return [ONE - (i << (15 - bits)) for i in range((1 << bits) + 1)]


def look_up(table, bits, argument):
    """Computes step 3 of "Decrease" in docs/formats.md for a table of any depth."""
    part_bits = 16 - bits
    i, part = argument >> part_bits, argument & ((1 << part_bits) - 1)
    if part == 0:
        return table[i]
    return (table[i] * ((1 << part_bits) - part) + table[i + 1] * part + (1 << (part_bits - 1))) >> part_bits


def cut_error(table, bits, argument, curve):
    cut = 1 - curve(argument)
    return (1 - look_up(table, bits, argument) / ONE) / cut - 1


def accuracy(bits):
    table, line = proportional(bits), straight(bits)
    # Arguments from one mark at weight 16 on, because no shipped class cuts less.
    arguments = range(MARK // 16, ONE + 1)
    out = {f"one_mark_weight_{w}": cut_error(table, bits, MARK // w, lambda x: float(exact(x))) for w in WEIGHTS}
    out["proportional_max"] = max(abs(cut_error(table, bits, a, lambda x: float(exact(x)))) for a in arguments)
    out["dcqcn_max"] = max(abs(cut_error(line, bits, a, lambda x: 1 - x / ONE / 2)) for a in arguments)
    return out


def check_against_the_driver(program):
    """Checks that tables made here equal the driver's tables where both have entries."""
    for policy, ours in (("proportional", proportional(8)), ("dcqcn", straight(8))):
        text = subprocess.run([program, "--policy", policy], capture_output=True, text=True,
                              check=True).stdout
        theirs = [int(word, 16) for word in re.findall(r"(0x\w+) decrease\[", text)]
        if theirs != ours:
            sys.exit(f"lut_depth.py: the driver's {policy} table is another one")


def check_the_line(bits):
    """Checks that the RTL's interpolation, evaluated by yosys, equals look_up()."""
    part_bits = 16 - bits
    script = (f"read_verilog -sv synth/lut_depth.sv; chparam -set PartBits {part_bits} lut_line; "
              # keeps only the input of the register: the interpolated value
              "prep -flatten -top lut_line; delete t:$dff; ")
    table = proportional(bits)
    wanted = []
    for argument in range(1, ONE, ONE // 7):
        i, part = argument >> part_bits, argument & ((1 << part_bits) - 1)
        script += (f"eval -set entry_i 17'd{table[i]} -set next_i 17'd{table[i + 1]} "
                   f"-set part_i {part_bits}'d{part} -show line; ")
        wanted.append(look_up(table, bits, argument))
    text = run(["yosys", "-p", script])
    found = [int(value, 2) >> part_bits & 0x1FFFF for value in re.findall(r"\\line = \d+'([01]+)", text)]
    if found != wanted:
        sys.exit(f"lut_depth.py: {bits} bits: the RTL's line gives {found}, not {wanted}")


def area(bits, work):
    def read(black_box):
        return (f"read_verilog -sv {'-lib ' if black_box else ''}{ARRAY}; read_verilog -sv {SOURCES}; "
                f"chparam -set IndexBits {bits} lut_depth; ")
    counts = cells(run(["yosys", "-p", read(False) + "synth_ice40 -abc2 -top lut_depth; stat"]))
    return {"ram_bits": 17 * ((1 << bits) + 1), "ice40_lut4": some(counts, "SB_LUT4"),
            "ice40_ram4k": some(counts, "SB_RAM40.*"),
            "osu018_logic_ge": osu018_area(read(True), "lut_depth", work)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--out", required=True)
    parser.add_argument("--make-tables", help="build/sw/make_tables: compare the tables with it")
    parser.add_argument("--bits", default="4..10")
    parser.add_argument("--no-area", action="store_true")
    options = parser.parse_args()
    if options.make_tables:
        check_against_the_driver(os.path.abspath(options.make_tables))
    first, _, last = options.bits.partition("..")
    rows = []
    with tempfile.TemporaryDirectory() as work:
        for bits in range(int(first), int(last or first) + 1):
            row = {"index_bits": bits, "entries": (1 << bits) + 1, **accuracy(bits)}
            check_the_line(bits)
            if not options.no_area:
                row.update(area(bits, work))
            rows.append({k: f"{v:.6f}" if isinstance(v, float) else v for k, v in row.items()})
            print(", ".join(f"{k} {v}" for k, v in rows[-1].items()), flush=True)
    with open(options.out, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
