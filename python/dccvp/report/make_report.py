"""Writes one self-contained HTML file about one or more runs, or about a sweep.

  tool.py report --dccvp PROGRAM -o FILE DIR...

Exit status 2, with a sentence, if a folder holds no run or the file cannot be written.
"""

import argparse
import os
import pathlib

from dccvp.common.ending import InputError
from dccvp.common.whole_file import write_whole
from dccvp.experiments.folder import OK, OLD_PLAN, PLAN, Folder
from dccvp.report import sections, series, sweep_report
from dccvp.report.page import filled
from dccvp.report.run_folder import Run

TITLES = [(name, name.capitalize()) for name in (
    "summary", "network", "classes", "rates", "queues", "completion", "flows", "controllers", "links", "counters",
    "configuration")]

# Greatest number of points whose reports a sweep's report creates; each takes a fraction of a second.
MOST_LINKED = 100


def many(count, one):
    return f"{count} {one}{'' if count == 1 else 'es' if one.endswith('s') else 's'}"


def label_runs(runs):
    """Labels the runs by the shortest parts of their folders' paths that distinguish them."""
    for run in runs:
        same = [other for other in runs if other.name == run.name]
        run.label = run.name if len(same) == 1 else str(run.folder)
        kind = run.value("topology.kind") or "network"
        algorithm = run.value("nic.congestion_control.algorithm")
        m = run.metrics
        run.subtitle = (f"{many(len({host['id'] for host in m['hosts']}), 'host')} ({kind.replace('_', ' ')}), "
                        f"{many(m['flow_count'] if 'flow_count' in m else len(m['flows']), 'flow')} in "
                        f"{many(len(m['classes']), 'class')}"
                        f"{f', algorithm {algorithm}' if algorithm else ''}, "
                        f"{m['sim_time_s'] * 1e3:g} ms simulated.")


def thinning_note(runs):
    steps = [c["step"] for run in runs for c in run.charts.values() if not c.get("spread")]
    spreads = [c["step"] for run in runs for c in run.charts.values() if c.get("spread")]
    notes = []
    if steps and max(steps) > 1:
        notes.append(f"Charts show up to {max(steps)} samples as two points, the least and the "
                     "greatest, so no peak is lost; ")
    if spreads and max(spreads) > 1:
        notes.append(f"means of flows are taken over {max(spreads)} samples; ")
    if notes:
        return "".join(notes) + "the series/*.csv have every sample."
    return "Charts show every sample."


def page(runs):
    for run in runs:
        dscps = run.dscps()
        charts = series.charts_of(
            run, lambda d, known=dscps: known.index(d) if d in known else 7, len(runs))
        run.charts = {name: chart for name, chart in charts.items() if chart}
        run.too_short = set(charts) - set(run.charts)
    data = {"runs": [{"label": run.label, "charts": run.charts,
                      "window": [run.metrics["measure"]["from_s"], run.metrics["measure"]["to_s"]]}
                     for run in runs]}
    title = runs[0].label if len(runs) == 1 else " · ".join(run.label for run in runs)
    about = f"From {', '.join(str(run.folder) for run in runs)}. {thinning_note(runs)}"
    return filled("DCC-VP run report", title, TITLES, "".join(make(runs) for make in sections.ALL), about,
                  data, min(len(runs), 4))


def runs_page(folders, dccvp):
    runs = [Run(folder, dccvp) for folder in folders]
    label_runs(runs)
    return page(runs)


def point_reports(arguments):
    """Writes the missing reports of a sweep's points into their folders; returns {id of a point: address as seen from
    the sweep's report}. For a sweep of more than MOST_LINKED points only existing reports are returned."""
    folder = Folder.open(arguments.folders[0])
    here = pathlib.Path(arguments.file).resolve().parent
    links, made = {}, 0
    for point in folder.points:
        file = folder.results(point) / "report.html"
        try:
            if not file.exists() and made < MOST_LINKED and (folder.status(point) or {}).get("status") == OK:
                write_whole(file, runs_page([file.parent], arguments.dccvp))
                made += 1
        except (OSError, InputError):  # The results come from another machine, or the folder cannot be written.
            continue
        if file.exists():
            links[point["id"]] = os.path.relpath(file.resolve(), here)
    return links


def main(argv):
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+")
    parser.add_argument("-o", dest="file", required=True)
    parser.add_argument("--dccvp", required=True)
    arguments = parser.parse_args(argv)
    sweep = len(arguments.folders) == 1 and any(
        (pathlib.Path(arguments.folders[0]) / name).exists() for name in (PLAN, OLD_PLAN))
    try:
        if sweep:
            text = sweep_report.page(arguments.folders[0], point_reports(arguments))
        else:
            text = runs_page(arguments.folders, arguments.dccvp)
    except (KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
        raise InputError(f"{', '.join(arguments.folders)}: {'plan' if sweep else 'metrics'}.json is not "
                         f"complete, or not what a {'sweep' if sweep else 'run'} writes ({error!r})") from error
    try:
        if not pathlib.Path(arguments.file).absolute().parent.is_dir():
            raise InputError(f"'{arguments.file}' could not be written: there is no such folder")
        write_whole(arguments.file, text)
    except OSError as error:
        raise InputError(f"'{arguments.file}' could not be written: {error.strerror}") from error
    return 0
