"""The result tables of a sweep, table.csv, means.csv and results.sqlite; its best points and its limits."""

import csv
import io
import operator
import os
import sqlite3

from dccvp import cost
from dccvp.common import quantity
from dccvp.common.ending import InputError
from dccvp.common.statistics import confidence, mean, with_interval
from dccvp.common.whole_file import write_whole
from dccvp.experiments import figures
from dccvp.experiments import folder as folders


def rows_of(folder):
    """A dict for each point: point (from 1), id, status, message, parameters, metrics. Metrics are None unless the
    status is ok; `missing` says for each metric why a point that is ok lacks it. InputError for altered results."""
    metrics = {n: figures.Metric(t, None) for n, t in folder.document["metrics"].items()}
    rows = []
    for number, point in enumerate(folder.points, 1):
        done = folder.status(point) or {"status": folders.MISSING, "message": ""}
        if done["status"] == folders.ALTERED:
            raise InputError(done["message"] + "; run the sweep again")
        row = {"point": number, "status": done["status"], "message": done["message"], "id": point["id"], "missing": {}}
        row.update({axis: point["values"].get(axis, "") for axis in folder.document["axes"]})
        row.update({name: None for name in metrics})
        if done["status"] == folders.OK:
            results = figures.results_of(folder.results(point), times=False)
            if any(metric.steps[0] == "cost" for metric in metrics.values()):
                results["cost"] = cost.of_run(folder.results(point))
            for name, metric in metrics.items():
                try:
                    row[name] = metric.value(results)
                except figures.Missing as missing:  # another shape of platform
                    row["missing"][name] = str(missing)
        rows.append(row)
    return rows


def always_missing(rows, metrics):
    """{metric: why} for the metrics that every finished point lacks."""
    ok = [row for row in rows if row["status"] == folders.OK]
    return {name: ok[0]["missing"][name] for name in metrics if ok and all(name in row["missing"] for row in ok)}


def typed(texts):
    """The values of an axis as numbers (in s, bit/s, bytes or Hz) or as truth values if all its texts are such; else
    the texts. An empty text becomes None."""
    there = [text for text in texts if text != ""]
    if all(text in ("true", "false") for text in there):
        return [None if text == "" else text == "true" for text in texts]
    numbers = [quantity.number(text) for text in texts]
    if any(number is None and text != "" for text, number in zip(texts, numbers)):
        return texts
    if all(number is None or number.is_integer() for number in numbers):
        return [None if number is None else int(number) for number in numbers]
    return numbers


def sql_type(values):
    there = [value for value in values if value is not None]
    if all(isinstance(value, int) for value in there):
        return "INTEGER"
    return "REAL" if all(isinstance(value, (int, float)) for value in there) else "TEXT"


def cell(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


def write_csv(path, names, rows):
    """Writes rows, each a dict, as a CSV file with these columns."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([cell(row[name]) for name in names] for row in rows)
    write_whole(path, text.getvalue())


def write_tables(folder, rows, lines):
    """Writes table.csv with a row for each point, means.csv with a row for all seeds of a setting (with half of each
    mean's 95 % interval) and results.sqlite."""
    axes, metrics = folder.document["axes"], list(folder.document["metrics"])
    write_csv(folder.path / "table.csv", ["point", "id", "status", *axes, *metrics], rows)
    if "seed" in axes:
        means = [{**line, **{f"{name} ±": half for name, half in line["half"].items()}} for line in lines]
        write_csv(folder.path / "means.csv", ["point", "runs", *(axis for axis in axes if axis != "seed"),
                                              *(part for name in metrics for part in (name, f"{name} ±"))], means)
    write_sqlite(folder, rows)


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def write_sqlite(folder, rows):
    """Writes results.sqlite: table `results` as table.csv, with parameters as numbers (seconds, bit/s, bytes, Hz) where
    a whole column is; `parameters` with each as written, too; `failures` with the messages."""
    part = folder.path / f".results.{os.getpid()}"
    part.unlink(missing_ok=True)
    axes, metrics = folder.document["axes"], list(folder.document["metrics"])
    base = sqlite3.connect(part)
    numbers = {axis: typed([row[axis] for row in rows]) for axis in axes}
    numbers.update((name, [row[name] for row in rows]) for name in metrics)
    columns = ["point INTEGER PRIMARY KEY", "id TEXT", "status TEXT",
               *(f"{quoted(name)} {sql_type(values)}" for name, values in numbers.items())]
    base.execute(f"CREATE TABLE results ({', '.join(columns)})")
    base.execute("CREATE TABLE parameters (point INTEGER, name TEXT, text TEXT, number REAL)")
    base.execute("CREATE TABLE failures (point INTEGER, status TEXT, message TEXT)")
    for i, row in enumerate(rows):
        values = [row[n] for n in ("point", "id", "status")] + [v[i] for v in numbers.values()]
        base.execute(f"INSERT INTO results VALUES ({','.join('?' * len(values))})", values)
        base.executemany("INSERT INTO parameters VALUES (?,?,?,?)",
                         [(row["point"], a, row[a], quantity.number(row[a])) for a in axes])
        if row["status"] != folders.OK:
            base.execute("INSERT INTO failures VALUES (?,?,?)", (row["point"], row["status"], row["message"]))
    base.commit()
    base.close()
    os.replace(part, folder.path / "results.sqlite")


def averaged(folder, rows):
    """A dict for all ok seeds of a setting: point (the first), runs, parameters, the means of the metrics; `half`:
    half the width of each mean's interval; `seeds`: {metric: {seed: value}}."""
    axes = [axis for axis in folder.document["axes"] if axis != "seed"]
    groups = {}
    for row in rows:
        if row["status"] == folders.OK:
            groups.setdefault(tuple(row[a] for a in axes), []).append(row)
    out = []
    for key, group in groups.items():
        line = {"point": group[0]["point"], "runs": len(group), **dict(zip(axes, key)), "half": {}, "seeds": {}}
        for name in folder.document["metrics"]:
            seeds = {row.get("seed", ""): float(row[name]) for row in group if isinstance(row[name], (int, float))}
            values = list(seeds.values())
            line[name] = mean(values) if values else None
            line["half"][name], line["seeds"][name] = confidence(values), seeds
        out.append(line)
    return out


def pareto(lines, better):
    """The lines that no other line beats: none is at least as good in every metric and better in one. `better`:
    {metric: max or min}."""
    sign = {name: 1 if way == "max" else -1 for name, way in better.items()}
    able = [line for line in lines if all(line[name] is not None for name in better)]

    def beats(a, b):
        gains = [sign[n] * (a[n] - b[n]) for n in better]
        return min(gains) >= 0 and max(gains) > 0

    return [line for line in able if not any(beats(other, line) for other in able)]


def tied(one, other, metric):
    """True if two lines cannot be told apart by a metric: equal means, or an interval of the differences seed by seed
    that holds 0."""
    a, b = one["seeds"][metric], other["seeds"][metric]
    differences = [a[seed] - b[seed] for seed in a if seed in b]
    half = confidence(differences)
    return one[metric] == other[metric] or half is not None and abs(mean(differences)) <= half


def best_lines(folder, lines):
    """(title, line, the lines tied with it) for the best line by each metric, and for the lines that no other beats."""
    best = folder.document["best"]
    for name, way in best.items():
        able = [line for line in lines if line[name] is not None]
        if able:
            pick = (max if way == "max" else min)(able, key=operator.itemgetter(name))
            yield f"{way} {name}", pick, [line for line in able if line is not pick and tied(pick, line, name)]
    if len(best) > 1:
        for line in pareto(lines, best):
            yield "not beaten", line, []


def mean_text(line, metric):
    return "" if line[metric] is None else with_interval(line[metric], line["half"][metric])


def ties_text(lines):
    numbers = [str(line["point"]) for line in lines]
    return ", ".join(numbers[:5]) + (f" and {len(numbers) - 5} more" if len(numbers) > 5 else "")


def best_text(folder, lines):
    """best_lines as a table in Markdown, with a column for ties where there are some."""
    best = folder.document["best"]
    if not best or not lines:
        return ""
    axes = [axis for axis in folder.document["axes"] if axis != "seed"]
    found = list(best_lines(folder, lines))
    ties = ["tied with"] if any(tied_lines for _, _, tied_lines in found) else []
    head = ["", "point", *axes, *best, *ties]
    text = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for title, line, tied_lines in found:
        cells = [title, str(line["point"]), *(str(line[a]) for a in axes), *(mean_text(line, m) for m in best),
                 *([ties_text(tied_lines)] if ties else [])]
        text.append("| " + " | ".join(cells) + " |")
    return "\n".join(text) + "\n"


def missed_limits(folder, lines):
    """A sentence for each limit of the plan that the mean over the seeds of a setting does not keep."""
    for limit in folder.document.get("limits", []):
        figure = figures.Figure(**limit)
        for line in lines:
            value = line[figure.value]
            if value is None or not figures.inside(figure, value):
                shown = "no value" if value is None else mean_text(line, figure.value)
                reason = f" ({figure.reason})" if figure.reason else ""
                yield (bool(figure.reason), f"point {line['point']}: {figure.value} is {shown}; the limit is "
                       f"{figures.accepted_text(figure)}{reason}")
