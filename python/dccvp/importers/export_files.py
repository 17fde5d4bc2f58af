"""dccvp export: writes results of a run in the formats of other programs.

The formats are fct.txt of the HPCC authors' simulator, and DCQCN parameters under the sysfs names of an mlx5 adapter.
"""

import argparse
import fractions
import math
import pathlib
import re
import sys

import yaml

from dccvp.common import quantity
from dccvp.common.columns import rows_of
from dccvp.common.ending import InputError
from dccvp.common.whole_file import write_whole
from dccvp.cost import parameters_of
from dccvp.experiments.figures import need_flows, results_of
from dccvp.importers.network import decimal
from dccvp.importers.source import base_name, exact, read

HEADER = 48  # Bytes of headers around a packet's payload in the HPCC authors' simulator.
FIRST_PORT = 10000
US, MBPS = 10**6, 10**6


def address(ident):
    """Returns the IPv4 address that the HPCC authors' simulator gives to a host, as eight hex digits."""
    return f"{0x0b000001 + ((ident // 256) << 16) + ((ident % 256) << 8):08x}"


class Network:
    """The nodes and links of a run's configuration of kind custom; both are empty for other kinds."""

    def __init__(self, topology):
        nodes = topology.get("nodes") or [] if topology.get("kind") == "custom" else []
        self.hosts = [node["name"] for node in nodes if node.get("kind", "host") == "host"]
        self.neighbours: dict[str, list] = {node["name"]: [] for node in nodes}
        for link in topology.get("links") or [] if nodes else []:
            both = (quantity.parse(link["rate"])[0], quantity.parse(link["delay"])[0])
            self.neighbours[link["from"]].append((link["to"], *both))
            self.neighbours[link["to"]].append((link["from"], *both))
        self._ways: dict = {}

    def ident(self, host):
        """Returns the id of a host in the imported file: the number in the host's name if all names have one, else
        the host's number."""
        numbers = [re.fullmatch(r"[A-Za-z_]*([0-9]{1,6})", name) for name in self.hosts]
        return int(numbers[host][1]) if self.hosts and all(numbers) else host

    def way(self, source, target):
        """Returns [(rate, delay in ps)] of the links on a shortest path between two hosts; None if there is no
        path."""
        if not self.hosts:
            return None
        begin, end = self.hosts[source], self.hosts[target]
        if begin not in self._ways:
            before: dict = {begin: None}
            open_ = [begin]
            for name in open_:
                for other, rate, delay in self.neighbours[name]:
                    if other not in before:
                        before[other] = (name, rate, delay)
                        open_.append(other)
            self._ways[begin] = before
        before, links = self._ways[begin], []
        while end in before and before[end] is not None:
            end, rate, delay = before[end]
            links.append((rate, delay))
        return links or None


def ideal_ns(way, size, payload):
    """Returns the ideal completion time of a flow in the HPCC authors' simulator: one packet's round trip plus all
    bytes at the rate of the slowest link."""
    trip = sum(2 * delay + fractions.Fraction(payload * 8 * 10**12, int(rate)) for rate, delay in way)
    slowest = min(rate for rate, _ in way)
    packets = -(-size // payload)
    return round((trip + fractions.Fraction((size + packets * HEADER) * 8 * 10**12, int(slowest))) / 1000)


def effective(folder):
    """Returns the effective configuration in a run's folder."""
    path = folder / "config.effective.yaml"
    try:
        document = yaml.load(path.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except OSError as error:
        raise InputError(f"'{path}': {(error.strerror or str(error)).lower()}: no folder of a run") from None
    except (yaml.YAMLError, UnicodeDecodeError):
        raise InputError(f"{path}:1:1: not YAML: no folder of a run") from None
    if not isinstance(document, dict):
        raise InputError(f"{path}:1:1: not a configuration")
    return document


def labels(folder, config, count):
    """Returns (ports of the flows by id, offset of the times in ps), from the single trace of a run; defaults if
    the run has no trace or also has other traffic."""
    traffic = config.get("traffic") or []
    if len(traffic) != 1 or traffic[0].get("kind") != "trace":
        return [100] * count, 0
    offset = quantity.parse(traffic[0].get("time_offset", "0us")) or (0, "")
    path = folder / traffic[0].get("file", "")
    rows = [line.split("#")[0].split() for line in read(path).text.split("\n")] if path.is_file() else []
    starts = {place: exact(row[5]) for place, row in enumerate(rows) if len(row) == 6}
    if len(starts) != count or None in starts.values():
        return [100] * count, int(offset[0])
    order = [rows[place] for place in sorted(starts, key=lambda place: starts[place])]
    return [int(row[3]) if row[3].isdigit() else 100 for row in order], int(offset[0])


def fct_text(folder, say):
    """Returns lines `SIP DIP SPORT DPORT SIZE START FCT IDEAL` of the completed flows, in the order of their ends.
    `say` receives messages for the user."""
    folder = pathlib.Path(folder)
    config = effective(folder)
    path = folder / "flows.csv"
    if not path.exists() and (folder / "metrics.json").is_file():
        need_flows(results_of(folder, times=False), folder, "export fct")
    try:
        rows = list(rows_of(path))
    except OSError as error:
        raise InputError(f"'{path}': {(error.strerror or str(error)).lower()}: no folder of a run") from None
    needed = ("id", "from", "to", "bytes", "start_s", "end_s", "fct_s", "ideal_s", "completed")
    if rows and not all(name in rows[0] for name in needed):
        raise InputError(f"{path}:1:1: not the flows of a run: it has not the columns {', '.join(needed)}")
    network = Network(config.get("topology") or {})
    payload = quantity.parse((config.get("nic") or {}).get("mtu", "1KB"))
    payload = int(payload[0]) if payload else 1000
    ports, offset = labels(folder, config, len(rows))
    own_ideal, pairs, lines = 0, {}, []
    for line, row in enumerate(rows, 2):
        try:
            source, target = int(row["from"]), int(row["to"])
            pair = pairs[source, target] = pairs.get((source, target), FIRST_PORT - 1) + 1
            if row["completed"] != "true" or not row["end_s"] or not row["bytes"]:
                continue
            size, start, took = int(row["bytes"]), exact(row["start_s"]), exact(row["fct_s"])
            way = network.way(source, target)
            own_ideal += way is None
            ideal = ideal_ns(way, size, payload) if way else round(exact(row["ideal_s"]) * 10**9)
            text = (f"{address(network.ident(source))} {address(network.ident(target))} {pair} {ports[int(row['id'])]} "
                    f"{size} {round(start * 10**9) + offset // 1000} {round(took * 10**9)} {ideal}\n")
            lines.append((start + took, line, text))
        except (ValueError, TypeError, IndexError, KeyError):
            raise InputError(f"{path}:{line}:1: not the row of a flow") from None
    if own_ideal:
        say(f"the ideal times of {own_ideal} flows are the platform's own: the topology is not of kind custom")
    if len(lines) < len(rows):
        say(f"{len(rows) - len(lines)} of {len(rows)} flows did not end, and are left out")
    return "".join(text for _, _, text in sorted(lines))


def _power(text, say):
    """Returns the exponent of the power of two closest to the divisor of a cut."""
    exponent = round(math.log2(int(text)))
    if 2**exponent != int(text):
        say(f"nic.congestion_control.cut_divisor {text} becomes {2**exponent}")
    return exponent


def mlx5_text(values, config, say):
    """Returns lines PATH:VALUE as `grep . *` prints them in /sys/class/net/IF/ecn. `say` receives messages for the
    user."""
    rules = "nic.congestion_control."
    algorithm = values.get(rules + "algorithm")
    if algorithm not in ("dcqcn", "dcc") or values.get(rules + "policy", "dcqcn") != "dcqcn":
        raise InputError(f"{config}: the algorithm is {algorithm}; an mlx5 adapter has DCQCN (algorithm: dcqcn or dcc)")
    if values.get(rules + "variant", "standard") == "slotted":
        say("the variant slotted: an adapter has none")

    def one(name, unit, least, most, prefix=rules):
        value = quantity.parse(values[prefix + name])
        number = fractions.Fraction(value[0]) / unit
        rounded = min(max(round(number), least), most)
        if rounded != number:
            say(f"{prefix}{name} {values[prefix + name]} becomes {rounded}")
        return rounded

    weight = 1024 - one("g", fractions.Fraction(1, 1024), 0, 1024)
    limit, first = values.get(rules + "r_max", "link"), values.get(rules + "first_rate", "none")
    rows = [("roce_rp/dce_tcp_g", weight), ("roce_rp/dce_tcp_rtt", one("alpha_timer", US, 1, 131071)),
            ("roce_rp/initial_alpha_value", one("initial_alpha", fractions.Fraction(1, 1024), 0, 1023)),
            ("roce_rp/rpg_time_reset", one("increase_timer", US, 1, 131071)),
            ("roce_rp/rpg_byte_reset", one("byte_counter", 1, 0, 32767)),
            ("roce_rp/rpg_threshold", one("f", 1, 0, 31)),
            ("roce_rp/rpg_ai_rate", one("r_ai", MBPS, 1, 10**6)),
            ("roce_rp/rpg_hai_rate", one("r_hai", MBPS, 1, 10**6)),
            ("roce_rp/rpg_min_rate", one("r_min", MBPS, 1, 10**6)),
            ("roce_rp/rpg_max_rate", 0 if limit == "link" else one("r_max", MBPS, 1, 10**7)),
            ("roce_rp/rpg_gd", 10 + _power(values.get(rules + "cut_divisor", "2"), say)),
            ("roce_rp/rate_to_set_on_first_cnp", 0 if first == "none" else one("first_rate", MBPS, 1, 10**7)),
            ("roce_rp/rpg_min_dec_fac", one("cut_floor", fractions.Fraction(1, 100), 1, 100)),
            ("roce_rp/clamp_tgt_rate", int(values[rules + "clamp_target"] == "always")),
            ("roce_rp/rate_reduce_monitor_period", one("decrease_period", US, 0, 131071)),
            ("roce_np/min_time_between_cnps", one("interval", US, 0, 4095, "nic.cnp.")),
            ("roce_np/cnp_dscp", one("dscp", 1, 0, 63, "nic.cnp.")),
            ("roce_np/cnp_802p_prio", one("priority", 1, 0, 7, "nic.cnp."))]
    if values.get(rules + "timer_restart") == "false":
        say("timer_restart: false; an adapter restarts its timer at a cut")
    if exact(decimal(quantity.parse(values.get(rules + "mi", "0"))[0])):
        say("mi, a multiplicative increase: an adapter has none")
    return "".join(f"{name}:{value}\n" for name, value in rows)


def main(arguments):
    parser = argparse.ArgumentParser(prog="dccvp export", description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program")
    parser.add_argument("format")
    parser.add_argument("input")
    parser.add_argument("-o", "--out")
    parser.add_argument("-c", dest="overrides", action="append", default=[], metavar="key.path=value")
    options = parser.parse_args(arguments)

    def say(sentence):
        print(f"dccvp: note: {sentence}", file=sys.stderr)

    if options.format == "fct":
        if options.overrides:
            raise InputError("fct takes a run's folder, which -c does not change")
        text = fct_text(options.input, say)
    elif options.format == "mlx5":
        text = mlx5_text(parameters_of(options.program, options.input, options.overrides), options.input, say)
    else:
        raise InputError(f"there is no format '{base_name(options.format)}' (known: fct, mlx5)")
    if options.out:
        write_whole(options.out, text)
    else:
        sys.stdout.write(text)
    return 0
