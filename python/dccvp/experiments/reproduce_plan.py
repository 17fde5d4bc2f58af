"""Reads a published experiment: a configuration, runs of it, and the figures that were published.

NAME.figures.yml beside NAME.yaml:
  title, source: texts
  config: other.yaml             instead of NAME.yaml
  slow: false                    true for runs of minutes, which are made by name only
  bounds: {figure: text, …}      why a bound of these figures is wide (see `why`), in every run
  picture: {10: text, …}         names of classes (DSCP) on NAME.png, which shows the goodput of every flow over
                                 time, a panel for each run
  runs:
    - run: name
      set: [key.path=value, …]   as -c
      figures:
        - {figure: name, value: PATH, per: 1000, over: first run, published: 20, within: 35%, at_least: 1,
           at_most: 3, source: text, why: text, reason: text}
        - {figure: name, value: sized.fct_us_mean, bytes: 1..11680, …}

A comparison of schemes under the same kinds of traffic has a table instead of `runs`; each row is run in each column,
as "ROW, COLUMN":
  columns:
    - column: name
      set: […]
      figures: [{…, panel: linear}, …]
  rows:
    - row: name
      set: […]                     before the column's
      family: congestion control   rows of a family are drawn together
      survey: DCTCP                its line among `schemes` of docs/sources.yaml
      switch, host: texts          what the scheme needs of switches and of hosts
      figures: [{column: name, figure: name, at_most: 3, reason: text, …}]
With `lines: columns` NAME.png has lines over columns that are named "GROUP, NUMBER" (a line for each row, panels by
group and by figure); with `lines: sizes` the 99th percentile of completion by size of flow, a panel for each column.
A figure of a row changes keys of the column's figure of the same name, or is a further figure of the row. Its column
`START*` stands for all columns whose names begin so, `over: "ROW, *"` for the run of ROW in the same column. `panel`
(linear or log) draws a figure of a column for all rows on NAME.png.

PATH is an expression of figures.py; `*` without a function takes the greatest element. `per` divides the value (units,
ceilings). `over` names an earlier run whose value, seed by seed, divides the value. `bytes` selects flows by size;
their figures are sized.flows and sized.fct_us_mean, _p50, _p99 and _p999. `within` is absolute, or a percentage of the
published value. `why` derives a bound; a bound wider than a factor of two needs it (bounds.py). `reason` says why a
figure lies outside; a figure outside without a reason is an error.
"""

import dataclasses
import math
import pathlib
import re

from dccvp.common.ending import InputError
from dccvp.experiments.figures import Figure, terms_of
from dccvp.common.yaml_nodes import (WHOLE_NUMBER, described, entries, fail, fields, file_beside, items, load, word)

SHIPPED = pathlib.Path(__file__).resolve().parents[3] / "configs/reproduce"
SUFFIX = ".figures.yml"
FIGURE_KEYS = ("figure", "value", "bytes", "per", "over", "published", "within", "at_most", "at_least", "source",
               "why", "reason", "panel")
EXPERIMENT_KEYS = ("title", "source", "config", "slow", "bounds", "picture", "lines", "runs", "rows", "columns")
PANELS = ("linear", "log")
LINES = ("columns", "sizes")
COLUMN_OF_LINES = re.compile(r".+, \d+")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@dataclasses.dataclass
class Run:
    name: str
    overrides: list
    figures: list


@dataclasses.dataclass
class Row:
    """A scheme of a comparison, which is one row, with the texts of the row."""

    name: str
    family: str
    survey: str
    switch: str
    host: str


@dataclasses.dataclass
class Column:
    """A traffic pattern of a comparison, which is one column, with the figures that are drawn."""

    name: str
    panels: list


@dataclasses.dataclass
class Comparison:
    """Rows and columns of a comparison; the run of a row and a column is runs[row * number of columns + column]."""

    rows: list
    columns: list


@dataclasses.dataclass
class Experiment:
    name: str
    config: pathlib.Path
    title: str
    source: str
    slow: bool
    runs: list
    comparison: Comparison | None = None
    picture: dict | None = None  # {DSCP: name of the flows with this DSCP}.
    # Abscissa of a comparison's lines: "columns" or "sizes"; empty: the comparison has a table and no lines.
    lines: str = ""


def number_in(text, node):
    if not NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        fail(node, f"a number is expected, not {described(node)}")
    return float(text)


def sizes_in(text, node):
    least, dots, most = text.partition("..")
    if not (dots and WHOLE_NUMBER.fullmatch(least) and WHOLE_NUMBER.fullmatch(most)):
        fail(node, f"sizes are expected, such as 1..11680, not {described(node)}")
    if int(least) > int(most):
        fail(node, f"bytes: no size is from {least} to {most}")
    return int(least), int(most)


def read_figure(nodes, runs_above, column=""):
    """Reads the Figure of {key: node}; 'figure' and 'value' are among the keys. `column`: its column, for 'over'."""
    texts = {key: word(value, f"'{key}'") for key, value in nodes.items()}
    if column and texts.get("over", "").endswith(", *"):
        texts["over"] = texts["over"][:-1] + column
    figure = Figure(texts["figure"], texts["value"], source=texts.get("source", ""),
                    why=texts.get("why", ""), reason=texts.get("reason", ""), over=texts.get("over", ""),
                    panel=texts.get("panel", ""))
    if "over" in nodes and figure.over not in runs_above:
        fail(nodes["over"], f"over: no run '{figure.over}' above this one")
    if "panel" in nodes and figure.panel not in PANELS:
        fail(nodes["panel"], f"panel: '{figure.panel}' is none of {', '.join(PANELS)}")
    if "bytes" in nodes:
        figure.sizes = sizes_in(texts["bytes"], nodes["bytes"])
    terms_of(texts["value"], nodes["value"])
    return bounds_in(figure, nodes, texts)


def bounds_in(figure, nodes, texts):
    """Sets the bounds of a figure from its YAML nodes (per, published, within, at_most, at_least); returns the
    figure."""
    for key in ("per", "published", "at_most", "at_least"):
        if key in nodes:
            setattr(figure, key, number_in(texts[key], nodes[key]))
    if figure.per == 0:
        fail(nodes["per"], "per: division by zero")
    if "within" in nodes:
        if figure.published is None:
            fail(nodes["within"], "'within' needs a 'published' value")
        text, percent, _ = texts["within"].partition("%")
        tolerance = number_in(text, nodes["within"])
        if tolerance < 0:
            fail(nodes["within"], "a tolerance below zero")
        if percent:
            figure.within_share = tolerance / 100
        else:
            figure.within = tolerance
    return figure


def figure_nodes(node):
    return fields(node, "a figure", FIGURE_KEYS, ("figure", "value"))


def settings_in(nodes):
    if "set" not in nodes:
        return []
    return [word(item, "a setting") for item in items(nodes["set"], "'set'")]


def read_run(node, runs_above):
    nodes = fields(node, "a run", ("run", "set", "figures"), ("run", "figures"))
    return Run(word(nodes["run"], "'run'"), settings_in(nodes),
               [read_figure(figure_nodes(item), runs_above)
                for item in items(nodes["figures"], "'figures'")])


def read_column(node):
    """Reads a column: (name, settings, {figure: nodes of the figure})."""
    nodes = fields(node, "a column", ("column", "set", "figures"), ("column", "figures"))
    figures = {}
    for item in items(nodes["figures"], "'figures'"):
        of_it = figure_nodes(item)
        name = word(of_it["figure"], "'figure'")
        if name in figures:
            fail(item, f"figure '{name}' is there twice")
        figures[name] = of_it
    return word(nodes["column"], "'column'"), settings_in(nodes), figures


def read_changes(node, columns):
    """Reads {(column, figure): {key: node}}: the keys of column figures that a row changes."""
    changes = {}
    names = [name for name, _, _ in columns]
    for item in items(node, "'figures'"):
        nodes = fields(item, "a row's figure", ("column", *FIGURE_KEYS), ("column", "figure"))
        meant, figure = word(nodes.pop("column"), "'column'"), word(nodes["figure"], "'figure'")
        of = [name for name in names if name == meant or meant.endswith("*") and name.startswith(meant[:-1])]
        if not of:
            fail(item, f"no column '{meant}'")
        if "panel" in nodes:
            fail(nodes["panel"], "a panel is of all rows: it stands in a column")
        for name, _, figures in columns:
            if name not in of:
                continue
            if figure not in figures and "value" not in nodes:
                fail(item, f"no figure '{figure}' in column '{name}', and no 'value' for one more")
            changes[name, figure] = nodes
    return changes


def read_comparison(rows_node, columns_node):
    """Reads a comparison: (Comparison, list of its runs)."""
    columns = [read_column(item) for item in items(columns_node, "'columns'")]
    rows, runs = [], []
    for item in items(rows_node, "'rows'"):
        said = ("family", "survey", "switch", "host")
        nodes = fields(item, "a row", ("row", "set", "figures", *said), ("row", "family"))
        texts = [word(nodes[key], f"'{key}'") if key in nodes else "" for key in ("row", *said)]
        rows.append(Row(*texts))
        changes = read_changes(nodes["figures"], columns) if "figures" in nodes else {}
        for column, settings, figures in columns:
            name = f"{rows[-1].name}, {column}"
            above = [run.name for run in runs]
            if name in above:
                fail(item, f"run '{name}' is there twice")
            mine = {**figures, **{figure: {**figures.get(figure, {}), **changed}
                                  for (of, figure), changed in changes.items() if of == column}}
            runs.append(Run(name, settings_in(nodes) + settings,
                            [read_figure(of_it, above, column) for of_it in mine.values()]))
    drawn = [Column(name, [read_figure(of_it, [run.name for run in runs])
                           for of_it in figures.values() if "panel" in of_it])
             for name, _, figures in columns]
    return Comparison(rows, drawn), runs


def read_picture(node):
    """Reads the key `picture`: {DSCP: name of the class}."""
    labels = {}
    for key, value in entries(node, "'picture'"):
        dscp = word(key, "a class")
        if not WHOLE_NUMBER.fullmatch(dscp) or int(dscp) > 63:
            fail(key, f"a DSCP, 0 to 63, is expected, not '{dscp}'")
        labels[int(dscp)] = word(value, "a class's name")
    return labels


def explain_bounds(node, runs):
    """Gives each figure without its own `why` the text that `bounds` has for the figure's name."""
    for key, value in entries(node, "'bounds'"):
        name, why = word(key, "a figure"), word(value, "a sentence")
        meant = [figure for run in runs for figure in run.figures if figure.name == name]
        if not meant:
            fail(key, f"bounds: no figure '{name}'")
        for figure in meant:
            figure.why = figure.why or why


def check_lines(lines, node, comparison):
    """Fails if the lines run over columns whose names have no number."""
    for column in comparison.columns:
        if lines == "columns" and not COLUMN_OF_LINES.fullmatch(column.name):
            fail(node, f"lines: column '{column.name}' is not named 'GROUP, NUMBER'")


def read(path):
    """Reads the experiment of a file NAME.figures.yml; InputError with the place."""
    name = path.name.removesuffix(SUFFIX)
    root = load(path, "an experiment")
    nodes = fields(root, "an experiment", EXPERIMENT_KEYS)
    compares = "rows" in nodes or "columns" in nodes
    if compares == ("runs" in nodes):
        fail(root, "an experiment has either 'runs', or 'rows' and 'columns'")
    texts = {key: word(value, f"'{key}'") for key, value in nodes.items()
             if key not in ("bounds", "picture", "runs", "rows", "columns")}
    lines = texts.get("lines", "")
    slow = texts.get("slow", "false")
    if slow not in ("true", "false"):
        fail(nodes["slow"], f"'slow' is true or false, not '{slow}'")
    config = file_beside(path, nodes.get("config", root), texts.get("config", f"{name}.yaml"))
    said = (name, config, texts.get("title", ""), texts.get("source", ""), slow == "true")
    if compares and "picture" in nodes:
        fail(nodes["picture"], "a comparison has a picture of its own")
    if "lines" in nodes and (lines not in LINES or not compares):
        fail(nodes["lines"], f"lines: {' or '.join(LINES)} is expected, in an experiment with rows and columns")
    if compares:
        nodes = fields(root, "an experiment", nodes, ("rows", "columns"))
        comparison, runs = read_comparison(nodes["rows"], nodes["columns"])
        check_lines(lines, nodes["columns"], comparison)
    else:
        comparison, runs = None, []
        for item in items(nodes["runs"], "'runs'"):
            runs.append(read_run(item, [run.name for run in runs]))
    if "bounds" in nodes:
        explain_bounds(nodes["bounds"], runs)
    return Experiment(*said, runs, comparison, read_picture(nodes["picture"]) if "picture" in nodes else None, lines)


def find(folder):
    """Returns the figure files (NAME.figures.yml) of all experiments in a folder, sorted by name; InputError if
    there is none."""
    found = sorted(path for path in pathlib.Path(folder).glob("*" + SUFFIX) if path.name != SUFFIX)
    if not found:
        raise InputError(f"{folder}: no experiments (NAME{SUFFIX}) in it")
    return found
