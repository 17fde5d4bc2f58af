"""Makes the HTML page of a report: one file with styles, scripts and data."""

import json
import pathlib
import re

from dccvp.report.html_text import escape

HERE = pathlib.Path(__file__).resolve().parent


def filled(kind, title, sections, body, about, data, columns=1):
    """Returns the HTML of a page. `kind` stands above the title, `about` below the body; `sections`: (name, title)
    of the sections in the HTML `body`; `data`: the charts that the scripts draw."""
    parts = {
        "kind": escape(kind),
        "title": escape(title),
        "count": str(columns),
        "uplot_css": (HERE / "vendor/uPlot.min.css").read_text(encoding="utf-8"),
        "css": (HERE / "report.css").read_text(encoding="utf-8"),
        "nav": "".join(f'<a href="#{name}">{text}</a>' for name, text in sections),
        "body": body,
        "about": escape(about),
        # `<` in the page's JSON is escaped, because a name that contains `</script` or `<!--<script` would otherwise
        # end or hide the script that the browser reads.
        "data": json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c"),
        "uplot_js": (HERE / "vendor/uPlot.iife.min.js").read_text(encoding="utf-8"),
        "js": (HERE / "report.js").read_text(encoding="utf-8"),
    }
    page = (HERE / "page.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], page)
