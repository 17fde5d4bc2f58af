#!/usr/bin/python3 -B
"""The bench of the whole controller on variants of its RTL: coverage, mutants, gate-level netlist.

bench.py coverage --build DIR [--cycles N]   line and toggle coverage, cover properties, and what was not hit
bench.py mutation --build DIR [--mutants N] [--first A] [--last B] [--only N,N] [--cycles N]
         [--draw N] [--seconds S] [--profile NAME] [--unproved] [--report FILE]
bench.py netlist  --build DIR [--cycles N]   synthesised to gates, memories not synthesised

The design is the small controller of tests/cosim/controller; the bench compares every pin in every cycle with
the oracle of docs/controller-contract.md. One build contains all mutants behind a selector; later runs use the
same build. DIR/results-HASH.txt lists the finished mutants; HASH is that of the RTL, the bench and the choice
of mutants. An interrupted run therefore continues, and a run with more cycles repeats the mutants that survived
fewer cycles; --seconds limits the time. For each survivor the bench tries to prove that outputs and next state
equal the controller's for every input and every state (rtl/mutation/equivalence.py).
The mutants are those of rtl/controller/rtl; wheel and rate unit have campaigns of their own. Exit 1 if the
bench finds a difference, if a mutant survives that is neither proved equivalent nor in mutants_equivalent.txt,
or if a mutant listed there is killed.
"""
import argparse
import collections
import glob
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RTL = os.path.dirname(HERE)
sys.path[:0] = [RTL, os.path.join(RTL, "mutation")]
from campaign import compiled, digest, judged, proofs, read_equivalents, read_mutations, verilated  # noqa: E402
from cover import covers, points, tell, write_missed  # noqa: E402
from sources import ARRAY, OF_GATES, run  # noqa: E402

TESTS = os.path.join(os.path.dirname(RTL), "tests/cosim/controller")
SOFTWARE = os.path.join(os.path.dirname(RTL), "sw")
SETTABLE = os.path.join(RTL, "mutation/counters.vlt")
SMALL = {"Slots": 64, "FlowW": 8, "Latency": 40, "CnpDepth": 16, "CommandDepth": 4, "BytesDepth": 16}
SELECTOR_BITS = 11


def sources():
    with open(os.path.join(HERE, "files.f"), encoding="utf-8") as lines:
        return lines.read().split()


def flattened(directory, name, steps):
    """Writes the small controller as one module of plain Verilog, with the memory arrays beside it.
    """
    netlist = os.path.join(directory, name + ".v")
    logic = " ".join(source for source in sources() if source != ARRAY)
    shape = " ".join(f"-set {key} {value}" for key, value in SMALL.items())
    run(["yosys", "-q", "-p", f"read_verilog -sv -lib {ARRAY}; read_verilog -sv {logic}; "
         f"chparam {shape} dcc_top; hierarchy -check -top dcc_top; {steps} "
         f"write_verilog -noattr {netlist}"], cwd=RTL)
    return [SETTABLE, netlist, os.path.join(RTL, ARRAY)]


def build(directory, name, variant, define=()):
    """Compiles a bench_runner program for a variant of the design."""
    parts = ("bench_runner", "page_aim", "page_bench", "page_states", "page_status", "page_faults", "page_oracle")
    return compiled(os.path.join(directory, name), variant, [os.path.join(TESTS, part + ".cpp") for part in parts],
                    [f"-I{TESTS}", f"-I{SOFTWARE}"], define)


def coverage(options):
    shape = [f"-G{key}={value}" for key, value in SMALL.items()]
    define = ["VARIANT_COVERAGE"]
    assertions = sorted(glob.glob(os.path.join(RTL, "*", "sva", "*.sv")))
    variant = verilated(options.build, "covered", "dcc_top",
                        [os.path.join(RTL, source) for source in sources()] + assertions,
                        # Initial values are 0, because random values at the start would count as toggles.
                        ["--coverage", "--assert", "--x-initial", "0", *shape], define)
    program = build(options.build, "covered", variant, define)
    print(run([program, str(options.cycles), "1"], cwd=options.build).strip())
    hits: collections.Counter = collections.Counter()
    properties: collections.Counter = collections.Counter()
    for data in glob.glob(os.path.join(options.build, "coverage_*.dat")):
        hits.update(points(data))
        properties.update(covers(data))
    units = {os.path.basename(source): source.split("/")[0] for source in sources()}
    tell(properties)
    for kind, title in (("v_line", "lines"), ("v_branch", "branches"), ("v_toggle", "toggles")):
        write_missed(os.path.join(options.build, title + ".txt"),
                     {place: count for place, count in hits.items() if place[0] == kind})
        for unit in ("controller", "regs", "timing_wheel", "rate_lut", "common"):
            of_unit = [place for place in hits if place[0] == kind and units.get(place[1]) == unit]
            lost = sum(1 for place in of_unit if hits[place] == 0)
            if of_unit:
                print(f"{title} of {unit}: {100 * (1 - lost / len(of_unit)):.2f} % of {len(of_unit)}")
    return 0


def netlist(options):
    script = os.path.join(RTL, "synth/netlist.ys")
    verilog = flattened(options.build, "gates", f"script {script};")
    # The compiler does not optimise the netlist's thirty megabytes of C++, because optimisation takes longer than it
    # saves.
    variant = verilated(options.build, "netlist", "dcc_top", verilog, OF_GATES, optimise="-O0")
    program = build(options.build, "netlist", variant)
    result = subprocess.run([program, str(options.cycles), "1"], capture_output=True, text=True, check=False)
    print(result.stdout.strip() or result.stderr.strip())
    return result.returncode


# Names of flattened cells contain the instance; this dictionary maps instances to their modules.
INSTANCES = {"u_cnps": "dc_fifo", "u_commands": "dc_fifo", "u_bytes": "dc_byte_queue",
             "u_beside": "dc_delay", "u_flows": "dc_flow_table", "u_free": "dc_free_list",
             "u_gate": "dc_apb_gate", "u_first": "dc_fifo", "u_again": "dc_fifo"}


def module_of(text):
    """Returns the controller's module that contains a mutation: the module of the innermost instance in the text."""
    names = re.findall(r"u_\w+", text.split(" -port")[0].split(" -wire")[0])
    for name in reversed(names):
        module = INSTANCES.get(name, "dc_" + name[2:])
        if os.path.exists(os.path.join(HERE, "rtl", module + ".sv")):
            return module
    return "dc_manager"


def fingerprints(options):
    """Digests of the inputs that define the mutants, and of the inputs that decide whether the bench kills these
    mutants."""
    mutants = digest(f"{options.mutants} {options.seed} {OF_GATES}", [
        os.path.join(RTL, source) for source in sources()] + [
            os.path.join(RTL, "mutation/mutants.ys"), SETTABLE, os.path.join(RTL, "mutation/equivalence.py")])
    return mutants, digest(mutants, [os.path.join(TESTS, name) for name in sorted(os.listdir(TESTS))
                                     if name.startswith(("bench_runner", "page_", "guarded_", "controller_dut"))])


def mutation(options):
    mutants, mark = fingerprints(options)
    listing = os.path.join(options.build, f"mutations-{mutants}.ys")
    program = os.path.join(options.build, f"bench_{mark}")
    netlist = os.path.join(options.build, f"mutants_{mutants}.il")
    name = f"mutants_{mutants}"
    # This file is written when the build is complete, so its presence means that the build is whole.
    built = os.path.join(options.build, f"compiled-{mutants}.json")
    if not os.path.exists(built):
        mine = "c:*u_manager* c:*u_gate* %u c:*u_wheel* %d c:*u_rate.* %d c:*u_rate* %d"
        steps = (f"script {RTL}/mutation/mutants.ys; mutate -list {options.mutants} "
                 f"-seed {options.seed} -none -ctrl mutant_i {SELECTOR_BITS} 0 -o {listing} {mine}; "
                 f"script {listing}; opt_clean; write_rtlil {netlist};")
        parts = verilated(options.build, name, "dcc_top", flattened(options.build, "mutated", steps), OF_GATES)
        with open(built, "w", encoding="utf-8") as file:
            json.dump(parts, file)
    if not os.path.exists(program):
        with open(built, encoding="utf-8") as file:
            build(options.build, f"bench_{mark}", json.load(file), ["VARIANT_MUTANTS", "VARIANT_NETLIST"])
    mutations = read_mutations(listing)
    last = min(options.last or max(mutations), max(mutations))
    wanted = [0] + (options.only or list(range(options.first, last + 1)))
    environment = dict(os.environ, BENCH_PROFILE=options.profile) if options.profile else None

    def judge(number):
        text = run([program, str(options.cycles), str(options.draw), str(number)], env=environment).strip()
        if options.profile and text.startswith("survived"):
            return None  # other profiles may kill the mutant
        if number == 0 and text.startswith("killed"):
            sys.exit(f"bench.py: with no mutant selected: {text}\nWhat one of these is selected by changes the "
                     "controller; draw others: --seed")
        return text

    done = judged(os.path.join(options.build, f"results-{mark}.txt"), wanted, options.cycles, options.seconds, judge,
                  again=options.draw != 1)
    left = len(set(wanted)) - len(done)
    wanted = list(done)
    known = read_equivalents(os.path.join(HERE, "mutants_equivalent.txt"))
    verdicts = {} if options.unproved else proofs(
        os.path.join(options.build, f"proofs-{mutants}.txt"), netlist, "dcc_top", options.build, [
            number for number in wanted if number != 0 and done[number].startswith("survived")
            and "mode none" not in mutations[number] and mutations[number] not in known])
    counts, bad, report = {}, [], []
    for number in wanted:
        what = mutations.get(number, "none")
        word = done[number].split()[0]
        report.append(f"{done[number]}\n    {what}")
        if "mode none" in what or number == 0:
            if word == "killed":
                bad.append(f"the controller itself: {done[number]}")
            continue
        kind = word
        if word == "survived" and verdicts.get(number) == "equivalent":
            kind = "proved equivalent"
        elif word == "survived" and what in known:
            kind = "equivalent by a reason"
        if kind == "survived" or (kind == "killed" and what in known):
            bad.append(f"{done[number]}: {what}\n    {verdicts.get(number, '')[:300]}")
        module = counts.setdefault(module_of(what), {})
        module[kind] = module.get(kind, 0) + 1
    for module, kinds in sorted(counts.items()):
        report.append(f"{module}: " + ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items())))
    total = {kind: sum(kinds.get(kind, 0) for kinds in counts.values())
             for kind in ("killed", "proved equivalent", "equivalent by a reason", "survived")}
    report.append(", ".join(f"{n} {kind}" for kind, n in total.items()))
    if options.report:
        with open(options.report, "w", encoding="utf-8") as file:
            file.write("\n".join(report) + "\n")
    if left:
        bad.append(f"{left} mutants were not run: run again")
    print("\n".join(report[len(wanted):] + bad))
    return 1 if bad else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("what", choices=["coverage", "mutation", "netlist"])
    parser.add_argument("--build", required=True)
    parser.add_argument("--cycles", type=int, default=20_000, help="of each of twenty-two profiles")
    parser.add_argument("--mutants", type=int, default=240)
    parser.add_argument("--seed", type=int, default=2, help="of the choice of mutants")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--last", type=int)
    parser.add_argument("--only", type=lambda text: [int(one) for one in text.split(",")], help="these alone: N,N,...")
    parser.add_argument("--seconds", type=float, help="begin no mutant after so long")
    parser.add_argument("--draw", type=int, default=1, help="of the bench: 2, 3, … run again what survived others")
    parser.add_argument("--unproved", action="store_true", help="prove nothing of what survives")
    parser.add_argument("--profile", help="of the bench, those with this in their name alone; remembers what they kill")
    parser.add_argument("--report")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    os.makedirs(options.build, exist_ok=True)
    sys.exit({"coverage": coverage, "mutation": mutation, "netlist": netlist}[options.what](options))


if __name__ == "__main__":
    main()
