"""Many mutants of the hand-off package in one build of a bench: a number in a file selects one for each run.

A copy of the package gets the RTL in which every mutation is a choice (sv_mutations.with_choices), and a package
dcc_mutant_pkg in front of all sources, which reads the number from reports/mutant before the simulation begins. There
check.sh builds a bench once, and only runs what is built. With the number 0 the RTL is what it was and must pass
each step before a mutant is judged in it; six times as long as that takes is the limit of a mutant's run.

Not in it, and to be judged with a build of their own: constants that are computed before the simulation begins, unsized
constants whose width the context gives, and what Verilator refuses as a choice (a function that computes such a
constant has it) or warns of, because the choice has another width than one of its sides.
"""
from __future__ import annotations

import os
import pathlib
import queue
import re
import shutil
import subprocess
import threading
import time

from broken_lines import checked
from sv_mutations import Mutation, clusters, extent, with_choices

SELECTOR = """package dcc_mutant_pkg;
  function automatic int selected();
    int file, number;
    file = $fopen("reports/mutant", "r");
    if (file == 0) $fatal(1, "reports/mutant is missing");
    if ($fscanf(file, "%d", number) != 1) $fatal(1, "reports/mutant has no number");
    $fclose(file);
    return number;
  endfunction
  int chosen = selected();
endpackage
"""
SELECTOR_PATH = "rtl/common/dcc_mutant_pkg.sv"
# What Verilator elaborates to find what is no choice (top and parameters, list of files): all modules, in all variants.
TOPS = (("dcc_app_block", "nic.f"), ("dcc_app_block -GSecded=1", "nic.f"),
        ("dcc_top -GSparseFlows=1 -GFlowW=24", "files.f"), ("dcc_top -GSecded=1 -GRebuild=1", "files.f"))
SLOWER, LEAST_SECONDS = 6, 30


def in_one_build(step: str) -> bool:
    """Whether this step of check.sh simulates the RTL in Verilator."""
    return step.endswith(":verilator") or step in ("nic", "sparse", "secded", "secded_registers", "rebuild", "latency",
                                                   "pacer_secded")


class Schema:
    """The package with these mutations as choices. run() may be called from as many threads as there are seats."""

    def __init__(self, package: pathlib.Path, texts: dict[str, str], mutations: list[Mutation], folder: pathlib.Path,
                 seats: int) -> None:
        self.texts, self.package, self.work = texts, folder / "schema", folder / "work"
        self.numbers: dict[Mutation, int] = {}
        for number, mutation in enumerate(mutations, 1):
            try:
                extent(texts[mutation.path], mutation)
            except ValueError:
                continue
            self.numbers[mutation] = number
        shutil.copytree(package, self.package)
        self.work.mkdir()
        for files in self.package.glob("*.f"):
            files.write_text(f"{SELECTOR_PATH}\n{files.read_text(encoding='utf-8')}", encoding="utf-8")
        (self.package / SELECTOR_PATH).write_text(SELECTOR, encoding="utf-8")
        self._write()
        self.seats: queue.SimpleQueue[tuple[pathlib.Path, pathlib.Path]] = queue.SimpleQueue()
        self.works: list[pathlib.Path] = []
        for number in range(seats):
            self._add_seat(folder / f"seat{number}")
        self.lock = threading.Lock()
        self.building: dict[str, threading.Lock] = {}
        self.limits: dict[str, float] = {}

    def _add_seat(self, seat: pathlib.Path) -> None:
        """A place with the package's files, reports and a working folder of its own."""
        (seat / "reports").mkdir(parents=True)
        for path in self.package.iterdir():
            if path.name != "reports":
                (seat / path.name).symlink_to(path)
        work = seat / "work"
        work.mkdir()
        self.works.append(work)
        self.seats.put((seat, work))

    def _of(self, path: str) -> dict[int, Mutation]:
        return {number: mutation for mutation, number in self.numbers.items() if mutation.path == path}

    def _write(self) -> None:
        for path, text in self.texts.items():
            changed = with_choices(text, self._of(path))
            missing = [number for number in self._of(path) if len(re.findall(rf"chosen == {number}\b", changed)) != 1]
            if missing:
                raise RuntimeError(f"{path}: mutations {missing} are not in the text")
            (self.package / path).write_text(changed, encoding="utf-8")

    def leave_out_what_is_no_choice(self) -> None:
        """Elaborates the RTL, and leaves out what stands where Verilator refuses it or warns of widths."""
        for top, files in TOPS:
            while True:
                run = subprocess.run(
                    f"verilator --lint-only -Wno-fatal -Wno-lint -Wno-style -Wwarn-WIDTH --top-module {top} "
                    f"lint/*.vlt -f {files}", shell=True, cwd=self.package, capture_output=True, text=True, check=False)
                said = run.stderr if run.returncode else "".join(
                    line for line in run.stderr.splitlines() if line.startswith("%Warning-WIDTH"))
                places = {(path, int(line)) for path, line in re.findall(r"(rtl/[\w/]+\.sv):(\d+):", said)}
                refused = [mutation for path, line in places for mutation in self.at(path, line)]
                if not refused and run.returncode:
                    raise RuntimeError(f"Verilator does not elaborate {top}: {run.stderr}")
                for mutation in refused:
                    self.numbers.pop(mutation, None)
                if not refused:
                    break
                self._write()

    def at(self, path: str, line: int) -> list[Mutation]:
        """The mutations of which the choice stands in this line."""
        if path not in self.texts:
            return []
        text, numbered = self.texts[path], self._of(path)
        return [numbered[number] for start, end, _, numbers in clusters(text, numbered) for number in numbers
                if text.count("\n", 0, start) < line <= text.count("\n", 0, end) + 1]

    def has(self, mutation: Mutation, step: str) -> bool:
        return mutation in self.numbers and in_one_build(step)

    def _in_seat(self, step: str, number: int, seconds: float | None,
                 shared: bool = False) -> subprocess.CompletedProcess[str] | None:
        seat, work = self.seats.get()
        try:
            (seat / "reports" / "mutant").write_text(f"{number}\n", encoding="utf-8")
            return checked(seat, step, seconds, self.work if shared else work)
        finally:
            self.seats.put((seat, work))

    def ready(self, step: str) -> None:
        """Builds the step's bench if that was not done; the RTL as it was must pass."""
        with self.lock:
            building = self.building.setdefault(step, threading.Lock())
        with building:
            if step in self.limits:
                return
            run = self._in_seat(step, 0, None, shared=True)
            if run is not None and run.returncode == 0:
                with self.lock:
                    for work in self.works:
                        for built in self.work.iterdir():
                            if built.is_dir() and not os.path.lexists(work / built.name):
                                (work / built.name).symlink_to(built)
                begin = time.monotonic()
                run = self._in_seat(step, 0, None)
                self.limits[step] = max(SLOWER * (time.monotonic() - begin), LEAST_SECONDS)
            if run is None or run.returncode != 0:
                raise RuntimeError(f"{step}: no mutant is chosen, and it fails: {run and run.stdout + run.stderr}")

    def run(self, mutation: Mutation, step: str) -> subprocess.CompletedProcess[str] | None:
        """What check.sh says of the mutation in this step, as checked() returns it."""
        self.ready(step)
        return self._in_seat(step, self.numbers[mutation], self.limits[step])
