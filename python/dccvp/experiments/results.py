"""Makes the result tables of a sweep, table.csv, means.csv and results.sqlite; finds its best points and missed
limits."""

import csv
import io
import operator
import os
import sqlite3

from dccvp import cost
from dccvp.common import quantity
from dccvp.common.ending import InputError
from dccvp.common.scales import reach
from dccvp.common.statistics import confidence, interval, mean, with_interval
from dccvp.common.text_table import markdown
from dccvp.common.whole_file import write_whole
from dccvp.experiments import figures
from dccvp.experiments import folder as folders


def rows_of(folder):
    """A dict for each point: point (from 1), id, status, message, parameters, metrics. Metrics are None unless the
    status is ok; `missing` gives, for each metric that a successful point lacks, the reason. InputError for altered
    results."""
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
                except figures.Missing as missing:  # Points with another topology may lack this metric.
                    row["missing"][name] = str(missing)
        rows.append(row)
    return rows


def always_missing(rows, metrics):
    """Returns {metric: reason why it is missing} for the metrics that every finished point lacks."""
    ok = [row for row in rows if row["status"] == folders.OK]
    return {name: ok[0]["missing"][name] for name in metrics if ok and all(name in row["missing"] for row in ok)}


def typed(texts):
    """Returns the values of an axis as numbers (in s, bit/s, bytes or Hz) or truth values if all texts can be
    converted, else the texts. An empty text becomes None."""
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
    """Writes table.csv with a row for each point and results.sqlite; with several seeds means.csv with a row for all
    seeds of a setting (each mean with half of its 95 % interval by Student's t, and the ends of its interval) and
    differences.csv (paired differences from the best setting)."""
    axes, metrics = folder.document["axes"], list(folder.document["metrics"])
    write_csv(folder.path / "table.csv", ["point", "id", "status", *axes, *metrics], rows)
    if "seed" in axes:
        means = [{**line, **{f"{name} ±": half for name, half in line["half"].items()},
                  **{f"{name} {end}": ends[i] if ends else None for name, ends in line["interval"].items()
                     for i, end in enumerate(("low", "high"))}} for line in lines]
        write_csv(folder.path / "means.csv", ["point", "runs", *(axis for axis in axes if axis != "seed"),
                                              *(part for name in metrics for part in
                                                (name, f"{name} ±", f"{name} low", f"{name} high"))], means)
        write_csv(folder.path / "differences.csv",
                  ["metric", "point", "best point", "difference", "low", "high", "seeds", "tied"],
                  list(differences(folder.document["best"], lines)))
    write_sqlite(folder, rows)


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def write_sqlite(folder, rows):
    """Writes results.sqlite: table `results` as table.csv, with parameters as numbers (seconds, bit/s, bytes, Hz)
    where all values of a column are numbers; table `parameters` also with each value as written; table `failures`
    with the messages."""
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
    """Returns a dict for all successful seeds of a setting: point (the first), runs, parameters, means of the
    metrics; `half`: half the width of each mean's interval by Student's t; `interval`: its ends
    (statistics.interval); `seeds`: {metric: {seed: value}}; `id`: of the first point."""
    axes = [axis for axis in folder.document["axes"] if axis != "seed"]
    groups = {}
    for row in rows:
        if row["status"] == folders.OK:
            groups.setdefault(tuple(row[a] for a in axes), []).append(row)
    out = []
    for key, group in groups.items():
        line = {"point": group[0]["point"], "id": group[0]["id"], "runs": len(group), **dict(zip(axes, key)),
                "half": {}, "interval": {}, "seeds": {}}
        for name in folder.document["metrics"]:
            seeds = {row.get("seed", ""): float(row[name]) for row in group if isinstance(row[name], (int, float))}
            values = list(seeds.values())
            line[name] = mean(values) if values else None
            line["half"][name], line["interval"][name] = confidence(values), interval(values)
            line["seeds"][name] = seeds
        out.append(line)
    return out


def paired(one, other, metric):
    """Returns (mean, low, high, seeds) of the differences one - other, seed by seed; low and high are None for one
    seed. None if the two settings have no seed in common."""
    a, b = (line.get("seeds", {}).get(metric, {}) for line in (one, other))
    found = [a[seed] - b[seed] for seed in a if seed in b]
    return (mean(found), *(interval(found) or (None, None)), len(found)) if found else None


def tied(one, other, metric):
    """True if a metric does not distinguish two settings: equal means, or an interval of the differences, seed by seed,
    that contains 0."""
    if one[metric] == other[metric]:
        return True
    difference = paired(one, other, metric)
    return difference is not None and difference[1] is not None and difference[1] <= 0 <= difference[2]


def pareto(lines, better):
    """Returns the Pareto-optimal settings: no other setting is better in one metric and not worse in any, as far as
    the seeds can tell (`tied`). `better`: {metric: max or min}."""
    able = [line for line in lines if all(line[name] is not None for name in better)]

    def gain(a, b, name):
        return 0 if tied(a, b, name) else (a[name] - b[name]) * (1 if better[name] == "max" else -1)

    def beats(a, b):
        gains = [gain(a, b, name) for name in better]
        return min(gains) >= 0 and max(gains) > 0

    return [line for line in able if not any(beats(other, line) for other in able)]


def best_of(lines, name, way):
    """Returns the setting with the best mean of a metric; None if no setting has the metric."""
    able = [line for line in lines if line[name] is not None]
    return (max if way == "max" else min)(able, key=operator.itemgetter(name)) if able else None


def differences(best, lines):
    """Returns rows of the paired differences between every setting and the best one, for each metric of `best`."""
    for name, way in best.items():
        pick = best_of(lines, name, way)
        for line in lines:
            found = None if pick is None or line is pick or line[name] is None else paired(line, pick, name)
            if found:
                yield {"metric": name, "point": line["point"], "best point": pick["point"],
                       **dict(zip(("difference", "low", "high", "seeds"), found)), "tied": tied(line, pick, name)}


def best_lines(folder, lines):
    """Returns (title, setting, settings tied with it) for the best setting by each metric, and for the
    Pareto-optimal settings."""
    best = folder.document["best"]
    for name, way in best.items():
        pick = best_of(lines, name, way)
        if pick:
            yield f"{way} {name}", pick, [line for line in lines if line is not pick and line[name] is not None
                                          and tied(pick, line, name)]
    if len(best) > 1:
        for line in pareto(lines, best):
            yield "not beaten", line, []


def without_effect(folder, lines):
    """Returns a sentence for each group of settings with exactly equal figures in every seed: the parameters that
    differ within the group had no effect."""
    axes = [axis for axis in folder.document["axes"] if axis != "seed"]
    groups = {}
    for line in lines:
        figures_of_line = tuple(tuple(sorted(seeds.items())) for seeds in line["seeds"].values())
        if any(figures_of_line):
            groups.setdefault(figures_of_line, []).append(line)
    for group in groups.values():
        varied = [axis for axis in axes if len({line[axis] for line in group}) > 1]
        if varied:
            others = [axis for axis in axes if axis not in varied]
            where = ", ".join(f"{axis} = {group[0][axis]}" for axis in others) or "this sweep"
            yield f"{', '.join(varied)} changed no figure with {where} (points {ties_text(group)})"


ONE_RUN = ("Each setting was run once, so chance is unknown and ties cannot be told: `seeds: 1..5` in the sweep gives "
           "intervals.")


def shown(lines, metric):
    """Returns the values of a metric and the ends of their intervals over the seeds, limited to the range that an
    axis shows."""
    return reach([line[metric] for line in lines],
                 [end for line in lines for end in line.get("interval", {}).get(metric) or ()])


def mean_text(line, metric):
    """Returns the mean of a metric with half its interval; for a single run the value with four digits, some of
    which are random."""
    if line[metric] is None:
        return ""
    return with_interval(line[metric], line["half"][metric], digits=4 if line.get("runs") == 1 else 6)


def ties_text(lines):
    numbers = [str(line["point"]) for line in lines]
    return ", ".join(numbers[:5]) + (f" and {len(numbers) - 5} more" if len(numbers) > 5 else "")


def best_text(folder, lines):
    """Returns best_lines as a Markdown table, with a column for ties if there are any."""
    best = folder.document["best"]
    if not best or not lines:
        return ""
    axes = [axis for axis in folder.document["axes"] if axis != "seed"]
    found = list(best_lines(folder, lines))
    ties = ["tied with"] if any(tied_lines for _, _, tied_lines in found) else []
    text = markdown(["", "point", *axes, *best, *ties], [
        [title, line["point"], *(line[a] for a in axes), *(mean_text(line, m) for m in best),
         *([ties_text(tied_lines)] if ties else [])] for title, line, tied_lines in found])
    note = f"\n{ONE_RUN}\n" if all(line.get("runs") == 1 for line in lines) else ""
    return "\n".join(text) + "\n" + note


def missed_limits(folder, lines):
    """Returns a sentence for each limit of the plan that a setting's mean over the seeds violates."""
    for limit in folder.document.get("limits", []):
        figure = figures.Figure(**limit)
        for line in lines:
            value = line[figure.value]
            if value is None or not figures.inside(figure, value):
                shown = "no value" if value is None else mean_text(line, figure.value)
                reason = f" ({figure.reason})" if figure.reason else ""
                yield (bool(figure.reason), f"point {line['point']}: {figure.value} is {shown}; the limit is "
                       f"{figures.accepted_text(figure)}{reason}")
