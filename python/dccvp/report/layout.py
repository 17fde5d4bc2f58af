"""Lays out a section of a report: heading, note, a panel for each run."""

from dccvp.report.html_text import escape


def colour(dscps, dscp):
    return f"var(--series-{dscps.index(dscp) % 8})" if dscp in dscps else "var(--pale)"


def heading(runs, index):
    return f"<h3>{escape(runs[index].label)}</h3>" if len(runs) > 1 else ""


def side_by_side(runs, make):
    """Returns a panel for each run, side by side."""
    panels = [f'<div class="panel">{heading(runs, i)}{make(run, i)}</div>'
              for i, run in enumerate(runs)]
    return f'<div class="runs">{"".join(panels)}</div>'


def section(name, title, body, note=""):
    note = f'<p class="note">{note}</p>' if note else ""
    return f'<section id="{name}"><h2>{title}</h2>{note}{body}</section>\n'
