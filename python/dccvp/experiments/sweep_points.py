"""The folder of a sweep: its plan as JSON, a folder and a marker a point.

  sweep.json        all that is needed to run points and collect them, here or on another machine
  points/<id>/      what `dccvp run` leaves; it appears complete, by one rename
  done/<id>.json    the marker: {"status": ok | failed | refused, "message": …}

A point is done when its marker is there. The marker comes after the folder and by a rename, so that
an end at any moment leaves a point either done or to be run again. An id is made of all that decides
the outcome: program, platform and settings; a changed sweep keeps the points it still has.
"""

import hashlib
import json
import os
import pathlib
import re
import shutil

from dccvp.common import processes
from dccvp.common.ending import InputError
from dccvp.common.whole_file import write_whole

OK, FAILED, REFUSED = "ok", "failed", "refused"
DOCUMENT = {"dccvp", "platform", "folder", "name", "axes", "points", "metrics", "units", "best",
            "heatmaps", "pareto"}


def document_of(plan, program, extra, units):
    """The plan as what sweep.json holds."""
    program = pathlib.Path(program).resolve()
    code = hashlib.sha256(program.read_bytes()).hexdigest()
    platform = hashlib.sha256(plan.platform.read_bytes()).hexdigest()
    points = []
    for settings in plan.points:
        arguments = plan.arguments(settings, extra)
        name = hashlib.sha256(json.dumps([code, platform, arguments]).encode()).hexdigest()[:12]
        points.append({"id": name, "arguments": arguments,
                       "values": {s.key: s.text for s in settings}, "refused": None,
                       "changes": plan.changes(settings)})
    return {"dccvp": str(program), "platform": str(plan.platform.resolve()),
            "folder": str(plan.path.resolve().parent), "name": plan.path.name, "axes": plan.axes,
            "branch_at": plan.branch_at, "points": points,
            "metrics": {n: m.text for n, m in plan.metrics.items()}, "units": units,
            "best": plan.best, "heatmaps": plan.heatmaps, "pareto": plan.pareto}


def label_of(folder):
    """What a run's folder is called for people: a sweep's point by number and settings, whose keys are
    as long as it takes to tell them apart; any other by its own name."""
    folder = pathlib.Path(folder).resolve()
    try:
        document = Folder.open(folder.parents[1]).document
    except (InputError, IndexError):
        return folder.name
    short = [axis.rpartition(".")[2] for axis in document["axes"]]
    names = {axis: name if short.count(name) == 1 else axis
             for axis, name in zip(document["axes"], short)}
    for number, point in enumerate(document["points"], 1):
        if folder == Folder(folder.parents[1], document).results(point):
            values = " ".join(f"{names[axis]}={text}" for axis, text in point["values"].items())
            return f"point {number}: {values}"
    return folder.name


def runs(pid):
    """Whether there is such a process; one that has ended and is not yet collected is none."""
    try:
        state = pathlib.Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


class Folder:
    """A sweep's folder. `document` is what sweep.json holds."""

    def __init__(self, path, document):
        self.path = pathlib.Path(path)
        self.document = document

    @staticmethod
    def refuse_foreign(path):
        """Only an empty folder, or an earlier sweep's, is written to."""
        path = pathlib.Path(path)
        if path.exists() and (not path.is_dir() or any(path.iterdir())) \
                and not (path / "sweep.json").exists():
            raise InputError(f"'{path}' holds something else than a sweep's results")

    @classmethod
    def open(cls, path):
        try:
            document = json.loads((pathlib.Path(path) / "sweep.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise InputError(f"'{path}' is no sweep's folder: {error}") from None
        if not isinstance(document, dict) or not DOCUMENT <= set(document):
            raise InputError(f"'{path}' is no sweep's folder: sweep.json is not a sweep's")
        return cls(path, document)

    def save(self):
        write_whole(self.path / "sweep.json", json.dumps(self.document, indent=1) + "\n")
        for point in self.points:
            if point["refused"] and self.status(point) is None:
                self.mark(point, REFUSED, point["refused"])

    @property
    def points(self):
        return self.document["points"]

    def results(self, point):
        return self.path / "points" / point["id"]

    def marker(self, point):
        return self.path / "done" / f"{point['id']}.json"

    def status(self, point):
        """{"status", "message"}, or None when it is not done. What somebody has cut short or taken
        away since is not done either."""
        try:
            status = json.loads(self.marker(point).read_text(encoding="utf-8"))
            done = status["status"] != OK or (self.results(point) / "metrics.json").exists()
            return status if done else None
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return None

    def mark(self, point, status, message):
        write_whole(self.marker(point), json.dumps({"status": status, "message": message}) + "\n")

    def command(self, point):
        out = [self.document["dccvp"], "run", self.document["platform"]]
        for argument in point["arguments"]:
            out += ["-c", argument]
        return out + ["--out", str(self.results(point).resolve()), "--force", "--quiet", "--no-plots"]

    def branches(self, points):
        """Points that have all in common up to `branch_at`, list by list; none without it."""
        if self.document.get("branch_at") is None:
            return []
        groups = {}
        for point in points:
            if point["changes"]:
                groups.setdefault(tuple(point["arguments"][:-1]), []).append(point)
        return [group for group in groups.values() if len(group) > 1]

    def run_branches(self, points, jobs):
        """One process runs what the points have in common and becomes each of them."""
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
                continue  # no branch's end; whatever it is, the points it leaves are told below
            code = told["status"]
            yield point, -(code - 128) if code > 128 else code, told["said"].strip()
        file.unlink(missing_ok=True)
        for point in place.values():
            yield point, -9, ""

    def sweep_away(self):
        """What a killed run left half done: hidden folders of processes that are no more."""
        for path in (self.path / "points").glob(".*.tmp-*"):
            pid = re.search(r"\.tmp-(\d+)", path.name)
            if pid and not runs(pid[1]):
                shutil.rmtree(path, ignore_errors=True)

    def ends(self, points, jobs):
        """Runs points; yields (point, return code, what it said)."""
        branching = set()
        for group in self.branches(points):
            branching.update(point["id"] for point in group)
            yield from self.run_branches(group, jobs)
        alone = [point for point in points if point["id"] not in branching]
        share = processes.share_of_each(len(alone), jobs)
        commands = [self.command(point) + share for point in alone]
        for index, code, said in processes.run_all(commands, jobs, cwd=self.document["folder"]):
            yield alone[index], code, said

    def run(self, points, jobs):
        """Runs points; yields (point, status, message) as each ends. One that a signal ended is not
        done: status None."""
        (self.path / "points").mkdir(parents=True, exist_ok=True)
        self.sweep_away()
        for point, code, said in self.ends(points, jobs):
            message = said.replace("dccvp: ", "").replace("\n", "; ")
            if code < 0:
                yield point, None, f"ended by signal {-code}"
                continue
            status = {0: OK, 2: REFUSED}.get(code, FAILED)
            self.mark(point, status, message)
            yield point, status, message
