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
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RTL = os.path.dirname(HERE)
ROOT = os.path.dirname(RTL)
sys.path[:0] = [RTL, HERE]
from campaign import (compiled, digest, judged, proofs, read_equivalents, read_mutations,  # noqa: E402
                      register_headers, verilated)
from sources import ARRAY, OF_GATES, UNITS, run, sources  # noqa: E402

CORE = os.path.join(ROOT, "models", "core")
SELECTOR_BITS = 10
PROVED = ("rate",)  # the wheel's list names its equivalent mutants by hand, so no proof is tried for the wheel


def compile_runner(directory, unit, verilog, verilate=(), define=()):
    """Compiles unit_runner with a variant of a unit; returns the program's path."""
    variant = verilated(directory, "unit", unit.top, verilog, verilate, define)
    return compiled(os.path.join(directory, "unit_runner"), variant,
                    [os.path.join(HERE, "unit_runner.cpp"), *(os.path.join(ROOT, source) for source in unit.bench)],
                    [f'-DJUDGE="{unit.judge}"', f"-I{RTL}/verilated", f"-I{RTL}/verilated/{unit.folder}",
                     f"-I{RTL}/bench", f"-I{HERE}", f"-I{CORE}", f"-I{ROOT}/sw"], define)


def files_of(folders):
    """Returns the paths of all sources in folders of the repository, in a fixed order."""
    return [os.path.join(place, name) for folder in folders for place, _, names in sorted(os.walk(folder))
            for name in sorted(names) if name.endswith((".sv", ".ys", ".cpp", ".h", ".f"))]


def build(directory, unit, count, seed):
    """Builds one program with all mutants. Returns the program's path, the mutations as yosys wrote them, the
    netlist, and a digest of everything that decides which mutants are killed."""
    directory = os.path.abspath(directory)
    os.makedirs(directory, exist_ok=True)
    # The digest covers the judge: the model that the rate unit's bench compares with lies in models.
    mark = digest(f"{count} {seed} {OF_GATES}", files_of(
        [os.path.join(RTL, folder) for folder in (unit.folder, "common", "secded", "mutation", "verilated", "bench")] +
        [os.path.join(CORE, "controller"), os.path.join(register_headers(directory), "registers")]))
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
             f"read_verilog -sv -lib {ARRAY}; read_verilog -sv {logic} verilated/{unit.folder}/{unit.top}.sv; "
             f"hierarchy -check -top {unit.top}; script mutation/mutants.ys; {mutate}; script {listing}; opt_clean; "
             f"write_rtlil {netlist}; write_verilog -noattr {verilog}"], cwd=RTL)
        compile_runner(directory, unit, [verilog, os.path.join(RTL, ARRAY)], OF_GATES, ["VARIANT_MUTANTS"])
        with open(stamp, "w", encoding="utf-8"):
            pass
    return program, read_mutations(listing), netlist, mark


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
    path = os.path.join(HERE, f"{options.unit}_equivalent.txt")
    equivalents = read_equivalents(path) if os.path.exists(path) else {}
    last = max(mutations) if options.last is None else min(options.last, max(mutations))
    chosen = [number for number in [0] + list(range(options.first, last + 1))
              if not (options.quick and mutations.get(number) in equivalents)]
    amount = options.amount or unit.amount
    said = judged(os.path.join(options.build, f"results-{mark}.txt"), chosen, amount, options.seconds,
                  lambda number: run([program, str(amount), str(options.seed), str(number)]).strip())
    survivors = [number for number, text in said.items() if text.startswith("survived") and number != 0 and
                 "mode none" not in mutations[number] and mutations[number] not in equivalents]
    verdicts = {} if options.unproved or options.unit not in PROVED else proofs(
        os.path.join(options.build, f"proofs-{mark}.txt"), netlist, unit.top, options.build, survivors)
    same = {number for number in survivors if verdicts.get(number) == "equivalent"}
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
