"""Checks the points of a sweep with the program: dccvp must accept every point and know every metric."""

from dccvp.common import processes
from dccvp import cost
from dccvp.experiments import figures
from dccvp.common.ending import InputError
from dccvp.common.yaml_nodes import fail

PREFIX = "dccvp: "


def blame(text, settings):
    """Returns (the setting that a refusal names, the rest of the message); None for a refusal that names no single
    setting."""
    for setting in settings:
        start = f"-c {setting.argument}: "
        if text.startswith(start):
            return setting, text[len(start):]
    # A change at `branch_at` may be refused; the refusal then names the setting that the change would alter.
    for setting in settings:
        quoted = f"'{setting.key}'"
        if text.startswith("-c changes.+=") and quoted in text:
            return setting, setting.key + text.partition(quoted)[2]
    return None, text


def refusals(plan, program, extra, jobs, known=frozenset()):
    """Returns {index: message} of the points that `dccvp check` refuses. InputError for a value that is refused in
    every point, and for a file without an accepted point. `known`: indices of points that were accepted before."""
    due = [i for i in range(len(plan.points)) if i not in known]
    commands = [[program, "check", str(plan.platform.resolve()),
                 *(f"-c{argument}" for argument in plan.arguments(plan.points[i], extra))] for i in due]
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


def units_of(plan, program):
    """Returns {metric: unit} according to `dccvp metrics`; InputError for a path that leads to no figure."""
    description = figures.described(figures.metric_rows(program) + cost.metric_rows())
    units = {}
    for name, metric in plan.metrics.items():
        try:
            units[name] = metric.unit(description)
        except figures.Missing as missing:
            fail(metric.node, f"unknown metric '{metric.text}': {missing}")
    return units
