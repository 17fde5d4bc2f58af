"""dccvp import irdma: imports module parameters of Intel's out-of-tree driver for E810, in the form of modprobe.d
or sysfs."""

import re

from dccvp.common import quantity
from dccvp.common.ending import InputError
from dccvp.importers.network import Imported, rate_text, size_text, time_text
from dccvp.importers.parameters import known, within
from dccvp.importers.source import base_name, read

SETTINGS = {"rtt": "round trip of an idle network, to turn additive steps in MSS into rates",
            "mss": "bytes of a segment (1024B)"}
NAMES = ("dcqcn_enable", "dcqcn_cc_cfg_valid", "dcqcn_min_dec_factor", "dcqcn_min_rate_MBps", "dcqcn_F", "dcqcn_T",
         "dcqcn_B", "dcqcn_rai_factor", "dcqcn_hai_factor", "dcqcn_rreduce_mperiod")
OTHERS = ("roce_ena", "en_rem_endpoint_trk", "fragment_count_limit")
BY_LOWER = {name.lower(): name for name in NAMES + OTHERS}
US = 10**6


def _quantity(settings, name, kind, default=None):
    """Returns a setting in ps or bytes; `default` if the setting is missing."""
    text = settings.get(name, default)
    if text is None:
        return None
    parsed = quantity.parse(text)
    if parsed is None or parsed[1] != kind or parsed[0] <= 0:
        raise InputError(f"--set {name}={text}: expected a {kind} such as {'10us' if kind == 'time' else '1024B'}")
    return int(parsed[0])


def read_files(paths, settings):
    result = Imported(part="nic.yaml")
    found: dict = {}
    for path in paths:
        source = read(path)
        values, unknown, lines, _ = known(source, lambda _, name: BY_LOWER.get(name.lower()))
        for key, (value, word) in values.items():
            found[key] = (value, word, source)
        name = base_name(source.name)
        result.notes.read.append(f"{name}: {len(values)} parameters")
        ignored = sorted(set(unknown)) + [f"'{line[:40]}'" for _, line in lines[:5]
                                          if not re.fullmatch(r"options\s+\S+", line)]
        if ignored:
            result.notes.ignored.append(f"{name}: " + ", ".join(ignored))
    if not found:
        read(paths[0]).fail(0, "no parameter of irdma, such as dcqcn_T, is in the file")
    _translate(found, settings, result)
    return result


def _translate(found, settings, result):
    def value(name, least, most):
        number, word, source = found[name]
        return within(source, word, name, number, least, most)

    rules: dict = {"algorithm": "dcqcn"}
    rows: list = []
    valid = "dcqcn_cc_cfg_valid" not in found or value("dcqcn_cc_cfg_valid", 0, 1)
    if "dcqcn_enable" in found and not value("dcqcn_enable", 0, 1):
        rules = {"algorithm": "none"}
        valid = 0
    if not valid:
        result.notes.assumed.append("dcqcn_enable and dcqcn_cc_cfg_valid are not both 1: the other parameters have no "
                                    "effect")
        rows.extend((name, number, "no effect") for name, (number, _, _) in found.items())
    else:
        entries: list = [
            ("dcqcn_min_rate_MBps", "r_min", 0, 255, lambda x: rate_text(max(x, 1) * 10**6)),
            ("dcqcn_F", "f", 0, 255, int),
            ("dcqcn_T", "increase_timer", 1, 60_000, lambda x: time_text(x * US)),
            ("dcqcn_B", "byte_counter", 0, 10**9, size_text),
            ("dcqcn_min_dec_factor", "cut_floor", 0, 100, lambda x: f"{x}/100"),
            ("dcqcn_rreduce_mperiod", "decrease_period", 0, 10_000, lambda x: time_text(x * US))]
        for name, key, least, most, text in entries:
            if name in found:
                rules[key] = text(value(name, least, most))
                rows.append((name, found[name][0], f"nic.congestion_control.{key}: {rules[key]}"))
        rtt, mss = _quantity(settings, "rtt", "time"), _quantity(settings, "mss", "size", "1024B")
        for name, key in (("dcqcn_rai_factor", "r_ai"), ("dcqcn_hai_factor", "r_hai")):
            if name not in found:
                continue
            steps = value(name, 0, 2**20)
            if rtt is None:
                result.notes.not_expressed.append(f"{name} {steps}: segments added to a window; --set rtt=TIME makes a "
                                                  "rate of it")
                rows.append((name, steps, "not expressed"))
                continue
            rules[key] = rate_text(min(round(steps * mss * 8 * 10**12 / rtt), 10**12))
            result.notes.assumed.append(f"{name} {steps}: {mss} bytes each round trip of {time_text(rtt)}")
            rows.append((name, steps, f"nic.congestion_control.{key}: {rules[key]}"))
    for name in OTHERS:
        if name in found:
            result.notes.not_expressed.append(f"{name} {found[name][0]}")
    result.settings["nic"] = {"congestion_control": rules}
    result.tables.append(("Parameters", ("parameter", "value", "becomes"), rows))
