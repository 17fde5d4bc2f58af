"""Lists the bounds of the published experiments by width: greatest accepted value over the least accepted value.

  tool.py bounds            the table of docs/reproductions.md, and every bound wider than a factor of two
  tool.py bounds --check    exit 1 with each wide bound that gives no reason (`why`, or `bounds` of its experiment)

A one-sided bound counts as wide, unless the figure itself has a limit on the other side: a share, a use of a link
or Jain's index cannot exceed 1, a count cannot fall below 0.
"""

import collections
import math
import re
import sys

from dccvp.common.ending import InputError
from dccvp.common.text_table import markdown
from dccvp.experiments import figures, reproduce_plan

WIDE = 2
# Matches names of figures that cannot exceed 1.
SHARE = re.compile(r"\b(Jain|fraction|share|use of the link|of one switch|at the full port|of what is offered)\b")
# (widest bound of the class, name of the class); None: the bound is open on one side.
CLASSES = ((1, "exact"), (1.02, "to 2 %"), (1.1, "to 10 %"), (1.5, "to a factor of 1.5"), (WIDE, "to a factor of 2"),
           (math.inf, "wider, with a reason"), (None, "open on one side, with a reason"))


def limits(figure):
    """Returns (least, greatest) accepted value of a figure; None for an open side."""
    least, most = figure.at_least, figure.at_most
    tolerance = figure.within
    if tolerance is None and figure.within_share is not None:
        tolerance = figure.within_share * abs(figure.published)
    if tolerance is not None:
        least = max(figure.published - tolerance, -math.inf if least is None else least)
        most = min(figure.published + tolerance, math.inf if most is None else most)
    if SHARE.search(figure.name) and " over " not in figure.name and most is None:
        most = 1.0
    if most == 0 and least is None:
        least = 0.0
    return least, most


def width(figure):
    """Returns the greatest accepted value over the least; 1 for an exact bound; infinite for values of both signs
    or from 0; None for a bound that is open on one side."""
    least, most = limits(figure)
    if least is None or most is None:
        return None
    if least == most:
        return 1.0
    return most / least if least > 0 else math.inf


def is_wide(figure):
    factor = width(figure)
    return factor is None or factor > WIDE


def ends(figure):
    return " to ".join("open" if end is None else f"{end:.4g}" for end in limits(figure))


def bounded_figures(folder=reproduce_plan.SHIPPED):
    """Yields (experiment, run, figure) of every figure with a bound."""
    for experiment in map(reproduce_plan.read, reproduce_plan.find(folder)):
        for run in experiment.runs:
            for figure in run.figures:
                if figures.bounded(figure):
                    yield experiment, run, figure


def table(folder=reproduce_plan.SHIPPED):
    """Returns the lines of a table of the number of bounds by width."""
    widths = [width(figure) for _, _, figure in bounded_figures(folder)]
    counts = collections.Counter(
        next(name for most, name in CLASSES if factor == most or None not in (factor, most) and factor <= most)
        for factor in widths)
    return markdown(("accepted", "bounds"), [(name, counts[name]) for _, name in CLASSES])


def unexplained(folder=reproduce_plan.SHIPPED):
    """Returns a sentence for each wide bound without a reason."""
    return [f"{experiment.name}.figures.yml: {run.name}: {figure.name}: a bound wider than a factor of {WIDE}"
            f" ({ends(figure)}) needs 'why'"
            for experiment, run, figure in bounded_figures(folder) if is_wide(figure) and not figure.why]


def main(arguments):
    if arguments not in ([], ["--check"]):
        raise InputError(__doc__)
    faults = unexplained()
    if faults:
        print("\n".join(faults), file=sys.stderr)
    if not arguments:
        print("\n".join(table()))
        for experiment, run, figure in bounded_figures():
            if is_wide(figure):
                print(f"{experiment.name}: {run.name}: {figure.name}: {ends(figure)}: {figure.why}")
    return 1 if faults else 0
