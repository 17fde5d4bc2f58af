#!/usr/bin/python3 -B
"""Line, branch and toggle coverage of a unit's RTL under its bench, and its cover properties.

cover.py --out DIR [--unit wheel | rate] [--amount N]: builds an instrumented unit in DIR, runs its bench (N
operations of each profile of the wheel, N rounds of the rate unit), writes DIR/lines.txt, branches.txt
and toggles.txt (what was not hit) and prints the percentages.
"""
import argparse
import collections
import glob
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RTL = os.path.dirname(HERE)
sys.path[:0] = [RTL, HERE]
from run import compile_runner  # noqa: E402
from sources import UNITS, run, sources  # noqa: E402


def counters(data):
    """Yields (fields, hits) of each counter in a file that Verilator's coverage has written."""
    with open(data, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line.startswith("C '"):
                key, count = line[3:].rsplit("' ", 1)
                yield dict(part.split("\x02", 1) for part in key.split("\x01") if "\x02" in part), int(count)


def points(data):
    """Returns (kind, file, line, what) → hits; the counters of all instances of a module are summed."""
    hits = collections.Counter()
    for fields, count in counters(data):
        if "/sva/" not in fields.get("f", ""):
            kind = fields.get("page", "").split("/")[0]
            hits[kind, os.path.basename(fields.get("f", "?")), int(fields.get("l", 0)), fields.get("o", "")] += count
    return hits


def covers(data):
    """Returns the cover properties of a unit's assertions: (file, line, hierarchical name) → hits."""
    hits = collections.Counter()
    for fields, count in counters(data):
        if fields.get("page", "").startswith("v_user"):
            hits[os.path.basename(fields["f"]), int(fields["l"]), fields.get("h", "")] += count
    return hits


def tell(properties):
    """Prints which cover properties were not hit, and how many were."""
    for (file, line, where), count in sorted(properties.items()):
        if count == 0:
            print(f"cover property not hit: {file}:{line}, {where}")
    print(f"cover properties: {sum(1 for count in properties.values() if count)} of {len(properties)} hit")


def write_missed(path, hits):
    """Writes the places that were not hit; returns their number."""
    missed = sorted(place for place, count in hits.items() if count == 0)
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{place[1]}:{place[2]}: {place[3]}\n" for place in missed)
    return len(missed)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", required=True)
    parser.add_argument("--unit", choices=sorted(UNITS), default="wheel")
    parser.add_argument("--amount", type=int)
    options = parser.parse_args()
    unit = UNITS[options.unit]
    out = os.path.abspath(options.out)
    os.makedirs(out, exist_ok=True)
    program = compile_runner(
        out, unit, [os.path.join(RTL, source) for source in
                    (*sources(unit.folder), f"verilated/{unit.folder}/{unit.top}.sv")] +
        sorted(glob.glob(os.path.join(RTL, unit.folder, "sva", "*.sv"))),
        # Random values at the start would count as toggles, so registers start as 0.
        ["--coverage", "--assert", "--x-initial", "0"], ["VARIANT_COVERAGE"])
    run([program, str(options.amount or unit.covering), "1"], cwd=out)
    hits = points(os.path.join(out, "coverage.dat"))
    for kind, name in (("v_line", "lines"), ("v_branch", "branches"), ("v_toggle", "toggles")):
        chosen = {place: count for place, count in hits.items()
                  if place[0] == kind and place[1] != f"{unit.top}.sv"}
        if not chosen:
            continue
        missed = write_missed(os.path.join(out, name + ".txt"), chosen)
        print(f"{name}: {100 * (len(chosen) - missed) / len(chosen):.2f} % of {len(chosen)}")
    tell(covers(os.path.join(out, "coverage.dat")))


if __name__ == "__main__":
    main()
