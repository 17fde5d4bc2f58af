"""What two builds left for one configuration, compared; and what a file of changes says of that."""

import csv
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from dccvp.common import yaml_nodes  # noqa: E402
from dccvp.common.ending import InputError  # noqa: E402

MACHINE = ("wall_s", "speed")  # of metrics.json: as fast as the machine was
MOST_SHOWN = 5  # differences that are listed of a pair
GONE = "(gone)"  # in place of a value that the new build does not leave


class Change:
    """Why figures moved: `when` it can act, and how one sees that it is the only reason."""

    def __init__(self, name, node):
        f = yaml_nodes.fields(node, "a change", ("reason", "when", "without", "told", "patch"), ("reason",))
        self.name = name
        self.reason = yaml_nodes.word(f["reason"], "reason")
        self.when = {}
        if "when" in f:
            for key, value in yaml_nodes.entries(f["when"], "when"):
                self.when[key.value] = [yaml_nodes.word(v, "a value")
                                        for v in yaml_nodes.items(value, "values")]
        self.without = words(f, "without")  # overrides for both builds
        self.told = words(f, "told")  # overrides that only the new one knows
        self.patch = yaml_nodes.word(f["patch"], "patch") if "patch" in f else None
        if not (self.without or self.told or self.patch):
            yaml_nodes.fail(node, "a change says how it is taken out: 'without', 'told' or 'patch'")

    def acts_in(self, effective):
        """None, or why it cannot act in a configuration with these values."""
        for path, values in self.when.items():
            said = values_at(effective, path)
            if not any(value in values for value in said):
                return f"{self.name}: {path} is {', '.join(said) or 'not there'}, not {' or '.join(values)}"
        return None


class Configuration:
    """How a configuration is run, and by which changes it moves."""

    def __init__(self, overrides=(), changes=(), without=()):
        self.overrides = list(overrides)
        self.changes = list(changes)
        self.without = list(without)  # what its changes cannot be taken out with, of both builds


class Explanations:
    """The file: what moves everywhere by definition, the changes, the configurations."""

    def __init__(self, path):
        f = yaml_nodes.fields(yaml_nodes.load(path, "a comparison"), "a comparison",
                              ("everywhere", "changes", "configurations"), ("configurations",))
        self.columns, self.metrics, self.renamed, self.everywhere = [], [], {}, ""
        if "everywhere" in f:
            e = yaml_nodes.fields(f["everywhere"], "everywhere", ("reason", "columns", "metrics", "renamed"),
                                  ("reason",))
            self.everywhere = yaml_nodes.word(e["reason"], "reason")
            self.columns = words(e, "columns")
            self.metrics = words(e, "metrics")
            if "renamed" in e:
                self.renamed = {key.value: yaml_nodes.word(value, "a metric's name")
                                for key, value in yaml_nodes.entries(e["renamed"], "renamed")}
        self.changes = {}
        if "changes" in f:
            self.changes = {key.value: Change(key.value, value)
                            for key, value in yaml_nodes.entries(f["changes"], "changes")}
        self.configurations = {}
        for key, value in yaml_nodes.entries(f["configurations"], "configurations"):
            c = yaml_nodes.fields(value, "a configuration", ("set", "changes", "without"))
            for name in words(c, "changes"):
                if name not in self.changes:
                    yaml_nodes.fail(c["changes"], f"no change '{name}'" + yaml_nodes.hint(name, self.changes))
            self.configurations[key.value] = Configuration(words(c, "set"), words(c, "changes"),
                                                           words(c, "without"))
        used = {name for c in self.configurations.values() for name in c.changes}
        for name in self.changes:
            if name not in used:
                yaml_nodes.fail(f["changes"], f"no configuration moves by '{name}'")

    def without(self, configuration):
        """Overrides that take its changes out: of the old build, of the new one."""
        changes = [self.changes[name] for name in configuration.changes]
        both = [override for change in changes for override in change.without] + configuration.without
        return both, both + [override for change in changes for override in change.told]

    def patches(self, names):
        return [name for name in names if self.changes[name].patch]


def words(fields, key):
    if key not in fields or fields[key].value == []:
        return []
    return [yaml_nodes.word(item, f"an element of {key}") for item in yaml_nodes.items(fields[key], key)]


def values_at(tree, path):
    """What stands at a.b.*.c, as texts."""
    trees = [tree]
    for part in path.split("."):
        found = []
        for one in trees:
            if isinstance(one, dict):
                found += list(one.values()) if part == "*" else [one[part]] if part in one else []
            elif isinstance(one, list) and part == "*":
                found += one
        trees = found
    return [str(one) for one in trees if not isinstance(one, (dict, list))]


def read_run(folder):
    """(flows.csv as bytes, metrics.json) of a run."""
    folder = pathlib.Path(folder)
    try:
        metrics = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"'{folder / 'metrics.json'}': {error}") from None
    for name in MACHINE:
        metrics.pop(name, None)
    return (folder / "flows.csv").read_bytes(), metrics


def same_flows(old, new, columns):
    """Are two flows.csv the same to the byte but for these columns?"""
    if old == new:
        return True
    return bool(columns) and masked(old, columns) == masked(new, columns)


def masked(data, columns):
    rows = list(csv.reader(data.decode("utf-8").splitlines()))
    at = [i for i, name in enumerate(rows[0]) if name in columns] if rows else []
    return [[cell for i, cell in enumerate(row) if i not in at] for row in rows]


def metric_differences(old, new, explanations):
    """[(path, old, new)] of what the old metrics.json says and the new one does not; names that only
    the new one has are none."""
    moved = [name.split(".") for name in explanations.metrics]
    found = []

    def walk(path, a, b):
        if any(matches(path, pattern) for pattern in moved):
            return
        if isinstance(a, dict) and isinstance(b, dict):
            for key, value in a.items():
                walk([*path, key], value, b.get(key, GONE))
        elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
            for i, (one, other) in enumerate(zip(a, b)):
                walk([*path, str(i)], one, other)
        elif a != b or isinstance(a, bool) != isinstance(b, bool):
            found.append((".".join(path), a, b))

    renamed = dict(new)
    for before, after in explanations.renamed.items():
        renamed.pop(before, None)
        if after in new:
            renamed[before] = new[after]
    walk([], old, renamed)
    return found


def matches(path, pattern):
    return len(path) == len(pattern) and all(want in ("*", part) for part, want in zip(path, pattern))


def differences(old, new, explanations):
    """What differs between two runs' folders, as lines; none if they are the same."""
    old_flows, old_metrics = read_run(old)
    new_flows, new_metrics = read_run(new)
    lines = [] if same_flows(old_flows, new_flows, explanations.columns) else ["flows.csv"]
    found = metric_differences(old_metrics, new_metrics, explanations)
    lines += [f"{path}: {shown(a)} -> {shown(b)}" for path, a, b in found[:MOST_SHOWN]]
    if len(found) > MOST_SHOWN:
        lines.append(f"{len(found) - MOST_SHOWN} metrics more")
    return lines


def shown(value):
    text = json.dumps(value)
    return text if len(text) <= 40 else text[:37] + "..."
