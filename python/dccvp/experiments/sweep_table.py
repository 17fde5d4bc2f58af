"""The result table of a sweep: table.csv and results.sqlite, and what is best in it."""

import csv
import io
import json
import operator
import os
import sqlite3
import statistics

from dccvp import cost
from dccvp.common import quantity
from dccvp.experiments import metric_path, sweep_points
from dccvp.common.ending import InputError
from dccvp.common.whole_file import write_whole


def rows_of(folder):
    """A dict a point: point (from 1), id, status, message, parameters, metrics. Metrics are None
    unless the point is ok; `missing` says why one is not there although it is."""
    metrics = {n: metric_path.Metric(t, None) for n, t in folder.document["metrics"].items()}
    rows = []
    for number, point in enumerate(folder.points, 1):
        done = folder.status(point) or {"status": "missing", "message": ""}
        row = {"point": number, "id": point["id"], **done, "missing": {}}
        row.update({axis: point["values"].get(axis, "") for axis in folder.document["axes"]})
        row.update({name: None for name in metrics})
        if done["status"] == sweep_points.OK:
            file = folder.results(point) / "metrics.json"
            try:
                results = json.loads(file.read_text(encoding="utf-8"))
            except ValueError as error:
                raise InputError(f"'{file}': {error}; remove it and run the sweep again") from None
            if any(metric.steps[0] == "cost" for metric in metrics.values()):
                results["cost"] = cost.of_run(folder.results(point))
            for name, metric in metrics.items():
                try:
                    row[name] = metric.value(results)
                except metric_path.Missing as missing:  # another shape of platform
                    row["missing"][name] = str(missing)
        rows.append(row)
    return rows


def always_missing(rows, metrics):
    """{metric: why} of those that every point which was run lacks."""
    ok = [row for row in rows if row["status"] == sweep_points.OK]
    return {name: ok[0]["missing"][name] for name in metrics
            if ok and all(name in row["missing"] for row in ok)}


def typed(texts):
    """An axis as numbers that can be compared, where all its texts are numbers (in s, bit/s, bytes or
    Hz) or truth values; else as it was written. An empty text becomes None."""
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


def write_csv(folder, rows):
    names = ["point", "id", "status", *folder.document["axes"], *folder.document["metrics"]]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([cell(row[name]) for name in names] for row in rows)
    write_whole(folder.path / "table.csv", text.getvalue())


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def write_sqlite(folder, rows):
    """Table `results` as the CSV, but with parameters as numbers (seconds, bit/s, bytes, Hz) where all
    of a column are; `parameters` with each as it was written, too; `failures` with what was said."""
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
        if row["status"] != sweep_points.OK:
            base.execute("INSERT INTO failures VALUES (?,?,?)",
                         (row["point"], row["status"], row["message"]))
    base.commit()
    base.close()
    os.replace(part, folder.path / "results.sqlite")


def averaged(folder, rows):
    """One row for all seeds of the same settings: means of the metrics over the ok ones."""
    axes = [axis for axis in folder.document["axes"] if axis != "seed"]
    groups = {}
    for row in rows:
        if row["status"] == sweep_points.OK:
            groups.setdefault(tuple(row[a] for a in axes), []).append(row)
    out = []
    for key, group in groups.items():
        line = {"point": group[0]["point"], "runs": len(group), **dict(zip(axes, key))}
        for name in folder.document["metrics"]:
            values = [float(r[name]) for r in group if isinstance(r[name], (int, float))]
            line[name] = statistics.fmean(values) if values else None
        out.append(line)
    return out


def pareto(lines, better):
    """Those of which no other is at least as good in everything and better in something. `better`:
    {metric: max or min}."""
    sign = {name: 1 if way == "max" else -1 for name, way in better.items()}
    able = [line for line in lines if all(line[name] is not None for name in better)]

    def beats(a, b):
        gains = [sign[n] * (a[n] - b[n]) for n in better]
        return min(gains) >= 0 and max(gains) > 0

    return [line for line in able if not any(beats(other, line) for other in able)]


def best_lines(folder, lines):
    """(what it is, line): the best by each metric, and those that are not beaten in all of them."""
    best = folder.document["best"]
    for name, way in best.items():
        able = [line for line in lines if line[name] is not None]
        if able:
            pick = max if way == "max" else min
            yield f"{way} {name}", pick(able, key=operator.itemgetter(name))
    if len(best) > 1:
        for line in pareto(lines, best):
            yield "not beaten", line


def best_text(folder, lines):
    """best_lines as Markdown."""
    best = folder.document["best"]
    if not best or not lines:
        return ""
    axes = [axis for axis in folder.document["axes"] if axis != "seed"]
    head = ["", "point", *axes, *best]
    text = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]

    for title, line in best_lines(folder, lines):
        figures = ["" if line[m] is None else f"{line[m]:.6g}" for m in best]
        text.append("| " + " | ".join([title, str(line["point"]), *(str(line[a]) for a in axes),
                                       *figures]) + " |")
    return "\n".join(text) + "\n"
