"""Page and picture that show which units answer congestion notifications in time, from the sweep
configs/sweeps/programs.yaml.

  tool.py reactions-page [--onto PAGE] [--picture FILE] [TABLE]

TABLE is the sweep's table (default out/programs/table.csv). PAGE is written anew (default
configs/programs/reactions.md), FILE gets the picture (default docs/pictures/reactions.png).
"""

import argparse
import math
import os
import pathlib

from dccvp.common.columns import rows_of
from dccvp.common.ending import InputError
from dccvp.common.pictures import COLOURS, GRID, INK, plt, save
from dccvp.common.quantity import ordered
from dccvp.common.text_table import markdown

ROOT = pathlib.Path(__file__).resolve().parents[3]
CONTROL = "nic.congestion_control"
RATE, FLOWS = "topology.link.rate", "traffic.0.flows"
BLOCK, HOST = "hardware block", "software on the host"
SHOWN = (BLOCK, "8 × 2GHz", "4 × 1GHz", "1 × 1GHz", HOST)
BASE_ROUND_TRIP_US = 4  # Base round-trip time: two links of 1 us each way.

INTRODUCTION = """\
# Who answers congestion notifications in time

```sh long
build/dccvp sweep configs/sweeps/programs.yaml -j 2
python/tool.py reactions-page
```

writes this page. DCQCN with the values of its paper and a least rate of 10 Mb/s runs in the hardware block, as
`firmware/programs/dcqcn.c` on one to eight cores of the NIC, and on the host. Two senders, each with the given number
of flows, share one port for 2 ms from the begin of all flows; a flow gets at most one notification every 50 µs. Each
point was run once.

- *Reaction*: time from a notification to the lower rate that its flow gets for it, in the block, in a core and on the
  host alike; median and 99th percentile over all notifications that lowered a rate. Where several notifications share
  one answer, the time runs from the first for a program, from the newest for the block.
- *Software on the host* is the same program on one core of 2 GHz whose every call takes 5 µs more: an assumed way over
  PCI Express and back, and an interrupt for each event. It is not measured on the platform's host processors, whose
  drivers do not calculate rates. A host that takes several events with one interrupt loses fewer.
- *Keeps up*: no event was lost or merged, and 99 % of the reactions took less than the network's base round trip of
  4 µs. For the block: it dropped no notification.
- *Queue*: the longest of the network, mean over time; PFC bounds it. *Share error*: standard deviation of the flows'
  goodput, relative to its mean. *Lost*, *merged*: events of programs, or notifications that the block dropped.
- *Instructions* of all handlers stand for energy: times the energy of an instruction. The block has none.
"""

READING = """\

![Reaction, median and 99th percentile, over the number of flows]({picture})

## How to read it
Late answers do not lower goodput in so short a run: a sender that does not slow down keeps the port busy, and PFC
pauses it. They show as queue and as lost events. Where the queue is the same for all answerers, it has filled the
buffer, and 2 ms are too short to empty it.

If each packet caused an event, frames of 512 B at 100 Gb/s ({packets:.1f} million a second with preamble and gap) would
leave {budget:.0f} ns for each. A call of `dcqcn.c` takes {call:.0f} ns at 1 GHz, so such a program would need {cores}
cores.

Beside it, what papers say in their abstracts. Fuhrer et al., *Implementing Reinforcement Learning Datacenter Congestion
Control in NVIDIA NICs* ([arXiv:2207.02295](https://arxiv.org/abs/2207.02295)): such adapters require a decision within
microseconds, reached there by an inference 500 times shorter. Against that, every answerer whose p99 is below a few µs
would do. Arashloo et al., *Enabling Programmable Transport Protocols in High-Speed NICs*
([NSDI 2020](https://www.usenix.org/conference/nsdi20/presentation/arashloo)): programmable logic instead of cores meets
100 Gb/s of back-to-back packets of 128 B, one each 10 ns. Chen et al., *Demystifying Datapath Accelerator Enhanced
Off-path SmartNIC* ([arXiv:2402.03041](https://arxiv.org/abs/2402.03041)): the cores in the path of a BlueField-3 are
much weaker than its Arm cores and the host's. The 512 B above are this page's own example, no published figure.
[DOCA PCC](https://docs.nvidia.com/doca/archive/2-10-0/DOCA+PCC) describes such an interface without figures.
"""


def name_of(row):
    """Returns the name, in words, of the unit that answers notifications."""
    def value(key):
        return row.get(f"{CONTROL}.{key}", "")
    if row.get(CONTROL):
        return BLOCK
    if value("dispatch"):
        return HOST
    return f"{value('cores')} × {value('clock')}"


def figure(row, name):
    return float(row[name] or 0)


def lost(row):
    return sum(figure(row, name) for name in ("lost", "block_lost", "block_dropped", "full"))


def reaction_us(row, quantile="p99"):
    """Returns the reaction time in microseconds; NaN if no notification lowered a rate."""
    return float(row[f"reaction_{quantile}"] or math.nan)


def keeps_up(row):
    return lost(row) == 0 and figure(row, "merged") == 0 and reaction_us(row) < BASE_ROUND_TRIP_US


def share_error(row):
    """Returns the relative standard deviation c of n flows' shares, from Jain's index: J = 1 / (1 + c²)."""
    jain = figure(row, "jain")
    return math.sqrt(max(0.0, 1 / jain - 1)) if jain else math.nan


def short(value):
    if math.isnan(value):
        return "–"
    return f"{value:.0f}" if value == int(value) or abs(value) >= 1000 else f"{value:.3g}"


def of(rows, rate, *names):
    """Returns the table rows of this rate and of units with these names, sorted by the number of flows."""
    return sorted((r for r in rows if r[RATE] == rate and name_of(r) in names), key=lambda r: int(r[FLOWS]))


def limits(rows):
    """Returns, for each unit and rate, the greatest number of flows such that the unit keeps up with this and every
    smaller number in the sweep."""
    rates = ordered(row[RATE] for row in rows)
    table_rows = []
    most = max(int(row[FLOWS]) for row in rows)
    for name in dict.fromkeys(name_of(row) for row in rows):
        cells = []
        for rate in rates:
            reached = 0
            for row in of(rows, rate, name):
                if not keeps_up(row):
                    break
                reached = int(row[FLOWS])
            cells.append("none" if reached == 0 else f"{reached}, all" if reached == most else str(reached))
        table_rows.append((name, *cells))
    return ["", "## Keeps up to this number of flows a NIC", *markdown(("answers by", *rates), table_rows)]


def table(rows, rate):
    head = ("flows", "answers by", "reaction p50 µs", "p99", "queue KB", "goodput Gb/s", "share error", "merged",
            "lost", "instructions")
    return ["", f"## {rate}", *markdown(head, [
        (row[FLOWS], name_of(row), short(reaction_us(row, "p50")), short(reaction_us(row)),
         short(figure(row, "queue_mean") / 1000), short(figure(row, "goodput")), f"{share_error(row):.3f}",
         short(figure(row, "merged")), short(lost(row)), short(figure(row, "instructions")))
        for row in of(rows, rate, *SHOWN)])]


def draw(rows, to):
    rates = ordered(row[RATE] for row in rows)
    fig, panels = plt.subplots(1, len(rates), figsize=(4 * len(rates), 3.6), sharey=True, squeeze=False)
    for axes, rate in zip(panels[0], rates):
        for name, colour in zip(SHOWN, COLOURS):
            mine = of(rows, rate, name)
            flows = [int(r[FLOWS]) for r in mine]
            axes.plot(flows, [reaction_us(r) for r in mine], marker="o", markersize=4, color=colour, label=name)
            axes.plot(flows, [reaction_us(r, "p50") for r in mine], linestyle=":", color=colour)
        axes.axhline(BASE_ROUND_TRIP_US, color=INK, linewidth=0.8, linestyle="--", label="base round trip")
        axes.set(xscale="log", yscale="log", xlabel="flows of a NIC", title=rate)
        axes.grid(color=GRID)
    panels[0][0].set_ylabel("reaction (µs): p99, dotted p50")
    panels[0][-1].legend(fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
    fig.tight_layout()
    save(fig, to)


def page(rows, picture):
    calls = [row for row in rows if name_of(row) == "1 × 1GHz" and figure(row, "calls")]
    call_ns = sum(figure(row, "busy_ns") for row in calls) / sum(figure(row, "calls") for row in calls)
    packets = 100e9 / ((512 + 20) * 8)
    reading = READING.format(picture=picture, packets=packets / 1e6, budget=1e9 / packets, call=call_ns,
                             cores=math.ceil(call_ns * packets / 1e9))
    lines = [INTRODUCTION.rstrip("\n"), *limits(rows), reading.rstrip("\n")]
    for rate in ordered(row[RATE] for row in rows):
        lines += table(rows, rate)
    return "\n".join(lines) + "\n"


def main(arguments):
    parser = argparse.ArgumentParser(prog="tool.py reactions-page", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", nargs="?", type=pathlib.Path, default=ROOT / "out/programs/table.csv")
    parser.add_argument("--onto", type=pathlib.Path, default=ROOT / "configs/programs/reactions.md")
    parser.add_argument("--picture", type=pathlib.Path, default=ROOT / "docs/pictures/reactions.png")
    options = parser.parse_args(arguments)
    if not options.table.exists():
        raise InputError(f"{options.table} does not exist: run `dccvp sweep configs/sweeps/programs.yaml` first")
    rows = list(rows_of(options.table))
    failed = [row["point"] for row in rows if row["status"] != "ok"]
    if failed:
        raise InputError(f"{options.table}: points {', '.join(failed)} have no figures")
    draw(rows, options.picture)
    options.onto.write_text(page(rows, os.path.relpath(options.picture, options.onto.parent)), encoding="utf-8")
    return 0
