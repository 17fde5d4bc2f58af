"""The platform from Python: runs, sweeps, parameters and comparisons as objects and pandas frames."""

import json
import pathlib
import shutil
import tempfile
import warnings
import weakref

import yaml

from dccvp.common.ending import InputError
from dccvp.experiments import figures
from dccvp.experiments import folder as folders
from dccvp.experiments import results
from dccvp.program import RunError, call, words_of

# Parameters that decide whether a run writes a series.
SERIES = {"class": "output.series.classes", "flow_rates": "output.series.flows", "queue": "output.series.queues"}


def frames():
    """Returns the module pandas; raises an ImportError that names the package to install if pandas is missing."""
    try:
        import pandas  # pandas is imported on first use, because the import takes half a second.
    except ModuleNotFoundError as error:
        raise ImportError("frames need pandas, which this Python does not have: install python3-pandas (Debian) or "
                          f"`pip install pandas` ({error})") from None
    return pandas


class Run:
    """The results of a run. `folder`: their path; `metrics`: metrics.json as a dict (units and meanings:
    `dccvp metrics`); `name`: the folder's name, or the number and settings of a sweep's point."""

    def __init__(self, folder, keep=None):
        """Opens the folder of a run; InputError if the folder holds no run. `keep` is an object that must live as long
        as the Run."""
        self.folder = pathlib.Path(folder)
        self.name = folders.label_of(self.folder)
        self._keep = keep
        try:
            self.metrics = json.loads((self.folder / "metrics.json").read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise InputError(f"'{self.folder}' holds no run: {error}") from None
        figures.check_schema(self.metrics, self.folder / "metrics.json")

    def __repr__(self):
        total = self.metrics["aggregate"]
        return (f"<dccvp run {self.name}: {self.metrics['sim_time_s'] * 1e3:g} ms, "
                f"{self.metrics['flow_count']} flows, {total['goodput_gbps']:.2f} Gb/s>")

    @property
    def diagnoses(self):
        """Diagnoses of the run: a list of {"id", "text", "figures"}, empty if all is well. docs/diagnoses.md has
        a line for each id; figures is a dict of the text's numbers and names."""
        return self.metrics.get("diagnoses", [])

    @property
    def flows(self):
        """A frame with a row for each flow, as flows.csv: id, hosts, dscp, bytes, times in s (fct_s: from posting to
        the last acknowledgement), goodput in Gb/s. NaN where a flow has no such figure. InputError if the run kept no
        list of its flows (output.flows); `fct` and `metrics` have its figures then."""
        figures.need_flows(self.metrics, self.folder, "Run.flows")
        return self._frame(self.folder / "flows.csv")

    @property
    def fct(self):
        """A frame with a row for each group of flows that begin within `measure`, as fct.csv: `of` (all, class or the
        kind of a traffic entry), `which` (DSCP or index of the entry), the range of sizes, counts, completion times in
        µs and slowdowns (mean, p50, p90, p99, p999)."""
        return self._frame(self.folder / "fct.csv")

    def series(self, name):
        """A frame with a row for each sample, from series/<name>.csv: `class` (t_s, dscp, goodput_gbps), `flow_rates`
        (t_s, flow, rates in Gb/s, alpha), `queue` (t_s, port, bytes). t_s is in s; output.series.interval is the time
        between samples. InputError for a series that the run did not write, with the reason."""
        there = sorted(path.stem for path in (self.folder / "series").glob("*.csv"))
        if name in there:
            frame = self._frame(self.folder / f"series/{name}.csv")
            if len(frame) or name not in SERIES:
                return frame
            there.remove(name)
        known = f"(there are: {', '.join(there) or 'none'})"
        if name not in SERIES:
            raise InputError(f"no series '{name}' in this run {known}")
        asked = self.params_dict().get(SERIES[name], {}).get("value", "none")
        raise InputError(f"this run wrote no series '{name}': {SERIES[name]} is {asked} {known}")

    def report(self, file=None):
        """Writes one HTML file about the run; returns its path (default: report.html in the folder)."""
        return written_report([self], file or self.folder / "report.html")

    def params(self):
        """Parameters of this run's configuration; like dccvp.params."""
        return params(self.folder / "config.effective.yaml")

    def params_dict(self):
        """{path: {"value", "default", …}} of the configuration of this run."""
        return {row["path"]: row for row in parameter_rows(self.folder / "config.effective.yaml", {})}

    @staticmethod
    def _frame(path):
        try:
            return frames().read_csv(path)
        except (OSError, ValueError) as error:  # pandas raises ValueError or a subclass of it
            raise InputError(f"{path}: {error}") from None


class Sweep:
    """Results of a sweep in `folder`. Calling dccvp.sweep again with the same arguments continues an interrupted
    sweep."""

    def __init__(self, folder, keep=None):
        """Opens the folder of a sweep; InputError if the folder holds no sweep."""
        self._sweep = folders.Folder.open(folder)
        self.folder = self._sweep.path
        self._keep = keep

    @property
    def table(self):
        """A frame with a row for each point: point (from 1), id, status (ok, failed, refused, missing), the parameters
        that vary, the metrics. A parameter whose values are all numbers is a number (in s, bit/s, bytes or Hz), any
        other the text as written. Metrics that a point lacks are NaN; `attrs["units"]` has the units of metrics."""
        rows = results.rows_of(self._sweep)
        axes, metrics = self._sweep.document["axes"], list(self._sweep.document["metrics"])
        columns = {name: [row[name] for row in rows] for name in ("point", "id", "status")}
        columns.update((axis, results.typed([row[axis] for row in rows])) for axis in axes)
        columns.update((metric, [row[metric] for row in rows]) for metric in metrics)
        frame = frames().DataFrame(columns)
        frame.attrs["units"] = dict(self._sweep.document["units"])
        return frame

    def run(self, point):
        """Returns the Run of a point, by the point's number in the table. InputError if the point has no results."""
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
    """A folder that is deleted with the last object that refers to it."""

    def __init__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="dccvp-"))
        weakref.finalize(self, shutil.rmtree, self.path, True)


def folder_for(out, name):
    """Returns (folder, object that keeps the folder): `out` and None, or a new folder that lives as long as its
    Scratch."""
    if out is not None:
        return pathlib.Path(out), None
    scratch = Scratch()
    return scratch.path / name, scratch


def configured(config, overrides):
    """Returns (arguments of dccvp, name of the run) for a configuration: the path of a YAML file, or a dict with
    its content, whose file names are relative to the working directory."""
    if not isinstance(config, dict):
        return [config, *words_of(overrides)], pathlib.Path(config).stem
    return [pathlib.Path(__file__).with_name("empty.yaml"), *words_of(config), *words_of(overrides)], "run"


def run(config, overrides={}, out=None):  # noqa: B006: it is not changed
    """Builds the platform of a configuration and runs it; the progress line shows on a terminal.

    config: the path of a YAML file, or a dict with the content of one ({"duration": "2ms", "topology": {…}, …}).
    overrides: {key.path: value}, as -c: a number, a text with its unit ("400KB"), True, a list.
    out: the folder of the results, which must not exist; without it the results live as long as the Run.
    Returns a Run. Raises InputError for what the program refuses (with file, line and column), and RunError if the run
    breaks off or breaks a promise (`expect`); the error's `run` has the results.
    """
    words, name = configured(config, overrides)
    folder, keep = folder_for(out, name)
    status, _, said = call("run", *words, "--out", folder, "--no-plots")
    if status == 0:
        return Run(folder, keep)
    left = Run(folder, keep) if (folder / "metrics.json").exists() else None
    broken = "; ".join(left.metrics["failures"]) if left else ""
    error = RunError(said or broken or f"dccvp run ended with {status}")
    error.run = left
    raise error


def sweep_file(content, folder):
    """Writes a sweep file with this content (a dict) into `folder` and returns its path; a platform given as a dict
    gets a file of its own there. InputError for values that YAML cannot hold."""
    content = dict(content)
    platform = content.get("platform")
    files = {"sweep.yaml": content}
    if isinstance(platform, dict):
        files["platform.yaml"], content["platform"] = platform, "platform.yaml"
    elif platform is not None:
        content["platform"] = str(pathlib.Path(platform).resolve())
    for name, tree in files.items():
        try:
            # JSON turns tuples and other types that YAML would tag into plain ones.
            plain = json.loads(json.dumps(tree))
            (folder / name).write_text(yaml.safe_dump(plain, sort_keys=False, allow_unicode=True), encoding="utf-8")
        except (TypeError, ValueError, RecursionError) as error:
            raise InputError(f"the sweep's {name.removesuffix('.yaml')}: {error}") from None
    return folder / "sweep.yaml"


def sweep(file, jobs=2, overrides={}, out=None):  # noqa: B006: it is not changed
    """Runs the points of a sweep, `jobs` at a time; points that `out` already holds are not repeated.

    file: the path of a sweep file, or a dict with the content of one, whose `platform` is a path as seen from the
    working directory, or a dict as for run; files that its other values name have absolute paths.
    out: the folder of the sweep; without it the results live as long as the Sweep. Returns a Sweep. Points that failed
    or were refused have their status in the table, and a warning names them. Raises InputError for an unusable file,
    before anything runs, and RunError if the program breaks off.
    """
    written = Scratch() if isinstance(file, dict) else None
    folder, keep = folder_for(out, "sweep" if written else pathlib.Path(file).stem)
    path = sweep_file(file, written.path) if written else file
    status, _, said = call("sweep", path, "-j", jobs, *words_of(overrides), "--out", folder, "--no-plots")
    if not (folder / "table.csv").exists():
        raise RunError(said or f"dccvp sweep ended with {status}")
    if status != 0:
        warnings.warn(said, stacklevel=2)
    return Sweep(folder, keep)


def parameter_rows(config, overrides):
    words = [] if config is None else configured(config, overrides)[0]
    _, output, _ = call("params", *words, "--format", "json")
    return json.loads(output)


def params(config=None, overrides={}):  # noqa: B006: it is not changed
    """A frame with a row for each parameter, indexed by its path: value (as text, with its unit), default, range, type,
    meaning, source, origin (file:line:column of the setting). `config` as for run; without it all values are defaults.
    InputError for a configuration that is refused."""
    frame = frames().DataFrame(parameter_rows(config, overrides)).set_index("path")
    return frame if "value" in frame else frame.assign(value=frame["default"])


def compare(runs):
    """A frame with a column for each run: a row for every parameter in which the runs differ (as text) and for every
    figure of metrics.json's `aggregate` (units: `dccvp metrics`). The index is ("parameter" or "metric", path).
    InputError for no run."""
    runs = list(runs)
    if not runs:
        raise InputError("nothing to compare")
    labels = [run.name for run in runs]
    if len(set(labels)) < len(labels):
        labels = [f"{label} ({number})" for number, label in enumerate(labels, 1)]
    pandas = frames()
    values = pandas.DataFrame({label: run.params()["value"] for label, run in zip(labels, runs)})
    values = values[[len(set(row)) > 1 for row in values.itertuples(index=False)]]
    totals = pandas.DataFrame({label: run.metrics["aggregate"] for label, run in zip(labels, runs)})
    return pandas.concat({"parameter": values, "metric": totals.astype(object)}, names=["kind", "path"])
