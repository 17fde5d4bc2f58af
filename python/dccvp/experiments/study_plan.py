"""Reads a study file and expands it to runs, each with its whole platform.

A study file:
  platform: share.yaml           the platform that every run starts from, beside the study file
  seeds: 1..20                   inclusive
  weights_at: 0                  receiver of all flows (default 0)
  queue_series: false            keep the queue over time, for drain_ms (default false)
  messages_of: 46                a DSCP: completion times of its messages are figures (default none)
  slowdowns: true                slowdowns by size of flow are figures, in place of shares and use (default false)
  against: NAME                  the variant with which message_gain_min (p99), slowdown_ratio_max and
                                 size_ratio_max compare
  motion: {use_from: 1.5ms, use_window: 100us, shares_from: 3ms, share_window: 1ms, tolerance: 20%}
                                 use of the link and shares in short windows (default none); times count
                                 from the beginning of the run, a case may change them
  variants: {NAME: {key.path: value, …}, …}   a value replaces what is there, a map a section
  cases:
    NAME: {flows: {WEIGHT: COUNT, …}, spread: 1ms, set: {key.path: value, …}, motion: {…}, limits: {…}}
  limits: {share_error_p95: 0.10, share_rms_max: 0.08, class_error_max: 0.03, pfc_pauses_max: 0,
           utilisation_min: 0.97, drain_ms_max: 2, tenant_error_max: 0.03,
           message_gain_min: 3, use_least_min: 0.95, windows_every_min: 0.95, windows_rms_min: 0.95,
           slowdown_ratio_max: 1, size_ratio_max: 1.2, unfinished_max: 0}
  limits_for: [NAME, …]          variants that the limits hold for (default: all)

Each flow has a host of its own. Each weight has a DSCP of its own, from 10 on in order of weight. A case without
`flows` has the traffic of the platform. Flows start at once, or at random times (drawn by the seed) within `spread`.
"""

import copy
import dataclasses
import pathlib
import random

from dccvp.common import quantity
from dccvp.experiments.study_table import BOUNDS
from dccvp.common.yaml_nodes import (described, entries, fail, fields, file_beside, hint, integer, items, load, plain,
                                     seeds_of, word)

KEYS = ("platform", "seeds", "weights_at", "queue_series", "messages_of", "slowdowns", "against", "motion",
        "variants", "cases", "limits", "limits_for")
MOST_SEEDS = 10_000
FIRST_DSCP = 10
MOST_DSCPS = 30
MOST_FLOWS = 65_535  # Greatest number of flows: each flow needs a host of its own, and the receiver is one more host.
LEAST_WINDOW = 1e-6
MOTION = ("use_from", "use_window", "shares_from", "share_window", "tolerance")


@dataclasses.dataclass(frozen=True)
class Run:
    """One simulation: variant, case, seed and the whole platform."""

    variant: str
    case: str
    seed: int
    flows: dict  # Number of flows of each weight; empty: the platform's own traffic.
    platform: dict
    # Key `motion` of the study file: times in s, tolerance as a number, interval of the series in s.
    motion: dict | None = None


@dataclasses.dataclass(frozen=True)
class Plan:
    name: str
    folder: pathlib.Path  # Folder that contains the platform file.
    variants: tuple
    cases: tuple
    queue_series: bool
    messages_of: int | None
    against: str | None
    limits: dict       # {case: limits of the case}
    limits_for: tuple  # Names of the variants to which the limits apply.
    runs: tuple
    slowdowns: bool = False


def set_path(tree, path, value):
    """Replaces the value at a dotted path of a YAML tree. ValueError if the path leads through a value that is not
    a section."""
    *parents, last = path.split(".")
    for key in parents:
        tree = tree.setdefault(key, {})
        if not isinstance(tree, dict):
            raise ValueError(f"'{path}': '{key}' is not a section")
    tree[last] = copy.deepcopy(value)


def flows_of(node, where):
    value = plain(node)
    if not isinstance(value, dict) or not value:
        fail(node, f"{where}: flows are written {{weight: count, …}}")
    for weight, count in value.items():
        if not isinstance(weight, (int, float)) or isinstance(weight, bool) or not weight > 0:
            fail(node, f"{where}: a weight is a positive number, not '{weight}'")
        if not isinstance(count, int) or isinstance(count, bool) or count < 1:
            fail(node, f"{where}: {count} flows of weight {weight}")
    if len(value) < len(node.value):
        fail(node, f"{where}: a weight is there twice")
    if len(value) > MOST_DSCPS:
        fail(node, f"{where}: more than {MOST_DSCPS} weights")
    if sum(value.values()) > MOST_FLOWS:
        fail(node, f"{where}: more than {MOST_FLOWS} flows")
    return value


def platform_of(base, flows, receiver):
    """Returns the base platform with a host for each flow and a DSCP for each weight; all flows end at `receiver`."""
    platform = copy.deepcopy(base)
    dscp = {weight: FIRST_DSCP + i for i, weight in enumerate(sorted(flows))}
    traffic = platform.pop("traffic", None)
    first = traffic[0] if isinstance(traffic, list) and traffic else {}
    start = first.get("start", "0us") if isinstance(first, dict) else "0us"
    set_path(platform, "topology.hosts", sum(flows.values()) + 1)
    platform["dscp"] = {dscp[weight]: {"weight": weight} for weight in sorted(flows)}
    platform["traffic"] = []
    hosts = iter(host for host in range(sum(flows.values()) + 1) if host != receiver)
    for weight in sorted(flows):
        for _ in range(flows[weight]):
            platform["traffic"].append({"kind": "flow", "from": next(hosts), "to": receiver,
                                        "dscp": dscp[weight], "start": start})
    return platform


def spread_starts(platform, spread, seed):
    """Delays the start of every flow by a random time of at most `spread` seconds."""
    draw = random.Random(seed)
    for flow in platform["traffic"]:
        start = (quantity.number(flow["start"]) or 0.0) + draw.random() * spread
        flow["start"] = f"{round(start * 1e9)}ns"


def motion_of(root, body, where):
    """Returns the `motion` of the file, overridden by that of a case; None if neither has one."""
    if "motion" not in root and "motion" not in body:
        return None
    motion = {}
    for node in (root.get("motion"), body.get("motion")):
        for key, value in entries(node, f"{where}: motion") if node is not None else ():
            if key.value not in MOTION:
                fail(key, f"{where}: unknown key '{key.value}'{hint(key.value, MOTION)}")
            motion[key.value] = quantity.number(plain(value))
            if motion[key.value] is None:
                fail(value, f"{where}: {key.value} is a quantity, not {described(value)}")
    said = body.get("motion") or root["motion"]
    for key in MOTION:
        if key not in motion:
            fail(said, f"{where}: motion without '{key}'")
    motion["interval"], longer = sorted((motion["use_window"], motion["share_window"]))
    if motion["interval"] < LEAST_WINDOW or abs(longer / motion["interval"] % 1 - 0.5) < 0.499:
        fail(said, f"{where}: one window is a multiple of the other, the shorter at least 1us")
    return motion


def section(node, what):
    """Returns {name: node} of a YAML map; InputError for an empty map."""
    if not entries(node, what):
        fail(node, f"{what} is empty")
    return {key.value: value for key, value in entries(node, what)}


def settings_of(node, what):
    """Returns {key.path: value} of a YAML map, empty for an empty node."""
    if node is None or described(node) == "nothing":
        return {}
    return {key.value: plain(value) for key, value in entries(node, what)}


def limits_of(node, where):
    limits = {}
    for key, value in entries(node, f"{where}: limits") if node is not None else ():
        if key.value not in BOUNDS:
            fail(key, f"{where}: unknown limit '{key.value}'{hint(key.value, BOUNDS)}")
        limits[key.value] = plain(value)
        if not isinstance(limits[key.value], (int, float)) or isinstance(limits[key.value], bool):
            fail(value, f"{where}: a limit is a number, not {described(value)}")
    return limits


def flag(root, key):
    """Returns the value of a key that is true or false; false if the key is missing."""
    if key in root and not isinstance(plain(root[key]), bool):
        fail(root[key], f"'{key}' is true or false, not {described(root[key])}")
    return key in root and plain(root[key])


def one_of(node, names, what):
    if word(node, what) not in names:
        fail(node, f"{what}: no variant '{node.value}'{hint(node.value, names)}")
    return node.value


def chosen(names, there, path):
    """Returns the entries of `there` with the given names; all entries if no names are given."""
    for name in names or ():
        if name not in there:
            fail(path, f"no '{name}' among {', '.join(there)}")
    return {name: node for name, node in there.items() if not names or name in names}


def runs_of_case(case, body, base, variants, root, series, seeds, slowdowns):
    """Yields the runs of a case, variant by variant and seed by seed."""
    flows = flows_of(body["flows"], f"cases.{case}") if "flows" in body else {}
    receiver = integer(root["weights_at"], "'weights_at'", 0, 65_535) if "weights_at" in root else 0
    motion = motion_of(root, body, f"cases.{case}")
    spread = quantity.number(word(body["spread"], f"cases.{case}.spread")) if "spread" in body else None
    if "spread" in body and (spread is None or not flows):
        fail(body["spread"], f"cases.{case}: 'spread' is a time, and needs 'flows'")
    for variant, settings in variants.items():
        platform = platform_of(base, flows, receiver) if flows else copy.deepcopy(base)
        # The key `expect` holds only for the configuration as shipped, so runs of a study drop it.
        platform.pop("expect", None)
        tenants = bool(platform.get("tenants"))
        output = {"flows": "none", "classes": tenants, "queues": "busiest" if series else "none"}
        if tenants:
            output["interval"] = "1ms"
        if motion:
            output.update(interval=f"{round(motion['interval'] * 1e9)}ns", flows="all")
        set_path(platform, "output", {"plots": False, "series": output})
        for node, what in ((settings, f"variants.{variant}"), (body.get("set"), f"cases.{case}.set")):
            for key, value in settings_of(node, what).items():
                try:
                    set_path(platform, key, value)
                except ValueError as error:
                    fail(node, str(error))
        topology = platform.get("topology")
        link = topology.get("link") if isinstance(topology, dict) else None
        if not slowdowns and (not isinstance(link, dict) or "rate" not in link):
            fail(root["platform"], "a study compares goodput with topology.link.rate, which the platform has to set")
        for seed in seeds:
            drawn = {**platform, "seed": seed}
            if spread is not None:
                drawn = copy.deepcopy(drawn)
                spread_starts(drawn, spread, seed)
            yield Run(variant, case, seed, flows, drawn, motion)


def read(path, seeds=None, only_cases=None, only_variants=None):
    """Reads the plan of a study file, limited to the seeds, cases and variants named. InputError with the place."""
    path = pathlib.Path(path)
    root = fields(load(path, "a study"), "a study", KEYS, ("platform", "variants", "cases"))
    platform = file_beside(path, root["platform"], word(root["platform"], "'platform'"))
    platform_node = load(platform, "a platform")
    base = plain(platform_node)
    # A relative file name in `extends` or `include` would be looked up beside each run's generated platform.
    for key, _ in platform_node.value:
        if key.value in ("extends", "include"):
            fail(key, f"a study's platform is one file, without '{key.value}'")
    if not isinstance(base.get("topology", {}), dict):
        fail(platform_node, "'topology' is not a section")

    variants, cases = (section(root[name], f"'{name}'") for name in ("variants", "cases"))
    against = one_of(root["against"], variants, "against") if "against" in root else None
    limits_for = tuple(variants)
    if "limits_for" in root:
        limits_for = tuple(one_of(node, variants, "limits_for") for node in items(root["limits_for"], "'limits_for'"))
    variants, cases = chosen(only_variants, variants, path), chosen(only_cases, cases, path)
    if seeds:
        numbers = seeds_of(seeds, "--seeds", MOST_SEEDS)
    else:
        numbers = (seeds_of(word(root["seeds"], "'seeds'"), root["seeds"], MOST_SEEDS)
                   if "seeds" in root else range(1, 21))

    series, slowdowns = flag(root, "queue_series"), flag(root, "slowdowns")

    runs, limits = [], {}
    for case, node in cases.items():
        body = fields(node, f"cases.{case}", ("flows", "spread", "set", "motion", "limits"))
        limits[case] = {**limits_of(root.get("limits"), "limits"), **limits_of(body.get("limits"), f"cases.{case}")}
        runs += runs_of_case(case, body, base, variants, root, series, numbers, slowdowns)
    return Plan(path.name.split(".")[0], platform.parent, tuple(variants), tuple(cases),
                series, integer(root["messages_of"], "'messages_of'", 0, 63)
                if "messages_of" in root else None, against, limits, limits_for, tuple(runs), slowdowns)
