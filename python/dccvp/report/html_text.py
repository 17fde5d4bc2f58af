"""Formats numbers, tables and sections as HTML."""

import html
import math

escape = html.escape
THIN = "\u202f"  # Narrow no-break space that separates groups of three digits.


def grouped(text):
    """Formats 1234567.8 as 1 234 567.8 with narrow no-break spaces."""
    sign = "-" if text.startswith("-") else ""
    whole, dot, rest = text.lstrip("-").partition(".")
    if len(whole) > 4:
        whole = f"{int(whole):,}".replace(",", THIN)
    return sign + whole + dot + rest


def number(value, digits=2):
    """Returns the text of a number; a dash for None."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return grouped(str(value))
    if not math.isfinite(value):
        return "–"
    return grouped(f"{value:.{digits}f}")


def look_up(metrics, path):
    for step in path.split("."):
        metrics = metrics[int(step)] if isinstance(metrics, list) else metrics.get(step)
        if metrics is None:
            return None
    return metrics


def figure(run, index, path, digits=2, scale=1, unit=""):
    """Returns a figure of metrics.json in a span that carries the figure's path and scale."""
    value = look_up(run.metrics, path)
    shown = None if value is None else value if scale == 1 else value * scale
    text = number(shown, digits)
    if unit and shown is not None:
        unit = f'<span class="unit">&#8239;{escape(unit)}</span>'
    else:
        unit = ""
    return (f'<span data-run="{index}" data-metric="{escape(path)}" data-scale="{scale:g}">{text}'
            f"</span>{unit}")


def table(head, rows, kinds=None, caption="", css=""):
    """Returns a table of HTML cells; `kinds`: a letter for each column, l for text, r for numbers."""
    kinds = kinds or "l" + "r" * (len(head) - 1)
    cells = "".join(f'<th scope="col" class="{k}">{h}</th>' for h, k in zip(head, kinds))
    body = "".join("<tr>" + "".join(f'<td class="{k}">{c}</td>' for c, k in zip(row, kinds)) +
                   "</tr>\n" for row in rows)
    title = f"<caption>{caption}</caption>" if caption else ""
    return (f'<div class="scroll"><table class="{css}">{title}<thead><tr>{cells}</tr></thead>'
            f"<tbody>{body}</tbody></table></div>")


def size_text(count):
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if count >= factor:
            return f"{count / factor:g}&#8239;{unit}"
    return f"{count:g}&#8239;B"


def time_text(seconds):
    if seconds is None:
        return "–"
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1 or unit == "µs":
            return f"{seconds * factor:.4g}&#8239;{unit}"
    return ""


def meter(share, mark=None, colour="var(--accent)", label=""):
    """Returns a bar from 0 to `share` (at most 1), with a line at `mark`, the expected share."""
    share = min(max(share or 0, 0), 1)
    line = f'<b style="left:{100 * min(mark, 1):.2f}%"></b>' if mark is not None else ""
    return (f'<span class="meter" role="img" aria-label="{escape(label)}">'
            f'<i style="width:{100 * share:.2f}%;background:{colour}"></i>{line}</span>')


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
