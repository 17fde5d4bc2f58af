#!/usr/bin/python3 -B
"""Checks that a block's bench kills every mutant of the block's list: mutants.py BLOCK --build DIR [--only N].

tests/cosim/BLOCK/mutants.txt has one mutant a line: FILE below rtl/BLOCK/rtl | text | text instead | what is broken.
The text is an expression that occurs once in FILE. All mutants are in one build; an environment variable selects one.
Mutant 0 is the block itself and must pass. A mutant is killed if the bench ends with status 1 and says why. Exit
status 1 and a line for each mutant that survives, stands still or makes the bench crash: the bench has to tell it.
"""
import argparse
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RTL = os.path.join(ROOT, "rtl")
SECONDS = 120  # a bench that takes longer stands still
Block = tuple[list[tuple[str, str, list[str]]], list[str], list[str]]
# Tops with their parameters, sources of the core that the bench needs, arguments of the bench.
BLOCKS: dict[str, Block] = {
    "packet": ([("parser", "dc_parser", ["-GFlows=64"]), ("sent", "dc_sent", ["-GFlows=64"]),
                ("notifier", "dc_notifier", ["-GFlows=64"])],
               ["models/core/wire/roce_headers.cpp"], ["--frames", "20000", "--packets", "60000"]),
    "pacer": ([("pacer", "dc_pacer", ["-GFlows=64", "-GWidth=8"]),
               ("pacer_small", "dc_pacer", ["-GFlows=4", "-GWidth=2"])], [], ["--cycles", "200000"]),
}
SELECTOR = """
package dcc_mutant_pkg;
  import "DPI-C" function int dcc_mutant();
  int number = dcc_mutant();
endpackage
"""


def run(command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"mutants.py: {' '.join(command)[:300]} failed:\n{result.stdout[-3000:]}{result.stderr[-3000:]}")
    return result.stdout


def mutants_of(block):
    with open(os.path.join(ROOT, "tests/cosim", block, "mutants.txt"), encoding="utf-8") as lines:
        rows = [[part.strip() for part in line.split(" | ")] for line in lines
                if line.strip() and not line.startswith("#")]
    for row in rows:
        if len(row) != 4:
            sys.exit(f"mutants.py: {block}/mutants.txt: '{' | '.join(row)}' has {len(row)} parts, not 4")
    return rows


def sources_with(block, rows, directory):
    """Writes copies of the block's sources with every mutant behind the selector; returns their paths in order."""
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(RTL, block, "files.f"), encoding="utf-8") as lines:
        files = lines.read().split()
    paths = [os.path.join(directory, "dcc_mutant_pkg.sv")]
    with open(paths[0], "w", encoding="utf-8") as out:
        out.write(SELECTOR)
    for file in files:
        with open(os.path.join(RTL, file), encoding="utf-8") as source:
            text = source.read()
        instead = {}  # expression -> its mutants
        for number, (name, old, new, _) in enumerate(rows, 1):
            if os.path.join(block, "rtl", name) == file:
                instead.setdefault(old, []).append(f"dcc_mutant_pkg::number == {number} ? ({new}) : ")
        for old, choices in instead.items():
            parts = re.split(r"\s+".join(re.escape(word) for word in old.split()), text)
            if len(parts) != 2:
                sys.exit(f"mutants.py: '{old}' occurs {len(parts) - 1} times in {file}, not once")
            text = f"({''.join(choices)}({old}))".join(parts)
        paths.append(os.path.join(directory, os.path.basename(file)))
        with open(paths[-1], "w", encoding="utf-8") as out:
            out.write(text)
    return paths


def build(block, directory):
    tops, core, _ = BLOCKS[block]
    rows = mutants_of(block)
    sources = sources_with(block, rows, directory)
    objects, includes = [], []
    for prefix, top, parameters in tops:
        place = os.path.join(directory, prefix)
        sva = os.path.join(RTL, block, "sva", top + "_sva.sv")
        run(["verilator", "--cc", "-Wno-lint", "-Wno-fatal", "-O3", "--x-initial", "unique", "--assert", *parameters,
             "--prefix", "V" + prefix, "--top-module", top, "--Mdir", place, *sources, sva])
        run(["make", "-s", "-C", place, "-f", f"V{prefix}.mk", "OPT_FAST=-O1", "OPT_SLOW=-O0", "OPT_GLOBAL=-O1",
             f"V{prefix}__ALL.a", "verilated.o", "verilated_threads.o", "verilated_dpi.o"])
        includes += ["-isystem", place]
        objects.append(os.path.join(place, f"V{prefix}__ALL.a"))
    first = os.path.join(directory, tops[0][0])
    root = run(["verilator", "--getenv", "VERILATOR_ROOT"]).strip()
    bench = os.path.join(ROOT, "tests/cosim", block)
    program = os.path.join(directory, "bench")
    run(["g++", "-std=c++17", "-O1", f"-I{ROOT}/models/core", f"-I{RTL}/verilated", f"-I{ROOT}/tests/cosim",
         f"-I{bench}", *includes, f"-isystem{root}/include", f"-isystem{root}/include/vltstd"] +
        sorted(os.path.join(bench, name) for name in os.listdir(bench) if name.endswith(".cpp")) +
        [os.path.join(ROOT, source) for source in core] + objects +
        [os.path.join(first, part) for part in ("verilated.o", "verilated_threads.o", "verilated_dpi.o")] +
        ["-lz", "-ldeflate", "-pthread", "-latomic", "-o", program])
    return program, rows


def judge(program, block, number):
    """Returns the verdict on a mutant, and the output of the bench."""
    try:
        result = subprocess.run([program, *BLOCKS[block][2]], env={**os.environ, "DCC_MUTANT": str(number)},
                                capture_output=True, text=True, check=False, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return "STANDS STILL", f"nothing within {SECONDS} s"
    said = (result.stdout.strip().splitlines() or [""])[-1]
    if result.returncode == 0:
        return "SURVIVES", said
    if result.returncode == 1 and said.startswith(f"{block}_bench: "):
        return "killed", said
    return "CRASHES", f"status {result.returncode}: {said or result.stderr.strip()[-200:]}"


def main():
    parser = argparse.ArgumentParser(description="runs a block's mutants")
    parser.add_argument("block", choices=sorted(BLOCKS))
    parser.add_argument("--build", required=True)
    parser.add_argument("--only", type=int)
    options = parser.parse_args()
    number_of_mutants = len(mutants_of(options.block))
    if options.only is not None and not 1 <= options.only <= number_of_mutants:
        sys.exit(f"mutants.py: --only {options.only}: {options.block}/mutants.txt has 1 to {number_of_mutants}")
    program, rows = build(options.block, os.path.abspath(options.build))
    verdict, said = judge(program, options.block, 0)
    if verdict != "SURVIVES":
        sys.exit(f"mutants.py: the block itself fails: {said}")
    left = 0
    for number, (name, _, _, what) in enumerate(rows, 1):
        if options.only not in (None, number):
            continue
        verdict, said = judge(program, options.block, number)
        left += verdict != "killed"
        print(f"{number:2} {verdict}: {name}: {what} ({said})", flush=True)
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
