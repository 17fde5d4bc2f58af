#!/usr/bin/python3 -B
"""Mutants of the hand-off package, drawn by a seed over all its modules, and what its own check.sh says of them.

package_mutants.py PACKAGE [--amount N] [--seed TEXT] [--modules NAME ...] [--record FILE] [--checked] [--seconds N]
                   [--areas NAME ...] [--singly] [--jobs N] [--first] [--names FILE]

The seed is by default the package's version and a digest of its RTL: whoever changes the RTL draws other mutants, and
nobody chooses them. Each mutant is put into a copy of the package. check.sh runs step by step and stops at the first
step that refuses the mutant: the module's cheapest bench, those of the whole block, then, if no proof is found that the
mutant changes nothing, the variants of the block, and last the simulation in four states. Verdicts:

  refused       by golden vectors, assertions or the golden model
  lint alone    by lint or elaboration only, after all benches were content
  no change     proved: the same outputs and next state for every input and state of the module with its default
                parameters (rtl/mutation/equivalence.py), or a constant that nothing reads
  stands still  a step gives no answer in time and no other step refuses the mutant: nothing is known of it
  explained     no step refuses the mutant, but package_mutants_known.txt says why it changes nothing
  survives      no step refuses the mutant; package_mutants_known.txt may say which vectors are missing
  waits         the benches in one build let the mutant pass, and the rest was not run: not a final verdict

Benches in Verilator are built once for all mutants (mutant_schema.py). A mutation that cannot be chosen at run time has
builds of its own; with --singly every mutation has. The verdicts are the same, because both ways run the same steps of
check.sh.

What the tools do not compile is drawn again. --record writes a line for each mutant as soon as it is judged; those that
the file has for the same seed count and are not judged again, and those that wait there are not run on the first
benches again, so that a run that was cut goes on. --first judges by the benches of all mutants in one build alone,
without proofs, simulation in four states and the NIC's long load, which takes a small part of the time. --areas draws
from these areas alone (interrupts, locks, parity, resets, counters), one after the other; the seed is then
areas-VERSION. --names judges the mutants that the lines of a record name, of any seed, which the package's text still
has; the seed is then "named".
Exit status 1 if a mutant survives that package_mutants_known.txt does not list, if one that it lists is refused, if one
stands still, or if the package itself fails.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import itertools
import pathlib
import queue
import random
import re
import shutil
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
RTL = HERE.parents[1] / "rtl"
sys.path[:0] = [str(HERE), str(RTL / "mutation")]
from broken_lines import checked  # noqa: E402
from equivalence import Unit, yosys  # noqa: E402
from mutant_schema import Schema, in_one_build  # noqa: E402
from sv_mutations import mutations, selectable, without_comments  # noqa: E402

KNOWN = HERE / "package_mutants_known.txt"
ARRAY = "rtl/common/ram_1r1w_array.sv"
SECONDS = 400  # a step that takes longer stands still; --seconds for a machine with other work
PROOF_SECONDS = 180  # time limit of a proof that a mutation changes nothing; a busy machine needs minutes
FEW = 8  # up to this number of mutants, builds for each cost less than a schema
# Folder below rtl/ -> benches that contain its modules, the cheapest first.
WHOLE = ("controller:verilator", "registers:verilator", "golden:verilator")
UNITS: dict[str, tuple[str, ...]] = {
    "rate_lut": ("rate_unit",), "timing_wheel": ("timing_wheel",), "common": ("rate_unit", "timing_wheel"),
    "pacer": ("pacer",)}
# Modules with a bench of their own.
ALONE: dict[str, tuple[str, ...]] = {"dc_answers": ("answers",), "dc_delay": ("answers",)}
NIC_ALONE: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("dc_axil_apb", "dc_cnp_mux"), ("parts",)),
    **dict.fromkeys(("dc_rate_queue", "dc_send_queues", "dc_app_regs"), ("lost_bits",))}
# Modules that only the variant with memories that correct bits uses.
CORRECTING = ("secded_code", "ram_guarded", "ram_reports")
# Modules that only the variant with recovery uses, or uses fully.
RECOVERING = ("dc_rebuild", "dc_corrected", "dc_fault")
# Modules that only the variant with hashed flow numbers uses.
SPARSE = ("dc_cuckoo_table", "dc_flow_stash", "dc_flow_cuckoo")
# Modules that the step `parts` contains, too, and alone.
PARTS = ("ram_1r1w", "ram_1r1w_array", "secded_code", "ram_guarded", "tw_time")
# Modules of the block with registered ports, which no step of the whole block contains; the slice is in the NIC, too.
REGISTERED = {"dcc_top_registered": ("registered",), "dc_axis_slice": ("parts", "registered", "nic_short")}
# Modules of clock gates, of which the other steps have no gate.
GATED = ("dc_clocks", "dc_clock_gate")
# Modules that refuse illegal parameters.
LIMITS = ("dcc_top", "dc_fifo", "dc_byte_queue", "timing_wheel", "secded_code", "dc_pacer", "dc_notifier", "dc_sent",
          "dc_parser", "dc_send_queues", "dcc_app_block")
STATIC = ("lint", "elaboration", "nic_elaboration")
VERDICTS = ("refused", "lint alone", "no change", "explained", "survives", "stands still", "waits")


def quick_steps(path):
    """The module's own benches, and those of the whole block."""
    folder, module = path.split("/")[1], pathlib.Path(path).stem
    if module in REGISTERED:
        return REGISTERED[module]
    if module in GATED:
        return ("gated", "clock_gate")
    if folder in ("nic", "packet"):
        first = ("packet", "lost_bits") if folder == "packet" else NIC_ALONE.get(module, ())
        return (*first, "nic_short")
    if folder == "pacer":
        return ("pacer:verilator", "pacer_secded", "lost_bits")
    first = ("registers",) if folder == "regs" else ALONE.get(module, UNITS.get(folder, ()))
    before = (("cuckoo", "sparse") if module in SPARSE else ("secded_registers", "secded") if module in CORRECTING else
              ("rebuild",) if module in RECOVERING else ())
    if module in PARTS:
        before = ("parts", *before)
    return tuple(dict.fromkeys((*before, *(f"{unit}:verilator" for unit in first), *WHOLE)))


def late_steps(path):
    """Variants of the block; then simulation in four states, which takes ten times as long, and what simulates
    nothing."""
    folder, module = path.split("/")[1], pathlib.Path(path).stem
    limits = ("parameters",) if module in LIMITS or module.endswith("_pkg") and folder != "regs" else ()
    if module in REGISTERED:
        nic = ("nic_block:verilator", "nic", "nic_block:icarus") if "nic_short" in REGISTERED[module] else ()
        return (*nic, "registered_ports", *STATIC)
    if module in GATED:
        return ("controller:verilator", *STATIC)
    if folder in ("nic", "packet"):
        return ("nic_block:verilator", "nic", "nic_block:icarus", *limits, "nic_elaboration", "lint")
    if folder == "pacer":
        return ("pacer:icarus", *limits, *STATIC)
    variants = ("sparse", "rebuild", "secded_registers", "secded", "latency")
    paced = ("pacer_secded", "lost_bits") if folder in ("common", "secded") else ()
    first = ALONE.get(module, UNITS.get(folder, ()))
    four_states = (*(f"{unit}:icarus" for unit in first), "registers:icarus", "registers_inside",
                   "controller:icarus")
    last = (*variants, *paced, *four_states, "ram_pins", *limits, *STATIC)
    return tuple(step for step in last if step not in quick_steps(path))


def version_of(package):
    """The package's version: the last row of its table of changes."""
    return re.findall(r"^\| (\d+\.\d+) \|", (package / "CHANGES.md").read_text(encoding="utf-8"), re.M)[-1]


def sources_of(package):
    return {path: (package / path).read_text(encoding="utf-8")
            for files in sorted(package.glob("*.f")) for path in files.read_text(encoding="utf-8").split()}


def seed_of(package):
    total = hashlib.sha256()
    for path, text in sources_of(package).items():
        total.update(f"{path}\0{' '.join(without_comments(text).split())}\0".encode())
    return f"{version_of(package)}-{total.hexdigest()[:8]}"


def drawn(package, seed, modules=(), areas=()):
    """Yields mutations without end and without repetition: one module after the other, in a new random order for each
    round; of some areas alone, one area after the other."""
    choice = random.Random(seed)
    left = {}
    for path, text in sources_of(package).items():
        for mutation in mutations(path, text):
            if (not modules or mutation.module in modules) and (not areas or mutation.area in areas):
                left.setdefault(mutation.area if areas else path, []).append(mutation)
    for found in left.values():
        choice.shuffle(found)
    while left:
        turn = sorted(left)
        choice.shuffle(turn)
        for path in turn:
            yield left[path].pop()
            if not left[path]:
                del left[path]


def named(package, record):
    """The mutations of the package whose names stand in the lines of a record."""
    text = record.read_text(encoding="utf-8")
    return [mutation for path, source in sources_of(package).items() for mutation in mutations(path, source)
            if f" | {mutation.name} | " in text or f"{mutation.name} ## " in text]


def judged(package, mutation, steps, seconds=None, schema=None):
    """Runs these steps of check.sh on the mutation: in the schema if the schema contains the mutation, else in this
    copy of the package. Returns (verdict, step), or ("invalid", step) if a tool does not compile the mutation. If one
    step exceeds its time limit, another step may still refuse the mutant."""
    source = package / mutation.path
    text = source.read_text(encoding="utf-8")
    source.write_text(mutation.applied(text), encoding="utf-8")
    still = ""
    try:
        for step in steps:
            run = (schema.run(mutation, step) if schema and schema.has(mutation, step) else
                   checked(package, step, seconds or SECONDS))
            if run is None:
                still = still or step
                continue
            if run.returncode == 0:
                continue
            if step in STATIC:
                return "lint alone", step
            if re.search(r"(vectors|promises) fail in|another answer", run.stdout):
                return "refused", step
            return "invalid", step
    finally:
        source.write_text(text, encoding="utf-8")
    return ("stands still", still) if still else ("survives", "")


def read_by_nothing(package, mutation):
    """Whether the mutation changes a constant whose name stands nowhere else in the package's RTL."""
    if mutation.operator != "parameter":
        return False
    name = re.findall(r"(\w+)\s*=", mutation.source)[0]
    return sum(len(re.findall(rf"\b{name}\b", without_comments(text))) for text in sources_of(package).values()) == 1


def depends_on_choice(unit):
    """Whether the module's logic has the mutation; if only other parameters have it, nothing is shown."""
    used = [unit.outputs, *(cell["connections"] for cell in unit.cells.values())]
    return any(bit in unit.selector for ports in used for bits in ports.values() for bit in bits)


def proved(package, mutation):
    """What shows that the mutation changes nothing, or None if no proof is found."""
    # yosys takes a width of its own for an unsized number within a choice, so a proof would not hold.
    unsized = {"'0", "'1"} & {mutation.old, mutation.new}
    if mutation.operator == "parameter" or mutation.path == ARRAY or unsized:
        return None
    with tempfile.TemporaryDirectory() as folder:
        try:
            changed = pathlib.Path(folder) / "changed.sv"
            changed.write_text(selectable((package / mutation.path).read_text(encoding="utf-8"), mutation),
                               encoding="utf-8")
            logic = " ".join(str(package / path) if path != mutation.path else str(changed)
                             for path in sources_of(package) if path != ARRAY)
            yosys(f"read_verilog -sv -lib {package / ARRAY}; read_verilog -sv {logic}; "
                  f"hierarchy -check -top {mutation.module}; proc; flatten; opt -full; write_rtlil pair.il", folder)
            unit = Unit("pair.il", str(package / ARRAY), mutation.module, folder)
            if not depends_on_choice(unit):
                return None
            verdict = unit.judge(1, PROOF_SECONDS)
        # The text has no module, or a form that yosys does not read, or yosys refuses it (run() ends the program).
        except (RuntimeError, ValueError, KeyError, SystemExit):
            return None
    return "same outputs and next state with default parameters" if verdict == "equivalent" else None


def known_mutants():
    """{name of a mutation: reason}. A reason that begins with 'survives:' states what is missing."""
    known = {}
    for number, line in enumerate(KNOWN.read_text(encoding="utf-8").splitlines(), 1):
        if line and not line.startswith("#"):
            name, separator, reason = line.partition(" ## ")
            if not separator or not reason:
                sys.exit(f"{KNOWN}:{number}: 'mutation ## reason' is wanted")
            known[name] = reason
    return known


def early_verdict(package, mutation, seconds, schema=None, variants=False):
    """Returns (verdict, reason) after the quick steps, and after the variants of the block if `variants`. "survives"
    and "stands still" are preliminary verdicts."""
    if read_by_nothing(package, mutation):
        return "no change", "a constant that nothing reads"
    steps = quick_steps(mutation.path)
    if variants and schema and schema.has(mutation, steps[0]):
        steps += tuple(step for step in late_steps(mutation.path) if in_one_build(step) and step != "nic")
    return judged(package, mutation, steps, seconds, schema)


def late_verdict(package, mutation, early, known, seconds, schema=None):
    """Returns the final (verdict, reason) of a mutation for which early_verdict() returned a preliminary verdict."""
    by = known.get(mutation.name, "survives:")
    reason = proved(package, mutation) if by.startswith("survives:") else None
    if reason:
        return "no change", reason
    verdict, by = judged(package, mutation, late_steps(mutation.path), seconds, schema)
    if verdict == "survives" and early[0] == "stands still":
        return early
    if verdict == "survives":
        by = known.get(mutation.name, "")
        return ("survives" if not by or by.startswith("survives:") else "explained"), by
    return verdict, by


def recorded(path, seed):
    """{name of a mutation: (area, verdict, reason)} of what the record has for this seed."""
    fields = [line.split(" | ") for line in path.read_text(encoding="utf-8").splitlines()
              if not line.startswith("#")] if path and path.exists() else []
    # A name consists of its module, the line of text and the change; the line may have " | " in it.
    verdicts = "|".join(VERDICTS)
    found = {}
    for one in fields:
        if one[1] != seed:
            continue
        rest = re.fullmatch(rf"(.*) \| ({verdicts}) \| (.*)", " | ".join(one[4:]))
        if rest:
            found[rest[1]] = (one[3], rest[2], rest[3])
    return found


def write_line(path, line, name, seed):
    """Appends a line to the record, in place of the line that says that the same mutant waits."""
    old = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    waiting = f" | {name} | waits | "
    kept = [one for one in old if f" | {seed} | " not in one or waiting not in one]
    path.write_text("\n".join([*kept, line]) + "\n", encoding="utf-8")


class Tally:
    """What was found: numbers by verdict, survivors by area, and what is not as it must be."""

    def __init__(self, known):
        self.known, self.wrong = known, []
        self.counts, self.areas = collections.Counter(), collections.Counter()

    def add(self, name, area, verdict):
        self.counts[verdict] += 1
        if verdict == "survives":
            self.areas[area] += 1
            if name not in self.known:
                self.wrong.append(f"survives, and is not listed: {name}")
        elif verdict == "stands still":
            self.wrong.append(f"a step gives no answer in time: {name}")
        elif verdict in VERDICTS[:2] and name in self.known:
            self.wrong.append(f"listed, but {verdict}: {name}")

    def report(self):
        print(", ".join(f"{self.counts[name]} {name}" for name in VERDICTS))
        if self.areas:
            print("survivors: " + ", ".join(f"{number} {area}" for area, number in sorted(self.areas.items())))
        print("\n".join(self.wrong), end="\n" if self.wrong else "")


def verdicts(package, batch, known, options, early):
    """Yields (mutation, verdict, reason, seconds) for a batch, in the order of judgement. A mutant that survives the
    quick steps waits, and is judged finally after all others. early: what the quick steps said of mutants that wait
    since an earlier run."""
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        copies = queue.SimpleQueue()
        for number in range(options.jobs):
            shutil.copytree(package, pathlib.Path(folder) / f"package{number}")
            copies.put(pathlib.Path(folder) / f"package{number}")
        schema = None
        if not options.singly and len(batch) > FEW:
            built = schema = Schema(package, sources_of(package), batch, pathlib.Path(folder), options.jobs)
            built.leave_out_what_is_no_choice()
            print(f"{len(built.numbers)} of {len(batch)} mutants in one build", flush=True)
            steps = [step for one in built.numbers if one.name not in early
                     for step in quick_steps(one.path) if built.has(one, step)]
            for _ in pool.map(built.ready, dict.fromkeys(steps)):
                pass
            batch = sorted(batch, key=lambda one: one not in built.numbers)

        def judge(mutation, early):
            copy, begin = copies.get(), time.monotonic()
            try:
                found = (late_verdict(copy, mutation, early, known, options.seconds, schema) if early else
                         early_verdict(copy, mutation, options.seconds, schema, options.first))
                return mutation, found, time.monotonic() - begin
            finally:
                copies.put(copy)

        waiting = {mutation: early[mutation.name] for mutation in batch if mutation.name in early}
        runs = [pool.submit(judge, mutation, None) for mutation in batch if mutation not in waiting]
        for mutation, found, seconds in (run.result() for run in concurrent.futures.as_completed(runs)):
            if found[0] in ("survives", "stands still"):
                waiting[mutation] = found
                yield mutation, "waits", found[0] + (f" {found[1]}" if found[1] else ""), seconds
            else:
                yield mutation, *found, seconds
        if options.first:
            return
        runs = [pool.submit(judge, mutation, found) for mutation, found in waiting.items()]
        for mutation, found, seconds in (run.result() for run in concurrent.futures.as_completed(runs)):
            yield mutation, *found, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("package", type=pathlib.Path)
    parser.add_argument("--amount", type=int, default=30, help="of the seed, those of the record among them")
    parser.add_argument("--seed")
    parser.add_argument("--modules", nargs="+", default=(), help="these alone")
    parser.add_argument("--areas", nargs="+", default=(), help="these alone, one after the other")
    parser.add_argument("--record", type=pathlib.Path)
    parser.add_argument("--checked", action="store_true", help="the package without a mutant is known to pass")
    parser.add_argument("--seconds", type=int, default=SECONDS, help="that a step may take that builds its bench")
    parser.add_argument("--singly", action="store_true", help="every mutant with builds of its own")
    parser.add_argument("--jobs", type=int, default=2, help="side by side")
    parser.add_argument("--names", type=pathlib.Path, help="a record, or the list of known mutants")
    parser.add_argument("--first", action="store_true", help="the benches in one build alone")
    options = parser.parse_args()
    tally = Tally(known_mutants())
    version = version_of(options.package)
    seed = options.seed or (
        "named" if options.names else f"areas-{version}" if options.areas else seed_of(options.package))
    before = recorded(options.record, seed)
    with tempfile.TemporaryDirectory() as folder:
        package = pathlib.Path(folder) / "package"
        shutil.copytree(options.package, package)
        run = None if options.checked else checked(package, " ".join(dict.fromkeys(
            step for path in sources_of(package) for step in (*quick_steps(path), *late_steps(path)))))
        if run is not None and run.returncode != 0:
            print(f"the package as it is: refused: {run.stdout + run.stderr}")
            return 1
        left = (iter(named(package, options.names)) if options.names else
                drawn(package, seed, options.modules, options.areas))
        amount = sys.maxsize if options.names else options.amount
        while batch := list(itertools.islice(left, max(amount - sum(tally.counts.values()), 0))):
            early, fresh = {}, []
            for mutation in batch:
                area, verdict, by = before.get(mutation.name, (mutation.area, "", ""))
                if verdict == "waits" and not options.first:
                    early[mutation.name] = next((one, by[len(one) + 1:]) for one in VERDICTS if by.startswith(one))
                if not verdict or mutation.name in early:
                    fresh.append(mutation)
                else:
                    tally.add(mutation.name, area, verdict)
            for mutation, verdict, by, seconds in verdicts(package, fresh, tally.known, options, early):
                if verdict == "invalid":
                    continue
                line = " | ".join((version, seed, str(mutation.line), mutation.area, mutation.name, verdict, by))
                print(f"{line} ({seconds:.0f} s)", flush=True)
                if options.record:
                    write_line(options.record, line, mutation.name, seed)
                if verdict != "waits" or options.first:
                    tally.add(mutation.name, mutation.area, verdict)
    print(f"{version}, seed {seed}: ", end="")
    tally.report()
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
