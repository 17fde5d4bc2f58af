"""The folder of an experiment (a sweep, a study or a reproduction): its plan, and the results of each point.

  plan.json         what is needed to run points and to collect them, here or on another machine
  points/<id>/      what `dccvp run` leaves; the folder appears complete, by one rename
  done/<id>.json    the marker: {"id", "status": ok | failed | refused, "message", "seal"[, "figures"]}
  lock              held by the command that writes the folder

A point is done when its marker exists. The marker is written last and by a rename, so that an interruption at any
moment leaves a point either done or to be run again. An id is a hash of everything that decides the outcome
(identity.py), so a changed plan keeps the results of unchanged points. The seal is a hash of the results: altered
or swapped results do not count as done.
"""

import argparse
import contextlib
import fcntl
import hashlib
import json
import os
import pathlib
import re
import shutil
import sys

from dccvp.common import processes
from dccvp.common.ending import InputError
from dccvp.common.progress import Progress
from dccvp.common.whole_file import write_whole

OK, FAILED, REFUSED, MISSING = "ok", "failed", "refused", "missing"
ALTERED = "altered"  # Status of a point whose results differ from those that its run left.
PLAN, OLD_PLAN = "plan.json", "sweep.json"  # Name of the plan's file, and its name in releases up to 1.0.
# The folder of an experiment contains at least one of these files.
OWN = {PLAN, OLD_PLAN, "lock", "runs.csv", "reproduction.json"}
FIELDS = {"dccvp", "folder", "name", "axes", "points", "metrics", "units", "best"}
SEALED = ("metrics.json", "flows.csv", "config.effective.yaml")
INTERRUPTED = "interrupted; finished points are kept, and the same command continues"


def parser_of(text, jobs):
    """The argument parser of an experiment command, with the options that all commands share; `text` describes the
    command."""
    parser = argparse.ArgumentParser(description=text.split("\n", 1)[0])
    parser.add_argument("-j", "--jobs", type=int, default=jobs)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--no-plots", action="store_true")
    return parser


def pictures(draw):
    """Calls `draw`, which imports matplotlib; no other part of an experiment needs matplotlib."""
    try:
        draw()
    except ImportError as error:
        print(f"Note: no pictures: {error}")


def alive(pid):
    """True if the process exists; a zombie does not count."""
    try:
        state = pathlib.Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def label_of(folder):
    """Returns the readable name of a run's folder: for a point of a sweep its number and settings, each with the
    shortest key that distinguishes the setting; for any other run the name of the folder."""
    folder = pathlib.Path(folder).resolve()
    try:
        plan = Folder.open(folder.parents[1])
    except (InputError, IndexError):
        return folder.name
    axes = plan.document["axes"]
    short = [axis.rpartition(".")[2] for axis in axes]
    names = {axis: name if short.count(name) == 1 else axis for axis, name in zip(axes, short)}
    for number, point in enumerate(plan.points, 1):
        if folder == plan.results(point):
            values = " ".join(f"{names[axis]}={text}" for axis, text in point["values"].items())
            return f"point {number}: {values}"
    return folder.name


class Folder:
    """The folder of an experiment. `document` is the content of plan.json; its points are maps of id, config,
    arguments (of -c), values ({axis: text}), changes (at `branch_at`), refused, and place (of the results)."""

    def __init__(self, path, document):
        self.path = pathlib.Path(path)
        self.document = document

    @classmethod
    def open(cls, path):
        for name in (PLAN, OLD_PLAN):
            file = pathlib.Path(path) / name
            try:
                document = json.loads(file.read_text(encoding="utf-8"))
            except (OSError, ValueError) as error:
                if name == PLAN and isinstance(error, OSError):
                    continue
                raise InputError(f"'{path}' is no sweep's folder: {error}") from None
            if not isinstance(document, dict) or not FIELDS <= set(document):
                raise InputError(f"'{path}' is no sweep's folder: {name} is not the plan of a sweep")
            return cls(path, document)

    @staticmethod
    def refuse_foreign(path):
        """Raises InputError if a path is neither absent, nor empty, nor the folder of an experiment."""
        path = pathlib.Path(path)
        there = {file.name for file in path.iterdir()} if path.is_dir() else set()
        if path.exists() and not path.is_dir() or there and not there & OWN:
            raise InputError(f"'{path}' holds something else than an experiment's results")

    @contextlib.contextmanager
    def locked(self, shared=False):
        """Holds the folder's lock: exclusively, or beside other holders that share it. InputError if another command
        holds the lock, or if the folder holds something else than an experiment's results."""
        self.refuse_foreign(self.path)
        self.path.mkdir(parents=True, exist_ok=True)
        with open(self.path / "lock", "a+", encoding="utf-8") as lock:
            try:
                fcntl.flock(lock, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
            except BlockingIOError:
                lock.seek(0)
                raise InputError(f"'{self.path}' is in use by another dccvp (process {lock.read().strip() or '?'}): "
                                 "wait for its end, or name another folder with --out") from None
            if not shared:
                lock.truncate(0)
                lock.write(f"{os.getpid()}\n")
                lock.flush()
            yield self

    def save(self):
        write_whole(self.path / PLAN, json.dumps(self.document, indent=1) + "\n")
        (self.path / OLD_PLAN).unlink(missing_ok=True)
        for point in self.points:
            if point["refused"] and self.status(point) is None:
                self.mark(point, REFUSED, point["refused"])

    @property
    def points(self):
        return self.document["points"]

    def results(self, point):
        return self.path / (point.get("place") or f"points/{point['id']}")

    def marker(self, point):
        return self.path / "done" / f"{point['id']}.json"

    def seal(self, point, status, message, figures):
        """Returns the hash over a point's marker and results; None if results are missing."""
        digest = hashlib.sha256(json.dumps([point["id"], status, message, figures]).encode())
        for name in SEALED if status == OK and figures is None else ():
            try:
                content = (self.results(point) / name).read_bytes()
            except OSError:
                if name == SEALED[0]:
                    return None
                content = b""
            digest.update(hashlib.sha256(content).digest())
        return digest.hexdigest()

    def status(self, point):
        """Returns the marker of a point, {"status", "message", …}; None for a point that is not done, which
        includes a point whose marker or results were cut short or removed. Status ALTERED: the results differ from
        those of the run."""
        try:
            found = json.loads(self.marker(point).read_text(encoding="utf-8"))
            status, message, figures = found["status"], found["message"], found.get("figures")
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return None
        if "seal" not in found:  # A marker without a seal comes from an earlier release.
            return found if status != OK or (self.results(point) / SEALED[0]).exists() else None
        seal = self.seal(point, status, message, figures)
        if seal == found["seal"]:
            return found
        return None if seal is None else {
            "status": ALTERED, "message": f"'{self.results(point)}' and '{self.marker(point)}' do not belong together: "
                                          "one was changed after the run"}

    def mark(self, point, status, message, figures=None):
        marker = {"id": point["id"], "status": status, "message": message,
                  "seal": self.seal(point, status, message, figures)}
        if figures is not None:
            marker["figures"] = figures
        write_whole(self.marker(point), json.dumps(marker) + "\n")

    def command(self, point):
        out = [self.document["dccvp"], "run", point.get("config") or self.document["platform"]]
        for argument in point["arguments"]:
            out += ["-c", argument]
        return out + ["--out", str(self.results(point).resolve()), "--force", "--quiet", "--no-plots"]

    def branches(self, points):
        """Returns lists of points that have equal settings up to `branch_at`; no list without `branch_at`."""
        if self.document.get("branch_at") is None:
            return []
        groups = {}
        for point in points:
            if point["changes"]:
                groups.setdefault(tuple(point["arguments"][:-1]), []).append(point)
        return [group for group in groups.values() if len(group) > 1]

    def run_branches(self, points, jobs):
        """Simulates the common part of several points once, in a process that then forks into one process per
        point. Yields (point, return code, output) of each point, like ends()."""
        place = {str(self.results(point).resolve()): point for point in points}
        file = self.path / f"branches.{os.getpid()}.yaml"
        write_whole(file, "".join(f"- {{out: {json.dumps(out)}, set: {{{point['changes']}}}}}\n"
                                  for out, point in place.items()))
        command = [self.document["dccvp"], "branch", self.document["platform"], str(file.resolve()),
                   "--at", self.document["branch_at"], "-j", str(jobs), "--force", "--format", "json"]
        for argument in points[0]["arguments"][:-1]:
            command += ["-c", argument]
        for line in processes.lines_of(command, self.document["folder"]):
            try:
                told = json.loads(line)
                point = place.pop(told["out"])
            except (ValueError, KeyError, TypeError):
                continue  # The branch process broke off; its remaining points are reported after the loop.
            code = told["status"]
            yield point, -(code - 128) if code > 128 else code, told["said"].strip()
        file.unlink(missing_ok=True)
        for point in place.values():
            yield point, -9, ""

    def sweep_away(self):
        """Removes the hidden folders that interrupted processes have left."""
        for path in self.path.glob("*/.*.tmp-*"):
            pid = re.search(r"\.tmp-(\d+)", path.name)
            if pid and not alive(pid[1]):
                shutil.rmtree(path, ignore_errors=True)

    def ends(self, points, jobs):
        """Runs points; yields (point, return code, output) as each ends."""
        branching = set()
        for group in self.branches(points):
            branching.update(point["id"] for point in group)
            yield from self.run_branches(group, jobs)
        alone = [point for point in points if point["id"] not in branching]
        share = processes.share_of_each(len(alone), jobs)
        commands = [self.command(point) + share for point in alone]
        for index, code, said in processes.run_all(commands, jobs, cwd=self.document["folder"]):
            yield alone[index], code, said

    def run(self, points, jobs, measure=None):
        """Runs points; yields (point, status, message) as each ends. Status None: a signal ended the run, and the
        point is not done. `measure(point, folder)` returns the figures to keep instead of the point's folder."""
        (self.path / "points").mkdir(parents=True, exist_ok=True)
        self.sweep_away()
        for point, code, said in self.ends(points, jobs):
            message = said.replace("dccvp: ", "").replace("\n", "; ")
            if code < 0:
                yield point, None, f"ended by signal {-code}"
                continue
            status = {0: OK, 2: REFUSED}.get(code, FAILED)
            figures = None
            if measure and status == OK:
                figures = measure(point, self.results(point))
                shutil.rmtree(self.results(point))
            self.mark(point, status, message, figures)
            yield point, status, message

    def due(self, retry=False, again=False):
        """Returns the points to run, each once: points that are not done; with `retry` also failed points; with
        `again` all points. Altered results are reported on standard error."""
        due = {}  # Two settings can describe the same run, which then runs once.
        for number, point in enumerate(self.points, 1):
            status = (self.status(point) or {}).get("status")
            if status == ALTERED:
                print(f"point {number}: its results were changed after the run; it is run again", file=sys.stderr)
            again_now = status == FAILED or status == REFUSED and not point["refused"]
            if again or status in (None, ALTERED) or retry and again_now:
                due.setdefault(point["id"], point)
        return list(due.values())

    def complete(self, jobs, things, retry=False, again=False, measure=None, stop=False):
        """Runs the points that are due, with a progress line; returns {id: message} of the points that a signal
        ended. `stop`: start no further point after a point whose status is not ok."""
        due, failed, ended_by_signal = self.due(retry, again), 0, {}
        with Progress(sys.stderr, len(due), things) as progress:
            for done, (point, status, message) in enumerate(self.run(due, jobs, measure), 1):
                failed += status != OK
                if status is None:
                    ended_by_signal[point["id"]] = message
                progress.show(done, f", {failed} failed" if failed else "")
                if stop and failed:
                    break
        return ended_by_signal
