#!/usr/bin/python3 -B
"""Line and toggle coverage of the wheel's RTL under its bench.

cover.py --out DIR [--ops OPS]: builds an instrumented wheel in DIR, runs OPS operations of each
profile, writes DIR/lines.txt and DIR/toggles.txt (what was not hit) and prints the two percentages.
"""
import argparse
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RTL = os.path.dirname(HERE)
sys.path.insert(0, RTL)
from sources import sources  # noqa: E402

CORE = os.path.join(os.path.dirname(RTL), "models", "core")


def run(command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"cover.py: {' '.join(command)[:200]} failed:\n{result.stdout}{result.stderr}")
    return result.stdout


def build(out):
    objects = os.path.join(out, "obj")
    run(["verilator", "--cc", "-Wno-fatal", "-Wno-lint", "--coverage-line", "--coverage-toggle",
         "--prefix", "Vwheel_cover", "--top-module", "timing_wheel_dut", "--Mdir", objects] +
        [os.path.join(RTL, source) for source in sources("timing_wheel") + ["verilated/timing_wheel_dut.sv"]])
    run(["make", "-s", "-C", objects, "-f", "Vwheel_cover.mk", "OPT_FAST=-O1", "OPT_SLOW=-O0",
         "CXX=g++ -std=c++17", "Vwheel_cover__ALL.a", "verilated.o", "verilated_cov.o",
         "verilated_threads.o"])
    adapters = os.path.join(RTL, "verilated")
    root = run(["verilator", "--getenv", "VERILATOR_ROOT"]).strip()
    program = os.path.join(out, "cover_runner")
    run(["g++", "-std=c++17", "-O2", "-DVM_COVERAGE=1", f"-I{adapters}", f"-I{CORE}",
         f"-I{objects}", f"-isystem{root}/include", f"-isystem{root}/include/vltstd",
         os.path.join(HERE, "cover_runner.cpp")] +
        [os.path.join(adapters, f"timing_wheel_{part}.cpp")
         for part in ("bench", "coverage", "stimulus")] +
        [os.path.join(objects, name) for name in ("Vwheel_cover__ALL.a", "verilated.o",
                                                  "verilated_cov.o", "verilated_threads.o")] +
        ["-pthread", "-latomic", "-o", program])
    return program


def points(data):
    """(kind, file, line, what) → hits; the counters of all instances of a module are summed."""
    hits = {}
    with open(data, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if not line.startswith("C '"):
                continue
            key, count = line[3:].rsplit("' ", 1)
            fields = dict(part.split("\x02", 1) for part in key.split("\x01") if "\x02" in part)
            kind = fields.get("page", "").split("/")[0]
            place = (kind, os.path.basename(fields.get("f", "?")), int(fields.get("l", 0)),
                     fields.get("o", ""))
            hits[place] = hits.get(place, 0) + int(count)
    return hits


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", required=True)
    parser.add_argument("--ops", type=int, default=100_000)
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    data = os.path.join(options.out, "coverage.dat")
    run([build(options.out), str(options.ops), data])
    hits = points(data)
    for kind, name in (("v_line", "lines"), ("v_branch", "branches"), ("v_toggle", "toggles")):
        chosen = {place: count for place, count in hits.items()
                  if place[0] == kind and place[1] != "timing_wheel_dut.sv"}
        if not chosen:
            continue
        missed = sorted(place for place, count in chosen.items() if count == 0)
        with open(os.path.join(options.out, name + ".txt"), "w", encoding="utf-8") as file:
            file.writelines(f"{place[1]}:{place[2]}: {place[3]}\n" for place in missed)
        print(f"{name}: {100 * (len(chosen) - len(missed)) / len(chosen):.2f} % of {len(chosen)}")


if __name__ == "__main__":
    main()
