"""Builds a bench of the hand-off package once for many mutants. A number in a file selects one mutant for each run.

The schema is a copy of the package in which the RTL holds every mutation as a choice (sv_mutations.with_choices). A
SystemVerilog package dcc_mutant_pkg, first of all sources, reads the number from reports/mutant before the simulation
begins. check.sh builds each bench once and then only runs the built program. Number 0 selects the unchanged RTL, which
must pass a step before the step judges a mutant. A mutant's run may take six times as long as the run of number 0.

Three sorts of mutations cannot be chosen at run time and need a build of their own: constants that are computed at
elaboration, unsized constants whose width depends on their context, and mutations for which Verilator refuses the
choice or warns that its two sides differ in width.
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
# Elaborations that find mutations without a possible choice: top with parameters, list of files. Together they contain
# all modules in all variants.
TOPS = (("dcc_app_block", "nic.f"), ("dcc_app_block -GSecded=1", "nic.f"),
        ("dcc_top_registered", "files.f"), ("dcc_top -GSparseFlows=1 -GFlowW=24", "files.f"),
        ("dcc_top -GSecded=1 -GRebuild=1", "files.f"))
SLOWER, LEAST_SECONDS = 6, 30


def in_one_build(step: str) -> bool:
    """Returns True if this step of check.sh simulates the RTL with Verilator."""
    return step.endswith(":verilator") or step in (
        "nic", "nic_short", "sparse", "secded", "secded_registers", "rebuild", "latency", "pacer_secded", "parts",
        "packet", "cuckoo", "lost_bits", "registered")


class Schema:
    """A copy of the package with mutations as choices. At most as many threads as there are seats may call run()."""

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
        """Adds a seat: a folder with links to the package's files, and with reports and builds of its own."""
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
        """Elaborates the RTL, and removes mutations at places that Verilator refuses or whose widths it warns of."""
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
        """Returns the mutations whose choice stands in this line."""
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
        """Builds the step's bench at the first call. RuntimeError if the unchanged RTL does not pass the step."""
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
        """Runs the step of check.sh on the mutation; returns what checked() returns."""
        self.ready(step)
        return self._in_seat(step, self.numbers[mutation], self.limits[step])
