"""The report of a sweep: parameters, best points, pictures, and every point."""

import base64

from dccvp.experiments import folder as folders
from dccvp.experiments import results
from dccvp.report.html_text import escape, table
from dccvp.report.layout import section
from dccvp.report.page import filled

MOST_POINTS = 5000  # a browser lays out so many rows in a second or two

SECTIONS = (("summary", "Summary"), ("best", "Best"), ("pictures", "Pictures"), ("points", "Points"))


def figure_text(value):
    """A figure with six significant digits; a whole number or a text as it is; a dash for None."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return escape(str(value) if isinstance(value, (int, str)) else f"{value:.6g}")


class Columns:
    """The columns of the tables: parameters as written, metrics with their units."""

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
    body = table(["", "point", *columns.head, "tied with"], rows, "lr" + columns.kinds + "l") if rows else \
        '<p class="note">The sweep does not say what is better (`best`).</p>'
    return section("best", "Best", body, "The best point by each metric, with the points that cannot be "
                   "told from it, and the points that no other beats in all metrics; means over the seeds with their "
                   "95 % intervals.")


def pictures(folder):
    found = sorted([*folder.path.glob("heatmap_*.png"), *folder.path.glob("pareto_*.png")])
    body = "".join(
        f'<p><img src="data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}" '
        f'alt="{escape(path.stem)}" style="max-width:100%;background:#fff"></p>' for path in found)
    return section("pictures", "Pictures", body or '<p class="note">None were drawn.</p>')


def points(folder, rows):
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
                      f"<code>points/{escape(row['id'])}</code>"])
    axes = len(columns.axes)
    caption = f"The first {MOST_POINTS} of {len(rows)}; table.csv has all" if len(rows) > MOST_POINTS else ""
    return section("points", "Points", table(
        ["point", *columns.head[:axes], "", *columns.head[axes:], "results"], shown,
        "r" + columns.kinds[:axes] + "l" + columns.kinds[axes:] + "l", caption))


def page(path):
    """The HTML about the folder of a sweep; InputError if it is none."""
    folder = folders.Folder.open(path)
    rows = results.rows_of(folder)
    lines = results.averaged(folder, rows)
    body = summary(folder, rows) + best(folder, lines) + pictures(folder) + points(folder, rows)
    return filled("DCC-VP sweep report", folder.document["name"], SECTIONS, body,
                  f"From {path}. A point's own report: dccvp report {path}/points/….", {"runs": []})
