"""Compares the rates of weighted flows in networks with several bottlenecks with two theoretical allocations.
dccvp's tool `weight-tree`: draws flows of weights 1 to 8 over a parking lot or over a tree of leaves and one spine,
and compares their goodput with two allocations.

max-min      every flow has a link that is full and on which no flow has more for a unit of weight (water-filling)
prop. fair   greatest sum of weight times log(rate): where marks of all links of a path add up

On both networks a flow has one path, so the allocations need no knowledge of routing. Exit status 1: a run broke off.
"""

import argparse
import random
import sys
import typing

from dccvp import program
from dccvp.common.statistics import percentile
from dccvp.common.text_table import text_table

PAYLOAD = 1000 / 1082  # Share of payload in a full packet of 1000 B with preamble and gap.
COLUMNS = ("point", "flows", "links full", "of max-min: median %", "95th %", "of prop. fair: median %", "95th %",
           "least use of these", "pauses")


def max_min(paths, weights, rates):
    """Returns the weighted max-min rate of each flow. `paths`: the links of each flow, `rates`: {link: rate}."""
    left, waiting = dict(rates), set(range(len(paths)))
    found = [0.0] * len(paths)
    while waiting:
        load = {}
        for flow in waiting:
            for link in paths[flow]:
                load[link] = load.get(link, 0) + weights[flow]
        full = min(load, key=lambda link: left[link] / load[link])
        level = left[full] / load[full]
        for flow in [flow for flow in waiting if full in paths[flow]]:
            found[flow] = level * weights[flow]
            for link in paths[flow]:
                left[link] -= found[flow]
            waiting.remove(flow)
    return found


def proportionally_fair(paths, weights, rates, rounds=20000):
    """Returns the proportionally fair rates, with the greatest sum of weight times log(rate): w / (sum of the
    prices of the links). A link's price rises while the flows exceed its rate, and falls while the flows leave a
    part of the rate unused."""
    price = {link: 1 / rates[link] for path in paths for link in path}
    found = []
    for _ in range(rounds):
        found = [w / sum(price[link] for link in path) for path, w in zip(paths, weights)]
        load = dict.fromkeys(price, 0.0)
        for path, rate in zip(paths, found):
            for link in path:
                load[link] += rate
        for link in price:
            price[link] = max(1e-12, price[link] * (load[link] / rates[link]) ** 0.2)
    return found


class ParkingLot:
    """A row of switches; the links of hosts are four times as fast as those between switches. All data flow in one
    direction, so that no link carries ACKs beside data."""

    def __init__(self, rng, flows, links=3, least=1):
        self.switches = links + 1
        self.flows = []
        for host in range(flows):
            begin = rng.randrange(self.switches - least)
            self.flows.append((begin, rng.randrange(begin + least, self.switches)))
        self.rates = {("row", i): 100.0 for i in range(self.switches - 1)}
        self.paths = [[("row", i) for i in range(a, b)] for a, b in self.flows]
        senders = [sum(a == s for a, _ in self.flows) for s in range(self.switches)]
        receivers = [sum(b == s for _, b in self.flows) for s in range(self.switches)]
        self.hosts = [max(1, x + y) for x, y in zip(senders, receivers)]
        first = [sum(self.hosts[:s]) for s in range(self.switches)]
        used = [0] * self.switches
        self.ends = []
        for ends in self.flows:
            pair = []
            for switch in ends:
                pair.append(first[switch] + used[switch])
                used[switch] += 1
            self.ends.append(pair)

    def topology(self):
        return (f"topology: {{kind: parking_lot, hosts_per_switch: {self.hosts}, link: {{rate: 400Gbps, delay: 500ns, "
                "overhead: 20B}, fabric_link: {rate: 100Gbps, delay: 500ns, overhead: 20B}}")


class LeafSpine:
    """A tree of four leaves, with at least twelve hosts each, under one spine. Hosts of two leaves send at most one
    flow each, to hosts of the other two leaves, so that no link carries ACKs beside data."""

    leaves = 4

    def __init__(self, rng, flows, _links=3, _least=1):
        self.hosts = max(12, (flows + 1) // 2)
        half = self.leaves * self.hosts // 2
        self.ends = [(sender, half + rng.randrange(half)) for sender in rng.sample(range(half), min(flows, half))]
        self.paths = [[("up", a // self.hosts), ("down", b // self.hosts), ("to", b), ("from", a)]
                      for a, b in self.ends]
        self.rates = {link: 200.0 if link[0] in ("up", "down") else 100.0 for path in self.paths for link in path}

    def topology(self):
        return (f"topology: {{kind: leaf_spine, leaves: {self.leaves}, spines: 1, hosts_per_leaf: {self.hosts}, "
                "host_link: {rate: 100Gbps, delay: 500ns, overhead: 20B}, "
                "fabric_link: {rate: 200Gbps, delay: 500ns, overhead: 20B}}")


NETWORKS: typing.Dict[str, typing.Any] = {"parking_lot": ParkingLot, "leaf_spine": LeafSpine}


def run(network, weights, seed, chosen):
    """Returns the metrics of a run, or the program's message if there are none."""
    lines = [f"seed: {seed}", f"duration: {chosen.begin + chosen.window:g}ms", f"measure: {{from: {chosen.begin:g}ms}}",
             network.topology(), "host: {driver: none}",
             "nic: {recovery: {timeout: 16ms}, congestion_control: {algorithm: dcc, policy: proportional}}",
             "output: {plots: false, series: {flows: none, queues: none, classes: false}}",
             "dscp: {" + ", ".join(f"{10 + w}: {{weight: {w}}}" for w in sorted(set(weights))) + "}", "traffic:"]
    lines += [f"  - {{kind: flow, from: {a}, to: {b}, dscp: {10 + w}, start: 200us}}"
              for (a, b), w in zip(network.ends, weights)]
    words = [f"-c{setting}" for setting in chosen.settings]
    with program.results_of("\n".join(lines) + "\n", words) as (metrics, _):
        return metrics


def errors(goodput, due):
    return sorted(100 * abs(g / (d * PAYLOAD) - 1) for g, d in zip(goodput, due))


def row(number, network, weights, metrics):
    if isinstance(metrics, str):
        return [str(number), str(len(weights))] + ["-"] * 6 + [metrics[:60]]
    goodput = [flow["goodput_gbps"] or 0.0 for flow in metrics["flows"]]
    filled = max_min(network.paths, weights, network.rates)
    load = {link: sum(r for r, path in zip(filled, network.paths) if link in path) for link in network.rates}
    full = [link for link in network.rates if load[link] > 0.999 * network.rates[link] and link[0] != "from"]
    use = {link: sum(g for g, path in zip(goodput, network.paths) if link in path) / PAYLOAD / network.rates[link]
           for link in full}
    figures = [str(number), str(len(weights)), str(len(full))]
    for due in (filled, proportionally_fair(network.paths, weights, network.rates)):
        off = errors(goodput, due)
        figures += [f"{percentile(off, 50):.1f}", f"{percentile(off, 95):.1f}"]
    return figures + [f"{min(use.values()):.3f}", str(metrics["aggregate"]["pfc_pauses"])]


def main(arguments):
    parser = argparse.ArgumentParser(prog="weight-tree", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("network", choices=sorted(NETWORKS))
    parser.add_argument("--points", type=int, default=3, help="number of draws (default 3)")
    parser.add_argument("--flows", type=int, default=12, help="flows of a draw (default 12)")
    parser.add_argument("--links", type=int, default=3, help="links between switches of the parking lot (default 3)")
    parser.add_argument("--least", type=int, default=1, help="least number of them in a path (default 1)")
    parser.add_argument("--seed", type=int, default=1, help="of the draw (default 1)")
    parser.add_argument("--begin", type=float, default=20, help="begin of the window in ms (default 20)")
    parser.add_argument("--window", type=float, default=10, help="length of the window in ms (default 10)")
    parser.add_argument("-c", dest="settings", action="append", default=[], metavar="KEY=VALUE",
                        help="a setting for all runs")
    chosen = parser.parse_args(arguments)
    if not 1 <= chosen.least <= chosen.links:
        parser.error(f"--least {chosen.least} must be from 1 to --links {chosen.links}")
    rng = random.Random(chosen.seed)
    rows = []
    for number in range(chosen.points):
        network = NETWORKS[chosen.network](rng, chosen.flows, chosen.links, chosen.least)
        weights = [rng.randint(1, 8) for _ in network.paths]
        rows.append(row(number, network, weights, run(network, weights, number + 1, chosen)))
    sys.stdout.write(text_table([list(COLUMNS), *rows]))
    return 1 if any(one[2] == "-" for one in rows) else 0
