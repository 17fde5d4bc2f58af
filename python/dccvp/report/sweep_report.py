"""Makes the report of a sweep: parameters, best points, pictures, and every point."""

from dccvp.experiments import figures
from dccvp.experiments import folder as folders
from dccvp.experiments import results
from dccvp.report import sweep_pictures
from dccvp.report.completion_pictures import Flows, completion_pictures
from dccvp.report.html_text import escape, section, table
from dccvp.report.page import filled

MOST_CURVES = 8     # Greatest number of colours that a reader can distinguish.
MOST_POINTS = 5000  # Greatest number of rows that a browser lays out in a second or two.

SECTIONS = [(name, name.capitalize()) for name in ("summary", "best", "pictures", "completion", "points")]


def figure_text(value):
    """Formats a figure with six significant digits; a whole number or a text unchanged; a dash for None."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return escape(str(value) if isinstance(value, (int, str)) else f"{value:.6g}")


class Columns:
    """The columns of a sweep's tables: parameters as written, metrics with their units."""

    def __init__(self, document, without=()):
        self.axes = [axis for axis in document["axes"] if axis not in without]
        self.metrics = list(document["metrics"])
        units = document["units"]
        self.head = [f"<code>{escape(axis)}</code>" for axis in self.axes] + [
            escape(f"{name}, {units[name]}" if units[name] else name) for name in self.metrics]
        self.kinds = "r" * len(self.head)

    def settings(self, line):
        return [escape(str(line[axis])) for axis in self.axes]

    def cells(self, line):
        return self.settings(line) + [figure_text(line[name]) for name in self.metrics]


def summary(folder, rows):
    document = folder.document
    ok = sum(row["status"] == folders.OK for row in rows)
    state = "good" if ok == len(rows) else "bad"
    varied = [[f"<code>{escape(axis)}</code>",
               escape(", ".join(dict.fromkeys(str(row[axis]) for row in rows if row[axis] != "")))]
              for axis in document["axes"]]
    measured = [[escape(name), f"<code>{escape(path)}</code>", escape(document["units"][name])]
                for name, path in document["metrics"].items()]
    body = (f'<p class="verdict"><span class="state {state}">{ok} of {len(rows)} points ok</span></p>'
            f"<p>Platform: <code>{escape(document['platform'])}</code></p>"
            '<div class="tables">' + table(["parameter", "values"], varied, "ll", "What varied", "left")
            + table(["metric", "figure of metrics.json", "unit"], measured, "lll", "What was measured",
                    "left") + "</div>")
    return section("summary", "Summary", body)


def best(folder, lines):
    columns = Columns(folder.document, without=("seed",))
    rows = [[escape(title), str(line["point"]), *columns.settings(line),
             *(escape(results.mean_text(line, name)) or "–" for name in columns.metrics),
             escape(results.ties_text(ties))]
            for title, line, ties in results.best_lines(folder, lines)]
    note = f'<p class="note">{escape(results.ONE_RUN)}</p>' if all(line["runs"] == 1 for line in lines) else ""
    body = note + table(["", "point", *columns.head, "tied with"], rows, "lr" + columns.kinds + "l") if rows else \
        '<p class="note">The sweep does not say what is better (`best`).</p>'
    body += "".join(f'<p class="note">{escape(sentence)}</p>' for sentence in results.without_effect(folder, lines))
    return section("best", "Best", body, "The best point by each metric, with the points that cannot be "
                   "told from it, and the points that no other beats in all metrics; means over the seeds with their "
                   "95 % intervals.")


def completion(folder, rows, lines):
    """Returns pictures of the completion times of the settings, each over all its seeds."""
    axes = [axis for axis in folder.document["axes"] if axis != "seed"]
    best = next(iter(folder.document["best"].items()), None)
    shown, note = lines, ""
    if len(lines) > MOST_CURVES:
        if best is None:
            return ""
        name, way = best
        able = [line for line in lines if line[name] is not None]
        shown = sorted(able, key=lambda line: line[name], reverse=way == "max")[:MOST_CURVES]
        note = f'<p class="note">The {len(shown)} of {len(lines)} settings with the best {escape(name)}.</p>'
    runs = []
    for line in shown:
        settings = tuple(line[axis] for axis in axes)
        flows = Flows(", ".join(str(text) for text in settings if text != "") or f"point {line['point']}")
        for row in rows:
            if row["status"] == folders.OK and tuple(row[axis] for axis in axes) == settings:
                place = folder.results(folder.points[row["point"] - 1])
                flows.add_folder(place, figures.results_of(place, times=False))
        runs.append(flows)
    drawn = completion_pictures(runs)
    return section("completion", "Completion times", note + drawn, "Flows that began within <code>measure</code>, over "
                   "all seeds of a setting. Slowdown: completion time over the time in an empty network.") \
        if drawn else ""


def points(folder, rows, links):
    columns = Columns(folder.document)
    shown = []
    for row in rows[:MOST_POINTS]:
        if row["status"] == folders.OK:
            state = '<span class="state good">ok</span>'
        else:
            state = f'<span class="state bad">{row["status"]}</span> {escape(row["message"])}'
        cells = columns.cells(row)
        axes = len(columns.axes)
        shown.append([str(row["point"]), *cells[:axes], state, *cells[axes:],
                      f'<a href="{escape(links[row["id"]])}">points/{escape(row["id"])}</a>' if row["id"] in links
                      else f"<code>points/{escape(row['id'])}</code>"])
    axes = len(columns.axes)
    caption = f"The first {MOST_POINTS} of {len(rows)}; table.csv has all" if len(rows) > MOST_POINTS else ""
    return section("points", "Points", table(
        ["point", *columns.head[:axes], "", *columns.head[axes:], "results"], shown,
        "r" + columns.kinds[:axes] + "l" + columns.kinds[axes:] + "l", caption))


def page(path, links=None):
    """Returns the HTML report of a sweep in a folder; InputError if the folder holds no sweep. `links`: {id of a
    point: address of its report}."""
    links = links or {}
    folder = folders.Folder.open(path)
    rows = results.rows_of(folder)
    lines = results.averaged(folder, rows)
    drawn = sweep_pictures.pictures(folder, lines, links)
    times = completion(folder, rows, lines)
    drawn = drawn or '<p class="note">The sweep asks for none (`heatmaps`, `pareto`).</p>'
    body = (summary(folder, rows) + best(folder, lines) + section("pictures", "Pictures", drawn) + times
            + points(folder, rows, links))
    titles = [title for title in SECTIONS if title[0] != "completion" or times]
    return filled("DCC-VP sweep report", folder.document["name"], titles, body, f"From {path}.", {"runs": []})
