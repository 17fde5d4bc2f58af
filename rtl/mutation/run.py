#!/usr/bin/python3 -B
"""The mutation gate of a unit: every automatic mutant is killed by its bench, is proved to be no mutant, or is listed
as equivalent with a reason in UNIT_equivalent.txt.

run.py --build DIR [--unit wheel | rate] [--mutants N] [--first A] [--last B] [--amount N] [--seconds S] [--quick]
[--report FILE]. N: operations a profile of the wheel, rounds of the rate unit. All mutants are in one build behind a
selector; DIR keeps it, and what is known of each mutant, so that a second run goes on (--seconds stops one).
Mutant 0 is the unit itself and must survive. What survives of the rate unit is put to a proof: the same outputs and
next state for every input and every state (equivalence.py). Exit 1 if a mutant survives that is neither proved nor
listed, or a listed one is killed.
"""
import argparse
import hashlib
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
RTL = os.path.dirname(HERE)
ROOT = os.path.dirname(RTL)
sys.path[:0] = [RTL, HERE]
from equivalence import Unit as Pair  # noqa: E402
from sources import ARRAY, OF_GATES, UNITS, sources  # noqa: E402

CORE = os.path.join(ROOT, "models", "core")
SELECTOR_BITS = 10
PROVED = ("rate",)  # the wheel's list names its equivalent mutants by hand, so no proof is tried for the wheel


def run(command, **options):
    result = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if result.returncode != 0:
        sys.exit(f"run.py: {' '.join(command)[:300]} failed:\n{result.stdout[-3000:]}{result.stderr[-3000:]}")
    return result.stdout


def compile_runner(directory, unit, verilog, verilate=(), define=()):
    """Compiles unit_runner with a variant of a unit; returns the program's path."""
    objects = os.path.join(directory, "obj")
    run(["verilator", "--cc", "-Wno-fatal", "-Wno-lint", "-Wno-UNOPTFLAT", "-O3", *verilate, "--prefix", "Vunit",
         "--top-module", unit.top, "--Mdir", objects, *verilog])
    cxx = "ccache g++" if subprocess.run(["which", "ccache"], capture_output=True,
                                         check=False).returncode == 0 else "g++"
    parts = ["Vunit__ALL.a", "verilated.o", "verilated_threads.o"]
    flags = [f"-D{word}" for word in define]
    if "VARIANT_COVERAGE" in define:
        parts.append("verilated_cov.o")
        flags.append("-DVM_COVERAGE=1")
    run(["make", "-s", "-C", objects, "-f", "Vunit.mk", "OPT_FAST=-O1", "OPT_SLOW=-O0", f"CXX={cxx} -std=c++17",
         *parts])
    root = run(["verilator", "--getenv", "VERILATOR_ROOT"]).strip()
    program = os.path.join(directory, "unit_runner")
    run(["g++", "-std=c++17", "-O2", "-DVARIANT=Vunit", "-DVARIANT_HEADER=<Vunit.h>",
         "-DVARIANT_ROOT=<Vunit___024root.h>", f'-DJUDGE="{unit.judge}"', *flags,
         f"-I{RTL}/verilated", f"-I{RTL}/bench", f"-I{HERE}",
         f"-I{CORE}", f"-I{ROOT}/sw", f"-I{objects}", f"-isystem{root}/include", f"-isystem{root}/include/vltstd",
         os.path.join(HERE, "unit_runner.cpp")] +
        [os.path.join(ROOT, source) for source in unit.bench] +
        [os.path.join(objects, part) for part in parts] + ["-pthread", "-latomic", "-o", program])
    return program


def digest(text, folders):
    total = hashlib.sha256(text.encode())
    for folder in folders:
        for place, _, names in sorted(os.walk(folder)):
            for name in sorted(names):
                if name.endswith((".sv", ".ys", ".cpp", ".h", ".f")):
                    with open(os.path.join(place, name), "rb") as file:
                        total.update(file.read())
    return total.hexdigest()[:12]


def build(directory, unit, count, seed):
    """Builds one program with all mutants. Returns the program's path, the mutations as yosys wrote them, the
    netlist, and a digest of everything that decides which mutants are killed."""
    directory = os.path.abspath(directory)
    os.makedirs(directory, exist_ok=True)
    # The digest covers the judge: the model that the rate unit's bench compares with lies in models.
    core = os.path.join(os.path.dirname(RTL), "models", "core")
    mark = digest(f"{count} {seed} {OF_GATES}", [os.path.join(RTL, folder) for folder in (
        unit.folder, "common", "secded", "mutation", "verilated", "bench")] + [
            os.path.join(core, "controller"), os.path.join(core, "registers", "generated")])
    program, listing = os.path.join(directory, "unit_runner"), os.path.join(directory, "mutations.ys")
    netlist = os.path.join(directory, "mutants.il")
    stamp = os.path.join(directory, f"built-{mark}")
    if not os.path.exists(stamp):
        for old in os.listdir(directory):
            if old.startswith(("built-", "results-", "proofs-")):
                os.remove(os.path.join(directory, old))
        verilog = os.path.join(directory, "mutants.v")
        mutate = (f"mutate -list {count} -seed {seed} -none -ctrl mutant_i {SELECTOR_BITS} 0 "
                  f"-o {listing} {unit.cells}")
        logic = " ".join(source for source in sources(unit.folder) if source != ARRAY)
        run(["yosys", "-q", "-p",
             f"read_verilog -sv -lib {ARRAY}; read_verilog -sv {logic} verilated/{unit.top}.sv; "
             f"hierarchy -check -top {unit.top}; script mutation/mutants.ys; {mutate}; script {listing}; opt_clean; "
             f"write_rtlil {netlist}; write_verilog -noattr {verilog}"], cwd=RTL)
        compile_runner(directory, unit, [verilog, os.path.join(RTL, ARRAY)], OF_GATES, ["VARIANT_MUTANTS"])
        with open(stamp, "w", encoding="utf-8"):
            pass
    return program, read_mutations(listing), netlist, mark


def read_mutations(listing):
    """Returns number → mutation, in a form that does not depend on the number."""
    mutations = {}
    with open(listing, encoding="utf-8") as lines:
        for line in lines:
            found = re.search(r"-ctrl \S+ \d+ (\d+)", line)
            if found:
                text = re.sub(r"-ctrl \S+ \d+ \d+ ?|^mutate |-module \S+ | -src \S+", "", line.strip())
                mutations[int(found.group(1))] = text
    return mutations


def read_equivalents(name):
    """Returns mutation → reason why no test can tell the mutant from the unit."""
    equivalents = {}
    path = os.path.join(HERE, f"{name}_equivalent.txt")
    if not os.path.exists(path):
        return {}
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


def judged(program, directory, mark, amount, seed, chosen, seconds):
    """Returns mutant → the bench's verdict, without mutants for which there was no time."""
    path = os.path.join(directory, f"results-{mark}.txt")
    known = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                of, _, said = line.strip().partition(" ")
                known[int(said.split()[1].rstrip(":"))] = (int(of), said)
    end = time.monotonic() + seconds if seconds else None
    for number in chosen:
        done, said = known.get(number, (0, "survived"))
        if said.startswith("killed") or done >= amount:
            continue
        if end is not None and time.monotonic() > end:
            break
        said = run([program, str(amount), str(seed), str(number)]).strip()
        known[number] = (amount, said)
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"{amount} {said}\n")
    return {number: known[number][1] for number in chosen if number in known}


def proved(directory, mark, netlist, top, survivors):
    """Returns the survivors that are proved equivalent to the unit."""
    path = os.path.join(directory, f"proofs-{mark}.txt")
    verdicts = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as lines:
            verdicts = {int(number): said for number, _, said in (line.strip().partition(" ") for line in lines)}
    pair = None
    for number in survivors:
        if number not in verdicts:
            pair = pair or Pair(netlist, os.path.join(RTL, ARRAY), top, directory)
            verdicts[number] = pair.judge(number)
            if verdicts[number] != "unknown":
                with open(path, "a", encoding="utf-8") as file:
                    file.write(f"{number} {verdicts[number]}\n")
    return {number for number in survivors if verdicts[number] == "equivalent"}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--unit", choices=sorted(UNITS), default="wheel")
    parser.add_argument("--mutants", type=int, default=160)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=1, help="after the unit itself")
    parser.add_argument("--last", type=int)
    parser.add_argument("--amount", type=int)
    parser.add_argument("--seconds", type=float, help="begin no mutant after so long")
    parser.add_argument("--quick", action="store_true", help="leave out those listed as equivalent")
    parser.add_argument("--unproved", action="store_true", help="prove nothing of what survives")
    parser.add_argument("--report")
    options = parser.parse_args()
    unit = UNITS[options.unit]
    program, mutations, netlist, mark = build(options.build, unit, options.mutants, options.seed)
    equivalents = read_equivalents(options.unit)
    last = max(mutations) if options.last is None else min(options.last, max(mutations))
    chosen = [number for number in [0] + list(range(options.first, last + 1))
              if not (options.quick and mutations.get(number) in equivalents)]
    said = judged(program, options.build, mark, options.amount or unit.amount, options.seed, chosen, options.seconds)
    survivors = [number for number, text in said.items() if text.startswith("survived") and number != 0 and
                 "mode none" not in mutations[number] and mutations[number] not in equivalents]
    same = set() if options.unproved or options.unit not in PROVED else proved(
        options.build, mark, netlist, unit.top, survivors)
    killed, listed, left, wrong, report = 0, [], [], [], []
    for number, text in said.items():
        mutation = mutations.get(number, "the unit itself")
        report.append(f"{text}{' (proved equivalent)' if number in same else ''}\n    {mutation}")
        if number == 0 or "mode none" in mutation:
            if text.startswith("killed"):
                wrong.append(text)
        elif text.startswith("killed"):
            killed += 1
            if mutation in equivalents:
                wrong.append(f"listed as equivalent, but {text}")
        elif mutation in equivalents:
            listed.append(f"equivalent {number}: {mutation}\n    {equivalents[mutation]}")
        elif number not in same:
            left.append(f"survived {number}: {mutation}")
    if len(said) < len(chosen):
        wrong.append(f"{len(chosen) - len(said)} mutants were not run: run again")
    summary = (f"{killed} mutants killed, {len(same)} proved equivalent, {len(listed)} by a reason, "
               f"{len(left)} survived, {len(wrong)} wrong")
    if options.report:
        with open(options.report, "w", encoding="utf-8") as file:
            file.write("\n".join(report + [""] + listed + [summary]) + "\n")
    for line in left + wrong:
        print(line)
    print(summary)
    sys.exit(1 if left or wrong else 0)


if __name__ == "__main__":
    main()
