#!/usr/bin/python3 -B
"""The mutation gate: every automatic mutant of the wheel is killed by its bench or is listed as
equivalent in equivalent.txt.

run.py --build DIR [--mutants N] [--first A] [--last B] [--ops OPS] [--quick] [--report FILE]. All mutants are in
one build behind a selector; DIR keeps it, so that a second run only runs. Mutant 0 is the wheel
itself and must survive. Exit 1 if a mutant survives that is not listed, or a listed one is killed.
"""
import argparse
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RTL = os.path.dirname(HERE)
sys.path.insert(0, RTL)
from sources import ARRAY, sources  # noqa: E402

CORE = os.path.join(os.path.dirname(RTL), "models", "core")
SELECTOR_BITS = 10


def run(command, **options):
    result = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if result.returncode != 0:
        sys.exit(f"run.py: {' '.join(command)} failed:\n{result.stdout}{result.stderr}")
    return result.stdout


def newest(paths):
    return max(os.path.getmtime(path) for path in paths)


def build(directory, count, seed):
    """One program with all mutants; returns its path and the mutations as yosys wrote them."""
    os.makedirs(directory, exist_ok=True)
    program = os.path.join(directory, "mutant_runner")
    listing = os.path.join(directory, "mutations.ys")
    inputs = [os.path.join(folder, name) for folder, _, names in os.walk(RTL) for name in names
              if name.endswith((".sv", ".ys", ".cpp", ".h", ".f"))]
    stamp = os.path.join(directory, f"count-{count}-{seed}")
    if os.path.exists(program) and os.path.exists(stamp) and (
            os.path.getmtime(program) > newest(inputs)):
        return program, read_mutations(listing)
    netlist = os.path.join(directory, "wheel_mutants.v")
    mutate = (f"mutate -list {count} -seed {seed} -none -ctrl mutant_i {SELECTOR_BITS} 0 "
              f"-o {listing} c:u_wheel.* c:*u_wheel*")
    logic = [source for source in sources("timing_wheel") if source != ARRAY]
    run(["yosys", "-q", "-p",
         f"read_verilog -sv -lib {ARRAY}; read_verilog -sv {' '.join(logic)} "
         "verilated/timing_wheel_dut.sv; hierarchy -check -top timing_wheel_dut; "
         f"script mutation/mutants.ys; {mutate}; script {listing}; opt_clean; "
         f"write_verilog -noattr {netlist}"], cwd=RTL)
    objects = os.path.join(directory, "obj")
    run(["verilator", "--cc", "-Wno-fatal", "-Wno-lint", "-Wno-UNOPTFLAT", "-O3", "--prefix",
         "Vwheel_mutants", "--top-module", "timing_wheel_dut", "--Mdir", objects, netlist,
         os.path.join(RTL, ARRAY)])
    cxx = "ccache g++" if subprocess.run(["which", "ccache"], capture_output=True,
                                         check=False).returncode == 0 else "g++"
    run(["make", "-s", "-C", objects, "-f", "Vwheel_mutants.mk", "OPT_FAST=-O1", "OPT_SLOW=-O0",
         f"CXX={cxx} -std=c++17", "Vwheel_mutants__ALL.a", "verilated.o", "verilated_threads.o"])
    adapters = os.path.join(RTL, "verilated")
    verilator_root = run(["verilator", "--getenv", "VERILATOR_ROOT"]).strip()
    run(["g++", "-std=c++17", "-O2", f"-I{adapters}", f"-I{CORE}", f"-I{objects}",
         f"-isystem{verilator_root}/include", f"-isystem{verilator_root}/include/vltstd",
         os.path.join(HERE, "mutant_runner.cpp"),
         os.path.join(adapters, "timing_wheel_bench.cpp"),
         os.path.join(adapters, "timing_wheel_coverage.cpp"),
         os.path.join(adapters, "timing_wheel_stimulus.cpp"),
         os.path.join(objects, "Vwheel_mutants__ALL.a"), os.path.join(objects, "verilated.o"),
         os.path.join(objects, "verilated_threads.o"), "-pthread", "-latomic", "-o", program])
    for old in os.listdir(directory):
        if old.startswith("count-"):
            os.remove(os.path.join(directory, old))
    with open(stamp, "w", encoding="utf-8"):
        pass
    return program, read_mutations(listing)


def read_mutations(listing):
    """Number → what was mutated, in a form that does not depend on the number."""
    mutations = {}
    with open(listing, encoding="utf-8") as lines:
        for line in lines:
            found = re.search(r"-ctrl \S+ \d+ (\d+)", line)
            if found:
                text = re.sub(r"-ctrl \S+ \d+ \d+ ?|^mutate |-module \S+ | -src \S+", "", line.strip())
                mutations[int(found.group(1))] = text
    return mutations


def read_equivalents():
    """What was mutated → why no test can tell."""
    equivalents = {}
    path = os.path.join(HERE, "equivalent.txt")
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            line = line.rstrip("\n")
            if not line or line.startswith("#"):
                continue
            mutation, separator, reason = line.partition(" ## ")
            if not separator or not reason:
                sys.exit(f"{path}:{number}: 'mutation ## reason' is wanted")
            equivalents[mutation] = reason
    return equivalents


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--mutants", type=int, default=160)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=1, help="after the wheel itself")
    parser.add_argument("--last", type=int)
    parser.add_argument("--ops", type=int, default=150_000, help="operations a profile")
    parser.add_argument("--quick", action="store_true", help="leave out those listed as equivalent")
    parser.add_argument("--report")
    options = parser.parse_args()
    program, mutations = build(os.path.abspath(options.build), options.mutants, options.seed)
    equivalents = read_equivalents()
    last = max(mutations) if options.last is None else min(options.last, max(mutations))
    chosen = [number for number in [0] + list(range(options.first, last + 1))
              if not (options.quick and mutations.get(number) in equivalents)]
    output = run([program, str(options.ops), str(options.seed)] + [str(n) for n in chosen])
    killed, listed, survivors, wrong = 0, [], [], []
    report = []
    for line in output.splitlines():
        word, rest = line.split(" ", 1)
        number = int(rest.split(":")[0])
        mutation = mutations.get(number, "the wheel itself")
        report.append(f"{line}\n    {mutation}")
        if number == 0 or "mode none" in mutation:
            if word == "killed":
                wrong.append(line)
        elif word == "killed":
            killed += 1
            if mutation in equivalents:
                wrong.append(f"listed as equivalent, but {line}")
        elif mutation in equivalents:
            listed.append(f"equivalent {number}: {mutation}\n    {equivalents[mutation]}")
        else:
            survivors.append(f"survived {number}: {mutation}")
    summary = (f"{killed} mutants killed, {len(listed)} equivalent, {len(survivors)} survived, "
               f"{len(wrong)} wrong")
    if options.report:
        with open(options.report, "w", encoding="utf-8") as file:
            file.write("\n".join(report + [""] + listed + [summary]) + "\n")
    for line in survivors + wrong:
        print(line)
    print(summary)
    sys.exit(1 if survivors or wrong else 0)


if __name__ == "__main__":
    main()
