"""The platform from Python: runs, sweeps, parameters and comparisons as objects and pandas frames."""

import json
import pathlib
import shutil
import tempfile
import warnings
import weakref

import pandas

from dccvp.common.ending import InputError
from dccvp.experiments import folder as folders
from dccvp.experiments import results
from dccvp.program import RunError, call, words_of


class Run:
    """What one run left. `folder`: where; `metrics`: metrics.json as a dict (units and meanings:
    `dccvp metrics`); `name`: of the folder, of a sweep's point its number and settings."""

    def __init__(self, folder, keep=None):
        """Opens a folder that a run left. InputError when there is none. `keep` lives as long."""
        self.folder = pathlib.Path(folder)
        self.name = folders.label_of(self.folder)
        self._keep = keep
        try:
            self.metrics = json.loads((self.folder / "metrics.json").read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise InputError(f"'{self.folder}' holds no run: {error}") from None

    def __repr__(self):
        total = self.metrics["aggregate"]
        return (f"<dccvp run {self.name}: {self.metrics['sim_time_s'] * 1e3:g} ms, "
                f"{self.metrics['flow_count']} flows, {total['goodput_gbps']:.2f} Gb/s>")

    @property
    def flows(self):
        """A frame with a row a flow, as flows.csv: id, hosts, dscp, bytes, times in s (fct_s: from
        posting to the last acknowledgement), goodput in Gb/s. Not a number where there is none."""
        return self._frame(self.folder / "flows.csv")

    def series(self, name):
        """A frame of samples, a row a sample, from series/<name>.csv: `class` (t_s, dscp, goodput_gbps),
        `flow_rates` (t_s, flow, rates in Gb/s, alpha), `queue` (t_s, port, bytes). t_s is in s, the
        interval output.series.interval. InputError with the names that there are for another."""
        there = sorted(path.stem for path in (self.folder / "series").glob("*.csv"))
        if name not in there:
            raise InputError(f"no series '{name}' in this run (there are: {', '.join(there) or 'none'})")
        return self._frame(self.folder / f"series/{name}.csv")

    def report(self, file=None):
        """Writes one HTML file about the run; returns its path (default: report.html in the folder)."""
        return written_report([self], file or self.folder / "report.html")

    def params(self):
        """As dccvp.params, of the configuration this run had."""
        return params(self.folder / "config.effective.yaml")

    @staticmethod
    def _frame(path):
        try:
            return pandas.read_csv(path)
        except (OSError, ValueError) as error:  # pandas' own are ValueErrors
            raise InputError(f"{path}: {error}") from None


class Sweep:
    """What a sweep left in `folder`; it may be continued by the same call."""

    def __init__(self, folder, keep=None):
        """Opens a sweep's folder. InputError when it is none."""
        self._sweep = folders.Folder.open(folder)
        self.folder = self._sweep.path
        self._keep = keep

    @property
    def table(self):
        """A frame with a row a point: point (from 1), id, status (ok, failed, refused, missing), the
        parameters that vary, the metrics. A parameter is a number where all its values are: in s,
        bit/s, bytes or Hz; else the text as written. Metrics are not a number where a point has none;
        `attrs["units"]` has their units."""
        rows = results.rows_of(self._sweep)
        axes, metrics = self._sweep.document["axes"], list(self._sweep.document["metrics"])
        columns = {name: [row[name] for row in rows] for name in ("point", "id", "status")}
        columns.update((axis, results.typed([row[axis] for row in rows])) for axis in axes)
        columns.update((metric, [row[metric] for row in rows]) for metric in metrics)
        frame = pandas.DataFrame(columns)
        frame.attrs["units"] = dict(self._sweep.document["units"])
        return frame

    def run(self, point):
        """The Run of a point, by its number in the table. InputError when it has none."""
        if not 1 <= point <= len(self._sweep.points):
            raise InputError(f"no point {point} among {len(self._sweep.points)}")
        return Run(self._sweep.results(self._sweep.points[point - 1]), self._keep)

    def report(self, file=None):
        """Writes one HTML file about the sweep; returns its path (default: report.html in the folder)."""
        return written_report([self], file or self.folder / "report.html")


def written_report(things, file):
    status, _, said = call("report", *(thing.folder for thing in things), "-o", file)
    if status != 0:
        raise RunError(said)
    return pathlib.Path(file)


class Scratch:
    """A folder that goes with the last that needs it."""

    def __init__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="dccvp-"))
        weakref.finalize(self, shutil.rmtree, self.path, True)


def folder_for(out, name):
    """(folder, what keeps it): `out`, or one that lives as long as what keeps it."""
    if out is not None:
        return pathlib.Path(out), None
    scratch = Scratch()
    return scratch.path / name, scratch


def run(config, overrides={}, out=None):  # noqa: B006: it is not changed
    """Builds the platform of a YAML file and runs it; the progress line shows on a terminal.

    overrides: {key.path: value}, as -c: a number, a text with its unit ("400KB"), True, a list.
    out: the folder of the results, which must not be there; without it they go with the Run.
    Returns a Run. Raises InputError for what the program refuses (with file, line and column), and
    RunError when it breaks off or the run breaks a promise (`expect`); its `run` has the results.
    """
    folder, keep = folder_for(out, pathlib.Path(config).stem)
    status, _, said = call("run", config, *words_of(overrides), "--out", folder, "--no-plots")
    if status == 0:
        return Run(folder, keep)
    left = Run(folder, keep) if (folder / "metrics.json").exists() else None
    broken = "; ".join(left.metrics["failures"]) if left else ""
    error = RunError(said or broken or f"dccvp run ended with {status}")
    error.run = left
    raise error


def sweep(file, jobs=2, overrides={}, out=None):  # noqa: B006: it is not changed
    """Runs a sweep file's points, `jobs` at a time; those that `out` already has are not repeated.

    out: the sweep's folder; without it the results go with the Sweep. Returns a Sweep. Points that
    failed or were refused have their status in the table and are told as a warning. Raises InputError
    for an unusable file, before anything runs, RunError when the program breaks off.
    """
    folder, keep = folder_for(out, pathlib.Path(file).stem)
    status, _, said = call("sweep", file, "-j", jobs, *words_of(overrides), "--out", folder, "--no-plots")
    if not (folder / "table.csv").exists():
        raise RunError(said or f"dccvp sweep ended with {status}")
    if status != 0:
        warnings.warn(said, stacklevel=2)
    return Sweep(folder, keep)


def params(config=None, overrides={}):  # noqa: B006: it is not changed
    """A frame with a row a parameter, indexed by its path: value (as text, with its unit), default,
    range, type, meaning, source, origin (file:line:column, where it was set). Without a configuration:
    all defaults. InputError for one that is refused."""
    words = [] if config is None else [config]
    _, output, _ = call("params", *words, *words_of(overrides), "--format", "json")
    frame = pandas.DataFrame(json.loads(output)).set_index("path")
    return frame if "value" in frame else frame.assign(value=frame["default"])


def compare(runs):
    """A frame that sets runs side by side: a row for every parameter in which they differ (as text) and
    for every figure of metrics.json's `aggregate` (units: `dccvp metrics`), a column a run. The index
    has ("parameter" or "metric", path). InputError for fewer than one run."""
    runs = list(runs)
    if not runs:
        raise InputError("nothing to compare")
    labels = [run.name for run in runs]
    if len(set(labels)) < len(labels):
        labels = [f"{label} ({number})" for number, label in enumerate(labels, 1)]
    values = pandas.DataFrame({label: run.params()["value"] for label, run in zip(labels, runs)})
    values = values[[len(set(row)) > 1 for row in values.itertuples(index=False)]]
    figures = pandas.DataFrame({label: run.metrics["aggregate"] for label, run in zip(labels, runs)})
    return pandas.concat({"parameter": values, "metric": figures.astype(object)}, names=["kind", "path"])
