"""Reads the folder of a run."""

import json
import pathlib
import subprocess

from dccvp.common.columns import read_columns
from dccvp.common.ending import InputError
from dccvp.experiments.figures import check_schema
from dccvp.experiments.folder import label_of


NEEDED = ("aggregate", "classes", "links", "queues", "flows", "hosts", "balance")
FLOW_COLUMNS = ("rate_gbps", "goodput_gbps", "target_gbps", "alpha")


def columns_of(path, needed):
    """Returns the columns of a CSV file; empty if the file does not exist."""
    return read_columns(path, needed, nothing=None) if path.exists() else {}


class Run:
    """A run: `metrics` as written to metrics.json, series as columns, the configuration as text and as rows."""

    def __init__(self, folder, dccvp):
        self.folder = pathlib.Path(folder)
        self.name = label_of(self.folder)
        self.dccvp = dccvp
        self.metrics = self.read_metrics()
        self.flows = columns_of(self.folder / "flows.csv",
                                ("id", "dscp", "bytes", "fct_s", "completed"))
        series = self.folder / "series"
        self.class_series = columns_of(series / "class.csv", ("t_s", "dscp", "goodput_gbps"))
        self.rate_series = columns_of(series / "flow_rates.csv", ("t_s", "flow", *FLOW_COLUMNS))
        self.queue_series = columns_of(series / "queue.csv", ("t_s", "port", "bytes"))
        self.delays = columns_of(series / "delays.csv",
                                 ("dscp", "way", "us", "packets", "marked", "share"))
        config = self.folder / "config.effective.yaml"
        self.yaml = config.read_text(encoding="utf-8", errors="replace") if config.is_file() else ""
        self.config_error = ""
        self.parameters = self.ask("params", config, "--format", "json")
        self.parameters = json.loads(self.parameters) if self.parameters else []
        self.drawing = self.ask("topology", config, "--svg")

    def read_metrics(self):
        if not self.folder.is_dir():
            raise InputError(f"'{self.folder}' is not a folder")
        path = self.folder / "metrics.json"
        if not path.exists():
            hint = ""
            below = sorted(p.parent for p in self.folder.glob("*/metrics.json"))
            if below:
                some = ", ".join(f"'{p}'" for p in below[:3])
                hint = f"; {len(below)} below it do: {some}{', …' if len(below) > 3 else ''}"
            raise InputError(f"'{self.folder}' holds no run: metrics.json is missing{hint}")
        try:
            metrics = json.loads(path.read_text(encoding="utf-8"))
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path}: {error}") from error
        if not isinstance(metrics, dict):
            raise InputError(f"{path}: not an object")
        check_schema(metrics, path)
        for key in NEEDED:
            if key not in metrics:
                raise InputError(f"{path}: no '{key}': not the metrics of a run")
        return metrics

    def ask(self, command, config, *arguments):
        """Returns the output of a dccvp command about the run's configuration; empty, with config_error set, if the
        command fails."""
        done = subprocess.run([self.dccvp, command, str(config), *arguments], capture_output=True,
                              encoding="utf-8", errors="replace", check=False)
        if done.returncode == 0:
            return done.stdout
        self.config_error = done.stderr.strip().removeprefix("dccvp: ")
        return ""

    def value(self, path):
        """Returns the effective value of a parameter as text; None if the parameter has none."""
        for row in self.parameters:
            if row["path"] == path:
                return row["value"]
        return None

    def changed(self):
        """Returns {path: (value, default)} of the parameters that differ from their defaults."""
        return {row["path"]: (row["value"], row["default"]) for row in self.parameters
                if row["value"] != row["default"]}

    def dscps(self):
        return [c["dscp"] for c in self.metrics["classes"]]
