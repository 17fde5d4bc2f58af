"""The plan of a study: what its file says, checked, and the platforms it stands for.

A study file:
  platform: share.yaml           the platform that every run starts from, beside the study file
  seeds: 1..20                   inclusive
  weights_at: 0                  receiver of all flows (default 0)
  queue_series: false            keep the queue over time, for drain_ms (default false)
  messages_of: 46                a DSCP: completion times of its messages are figures (default none)
  against: NAME                  the variant whose p99 of them message_gain_min is about
  variants: {NAME: {key.path: value, …}, …}   a value replaces what is there, a map a section
  cases:
    NAME: {flows: {WEIGHT: COUNT, …}, set: {key.path: value, …}, limits: {…}}
  limits: {share_error_p95: 0.10, utilisation_min: 0.97, drain_ms_max: 2, tenant_error_max: 0.03,
           message_gain_min: 3}
  limits_for: [NAME, …]          variants that the limits hold for (default: all)

A flow has a host of its own. A weight has a DSCP of its own, from 10 on in order of weight. A case
without `flows` has the traffic of the platform.
"""

import copy
import dataclasses
import pathlib

import yaml

FIRST_DSCP = 10
MOST_DSCPS = 30
LIMITS = {"share_error_p95", "utilisation_min", "drain_ms_max", "tenant_error_max",
          "message_gain_min"}


class StudyError(Exception):
    """A study file that cannot be used; the text says where and why."""


@dataclasses.dataclass(frozen=True)
class Run:
    """One simulation: its names, its limits and the whole platform."""

    variant: str
    case: str
    seed: int
    flows: dict  # {weight: count}; empty: the platform's own traffic
    platform: dict


@dataclasses.dataclass(frozen=True)
class Plan:
    name: str
    variants: tuple
    cases: tuple
    queue_series: bool
    messages_of: int | None
    against: str | None
    limits: dict       # by case
    limits_for: tuple  # variants
    runs: tuple


def seeds_of(text, where):
    try:
        first, _, last = str(text).partition("..")
        seeds = range(int(first), int(last or first) + 1)
    except ValueError:
        raise StudyError(f"{where}: seeds are written 1..20, not '{text}'") from None
    if not seeds or seeds[0] < 0:
        raise StudyError(f"{where}: no seeds in '{text}'")
    return seeds


def set_path(tree, path, value):
    """Puts value at a dotted path, in place of all that was there."""
    *parents, last = path.split(".")
    for key in parents:
        tree = tree.setdefault(key, {})
        if not isinstance(tree, dict):
            raise StudyError(f"'{path}': '{key}' is not a section")
    tree[last] = copy.deepcopy(value)


def flows_of(value, where):
    if not isinstance(value, dict) or not value:
        raise StudyError(f"{where}: flows are written {{weight: count, …}}")
    for weight, count in value.items():
        if not isinstance(weight, (int, float)) or isinstance(weight, bool) or weight <= 0:
            raise StudyError(f"{where}: a weight is a positive number, not '{weight}'")
        if not isinstance(count, int) or isinstance(count, bool) or count < 1:
            raise StudyError(f"{where}: {count} flows of weight {weight}")
    if len(value) > MOST_DSCPS:
        raise StudyError(f"{where}: more than {MOST_DSCPS} weights")
    return value


def platform_of(base, flows, receiver):
    """The base platform with one host a flow, a DSCP a weight, all into `receiver`."""
    platform = copy.deepcopy(base)
    dscp = {weight: FIRST_DSCP + i for i, weight in enumerate(sorted(flows))}
    start = platform.pop("traffic", [{}])[0].get("start", "0us")
    set_path(platform, "topology.hosts", sum(flows.values()) + 1)
    platform["dscp"] = {dscp[weight]: {"weight": weight} for weight in sorted(flows)}
    platform["traffic"] = []
    hosts = iter(host for host in range(sum(flows.values()) + 1) if host != receiver)
    for weight in sorted(flows):
        for _ in range(flows[weight]):
            platform["traffic"].append({"kind": "flow", "from": next(hosts), "to": receiver,
                                        "dscp": dscp[weight], "start": start})
    return platform


def section(study, name, where):
    value = study.get(name)
    if not isinstance(value, dict) or not value:
        raise StudyError(f"{where}: '{name}' is missing or not a map")
    return value


def limits_of(value, where):
    for name in value:
        if name not in LIMITS:
            raise StudyError(f"{where}: unknown limit '{name}'; there are {sorted(LIMITS)}")
    return value


def read(path, seeds=None, only_cases=None, only_variants=None):
    """The plan in the file at `path`; the further arguments take a part of it."""
    path = pathlib.Path(path)
    try:
        study = yaml.safe_load(path.read_text())
    except (OSError, yaml.YAMLError) as error:
        raise StudyError(f"{path}: {error}") from None
    if not isinstance(study, dict):
        raise StudyError(f"{path}: not a study")
    known = {"platform", "seeds", "weights_at", "queue_series", "messages_of", "against", "variants",
             "cases", "limits", "limits_for"}
    for key in study:
        if key not in known:
            raise StudyError(f"{path}: unknown key '{key}'; there are {sorted(known)}")
    try:
        base = yaml.safe_load((path.parent / str(study.get("platform"))).read_text())
    except (OSError, yaml.YAMLError) as error:
        raise StudyError(f"{path}: platform: {error}") from None

    variants = section(study, "variants", path)
    cases = section(study, "cases", path)
    for chosen, there in ((only_cases, cases), (only_variants, variants)):
        for name in chosen or ():
            if name not in there:
                raise StudyError(f"{path}: no '{name}' among {list(there)}")
    variants = {k: v for k, v in variants.items() if not only_variants or k in only_variants}
    cases = {k: v for k, v in cases.items() if not only_cases or k in only_cases}
    series = bool(study.get("queue_series", False))
    against = study.get("against")
    if against is not None and against not in section(study, "variants", path):
        raise StudyError(f"{path}: against: no variant '{against}'")

    runs, limits = [], {}
    for case, body in cases.items():
        where = f"{path}: cases.{case}"
        if not isinstance(body, dict):
            raise StudyError(f"{where}: not a map")
        flows = flows_of(body["flows"], where) if "flows" in body else {}
        limits[case] = {**limits_of(study.get("limits", {}), path),
                        **limits_of(body.get("limits", {}), where)}
        for variant, settings in variants.items():
            platform = (platform_of(base, flows, study.get("weights_at", 0)) if flows
                        else copy.deepcopy(base))
            # Expectations are about the configuration as it stands.
            platform.pop("expect", None)
            tenants = bool(platform.get("tenants"))
            output = {"flows": "none", "classes": tenants, "queues": "busiest" if series else "none"}
            if tenants:
                output["interval"] = "1ms"
            set_path(platform, "output", {"plots": False, "series": output})
            for key, value in {**(settings or {}), **body.get("set", {})}.items():
                set_path(platform, key, value)
            for seed in seeds_of(seeds or study.get("seeds", "1..20"), path):
                runs.append(Run(variant, case, seed, flows, {**platform, "seed": seed}))
    return Plan(path.name.split(".")[0], tuple(variants), tuple(cases), series,
                study.get("messages_of"), against, limits,
                tuple(study.get("limits_for", list(variants))), tuple(runs))
