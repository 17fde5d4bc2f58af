"""What only the program knows: does the platform accept the points, do the metrics exist?"""

import json
import pathlib
import subprocess
import tempfile

from dccvp.common import processes
from dccvp.experiments import metric_path
from dccvp.common.ending import InputError
from dccvp.common.yaml_nodes import fail

PREFIX = "dccvp: "


def arguments_of(settings, extra):
    return [part for argument in [s.argument for s in settings] + list(extra)
            for part in ("-c", argument)]


def blame(text, settings):
    """(the setting that a refusal names, what is wrong with it); None: it names no single one."""
    for setting in settings:
        start = f"-c {setting.argument}: "
        if text.startswith(start):
            return setting, text[len(start):]
    return None, text


def refusals(plan, program, extra, jobs, known=frozenset()):
    """{point's index: message} of the points that `dccvp check` refuses. A value that is refused
    wherever it occurs is a mistake in the file, and so is a file of which no point is accepted:
    InputError. `known`: indices of points that were accepted before."""
    due = [i for i in range(len(plan.points)) if i not in known]
    commands = [[program, "check", str(plan.platform.resolve()),
                 *arguments_of(plan.common + plan.points[i], extra)] for i in due]
    refused = {}
    for job, code, said in processes.run_all(commands, jobs, cwd=plan.path.resolve().parent):
        if code == 0:
            continue
        if code != 2:
            raise InputError(f"{plan.path}: dccvp check ended with {code}: {said}")
        refused[due[job]] = said[len(PREFIX):] if said.startswith(PREFIX) else said
    for i in sorted(refused):
        setting, message = blame(refused[i], plan.common + plan.points[i])
        if setting is None:
            continue
        alike = [j for j, p in enumerate(plan.points)
                 if setting in plan.common or any(s.argument == setting.argument for s in p)]
        if all(j in refused for j in alike):
            about_key = message.startswith(("unknown key", "an empty key")) or "so no index" in message
            if not message.startswith(setting.key):
                message = f"{setting.key}: {message}"
            fail(setting.key_node if about_key else setting.value_node, message)
    if len(refused) == len(plan.points):
        fail(plan.platform_node, "no point can be run; the first: " + refused[min(refused)])
    return refused


def check_metrics(plan, program, extra, refused):
    """Looks every metric up in the result of a run of one microsecond. Throws InputError."""
    point = next(i for i in range(len(plan.points)) if i not in refused)
    with tempfile.TemporaryDirectory(prefix="dccvp-sweep-") as folder:
        out = pathlib.Path(folder) / "probe"
        command = [program, "run", str(plan.platform.resolve()),
                   *arguments_of(plan.common + plan.points[point], extra),
                   "-c", "duration=1us", "-c", "measure={from: 0us, to: 1us}", "-c", "expect=[]",
                   "-c", "output.trace.packets=[]", "--out", str(out), "--quiet", "--no-plots"]
        done = subprocess.run(command, cwd=plan.path.resolve().parent, capture_output=True, text=True,
                              check=False)
        if not (out / "metrics.json").exists():
            fail(plan.platform_node, "a run of 1us to look the metrics up failed: "
                 + done.stderr.strip().removeprefix(PREFIX))
        metrics = json.loads((out / "metrics.json").read_text())
    for metric in plan.metrics.values():
        try:
            metric.value(metrics)
        except metric_path.Missing as missing:
            fail(metric.node, f"unknown metric '{metric.text}': {missing}")
