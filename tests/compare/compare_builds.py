#!/usr/bin/python3 -B
"""Runs every shipped configuration with two builds and compares what they leave.

  compare_builds.py run OLD NEW [--only NAME]… [--names OLD NEW] [--patched CHANGE=PROGRAM]…
  compare_builds.py page [--check]        writes, or checks, docs/comparison.md from the results

OLD and NEW are built programs. flows.csv must be the same to the byte, metrics.json say the same
wherever OLD's says something. What moved on purpose stands in comparison.yml: for each change when it
can act, and how it is taken out: by overrides of both, by telling NEW what it was before, or by a patch
of OLD that has it too (given by --patched).
A difference is explained only if its changes can act and the pair is the same without them.
Results are kept in results.json; a pair that stands there is not run again but for --only.
Exit status: 0 same or explained, 1 a pair is neither, 2 unusable input.
"""

import argparse
import hashlib
import json
import pathlib
import sys
import tempfile

import comparison
from comparison import ROOT, Explanations

from dccvp.common import processes, yaml_nodes
from dccvp.common.ending import InputError, ended
from dccvp.common.whole_file import write_whole

HERE = pathlib.Path(__file__).resolve().parent
PAGE = ROOT / "docs/comparison.md"
SAME, EXPLAINED, DIFFERS = "same", "explained", "differs"


def arguments_of(argv):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run")
    run.add_argument("old", type=pathlib.Path)
    run.add_argument("new", type=pathlib.Path)
    run.add_argument("--only", action="append", default=[], metavar="NAME")
    run.add_argument("--names", nargs=2, default=["old", "new"], metavar=("OLD", "NEW"))
    run.add_argument("--patched", action="append", default=[], metavar="CHANGE=PROGRAM")
    run.add_argument("--configs", type=pathlib.Path, default=ROOT / "configs", help="of OLD's tree")
    run.add_argument("--jobs", type=int, default=1)
    page = commands.add_parser("page")
    page.add_argument("--check", action="store_true")
    page.add_argument("--page", type=pathlib.Path, default=PAGE)
    for command in (run, page):
        command.add_argument("--changes", type=pathlib.Path, default=HERE / "comparison.yml")
        command.add_argument("--results", type=pathlib.Path, default=HERE / "results.json")
    return parser.parse_args(argv)


def shipped(folder):
    """Names of the configurations below a folder; sweeps and what only others include are none."""
    names = sorted(str(file.relative_to(folder))[:-len(".yaml")] for file in folder.rglob("*.yaml")
                   if file.relative_to(folder).parts[0] != "sweeps")
    if not names:
        raise InputError(f"{folder}: no configurations")
    return names


class Pair:
    """One configuration, run by two programs."""

    def __init__(self, name, configs, configuration, scratch, jobs):
        self.name = name
        self.file = configs / f"{name}.yaml"
        self.configuration = configuration
        self.scratch = scratch
        self.jobs = jobs
        self.turn = 0

    def run(self, programs, overrides):
        """Folders of what the programs leave, each with its overrides; what one says that fails instead."""
        self.turn += 1
        folders = [self.scratch / f"{self.turn}-{i}" for i in range(len(programs))]
        commands = [[str(program), "run", str(self.file), "--out", str(folder), "--no-plots", "--quiet",
                     "--threads", "1", *(word for override in (*self.configuration.overrides, *own)
                                         for word in ("-c", override))]
                    for program, folder, own in zip(programs, folders, overrides)]
        failed = [f"{programs[index]} exits {code}: {said[-300:]}"
                  for index, code, said in processes.run_all(commands, self.jobs) if code != 0]
        return folders, failed

    def differences(self, programs, overrides, explanations):
        folders, failed = self.run(programs, overrides)
        return failed or comparison.differences(folders[0], folders[1], explanations), folders


def judge(pair, old, new, patched, explanations):
    """The entry of a pair in the results."""
    changes = pair.configuration.changes
    lines, folders = pair.differences([old, new], ([], []), explanations)
    entry = {"set": pair.configuration.overrides, "changes": changes, "differences": lines, "why_not": []}
    if not lines:
        entry["verdict"] = SAME
        if changes:
            entry["verdict"] = DIFFERS
            entry["why_not"] = [f"is said to move by {', '.join(changes)} and does not"]
        return entry
    entry["verdict"] = DIFFERS
    if not changes or not (folders[1] / "config.effective.yaml").is_file():
        entry["why_not"] = ["nothing explains it"]
        return entry
    effective = yaml_nodes.plain(yaml_nodes.load(folders[1] / "config.effective.yaml", "a configuration"))
    entry["why_not"] = [why for name in changes if (why := explanations.changes[name].acts_in(effective))]
    wanted = explanations.patches(changes)
    if len(wanted) > 1:
        raise InputError(f"{pair.name}: {' and '.join(wanted)} are both taken out by a patch")
    if wanted and wanted[0] not in patched:
        raise InputError(f"{pair.name}: {wanted[0]} needs --patched {wanted[0]}=PROGRAM: OLD with "
                         f"{explanations.changes[wanted[0]].patch}")
    before = patched[wanted[0]] if wanted else old
    left, _ = pair.differences([before, new], explanations.without(pair.configuration), explanations)
    entry["why_not"] += [f"without them still: {line}" for line in left]
    if not entry["why_not"]:
        entry["verdict"] = EXPLAINED
    return entry


def digest(program):
    return hashlib.sha256(program.read_bytes()).hexdigest()


def kept(path, programs):
    """Results of the same programs from an earlier time."""
    if not path.is_file():
        return {}
    try:
        results = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"'{path}': {error}") from None
    return results["pairs"] if results["programs"] == programs else {}


def is_kept(entry, configuration):
    """Still valid, and nothing that should be looked at again?"""
    return (entry is not None and entry["verdict"] != DIFFERS
            and entry["set"] == configuration.overrides and entry["changes"] == configuration.changes)


def compare(options):
    explanations = Explanations(options.changes)
    there = shipped(options.configs)
    for name in [*options.only, *explanations.configurations]:
        if name not in there:
            raise InputError(f"no configuration '{name}' in {options.configs}" + yaml_nodes.hint(name, there))
    patched = {}
    for word in options.patched:
        name, _, program = word.partition("=")
        if name not in explanations.changes:
            raise InputError(f"--patched {word}: no change '{name}'"
                             + yaml_nodes.hint(name, explanations.changes))
        patched[name] = pathlib.Path(program)
    programs = [{"name": name, "sha256": digest(program)}
                for name, program in zip(options.names, (options.old, options.new))]
    pairs = kept(options.results, programs)
    for name in options.only or there:
        configuration = explanations.configurations.get(name, comparison.Configuration())
        if not options.only and is_kept(pairs.get(name), configuration):
            continue
        with tempfile.TemporaryDirectory(prefix="dccvp-compare-") as scratch:
            pair = Pair(name, options.configs, configuration, pathlib.Path(scratch), options.jobs)
            entry = judge(pair, options.old, options.new, patched, explanations)
        pairs[name] = entry
        print(f"{name}: {entry['verdict']}"
              + "".join(f"\n  {line}" for line in entry["differences"] * (entry["verdict"] == DIFFERS)
                        + entry["why_not"]), flush=True)
        write_whole(options.results,
                    json.dumps({"programs": programs, "pairs": dict(sorted(pairs.items()))}, indent=1) + "\n")
    verdicts = [pairs[name]["verdict"] for name in options.only or there]
    print(f"{len(verdicts)} pairs: " + ", ".join(f"{verdicts.count(v)} {v}"
                                                 for v in (SAME, EXPLAINED, DIFFERS)))
    return 1 if DIFFERS in verdicts else 0


def page_of(results, explanations):
    before, after = (program["name"] for program in results["programs"])
    verdicts = [entry["verdict"] for entry in results["pairs"].values()]
    lines = [
        "# Every configuration, before and after", "",
        f"What the configurations that {before} shipped leave with {before} and with {after}, one seed each.",
        "Made by `tests/compare/compare_builds.py`, which runs both and compares: `flows.csv` to the byte, and",
        f"`metrics.json` wherever that of {before} says something. Long ones are shortened as told. A difference",
        "counts as explained only if the changes named beside it can act in that configuration, and both",
        "builds leave the same without them.", "",
        f"{len(verdicts)} pairs: {verdicts.count(SAME)} the same, {verdicts.count(EXPLAINED)} explained, "
        f"{verdicts.count(DIFFERS)} not.", ""]
    if explanations.everywhere:
        lines += [f"Everywhere: {explanations.everywhere}", ""]
    lines += ["| change | why | taken out by |", "|---|---|---|"]
    for change in explanations.changes.values():
        taken_out = [f"`{override}`" for override in change.without]
        taken_out += [f"`{override}` told to {after}" for override in change.told]
        taken_out += [f"the same in {before}: `{change.patch}`"] if change.patch else []
        lines.append(f"| {change.name} | {change.reason} | {', '.join(taken_out)} |")
    lines += ["", "| configuration | with | result | by |", "|---|---|---|---|"]
    for name, entry in results["pairs"].items():
        overrides = ", ".join(f"`{override}`" for override in entry["set"])
        lines.append(f"| {name} | {overrides} | {entry['verdict']} | "
                     f"{', '.join(entry['changes'] or entry['why_not'])} |")
    return "\n".join(lines) + "\n"


def write_page(options):
    try:
        results = json.loads(options.results.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"'{options.results}': {error}") from None
    text = page_of(results, Explanations(options.changes))
    if not options.check:
        write_whole(options.page, text)
    elif not options.page.is_file() or options.page.read_text(encoding="utf-8") != text:
        print(f"{options.page} is not what {options.results} says: run {sys.argv[0]} page", file=sys.stderr)
        return 1
    return 1 if any(entry["verdict"] == DIFFERS for entry in results["pairs"].values()) else 0


def main(argv):
    options = arguments_of(argv)
    return compare(options) if options.command == "run" else write_page(options)


if __name__ == "__main__":
    sys.exit(ended(lambda: main(sys.argv[1:])))
