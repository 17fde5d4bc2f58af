"""dccvp import mlx5: imports DCQCN parameters of a ConnectX or BlueField card under the names of sysfs, debugfs or
mlxconfig, and values of mlxreg ROCE_ACCL."""

import re

from dccvp.importers.network import Imported, rate_text, size_text, some, time_text
from dccvp.importers.parameters import known, within
from dccvp.importers.source import base_name, read

SETTINGS: dict[str, str] = {}
US, MBPS = 10**6, 10**6
# Parameter names as in sysfs. debugfs prefixes some parameters with rp_ or np_ and leaves out the prefix rpg_.
RP = ("dce_tcp_g", "dce_tcp_rtt", "initial_alpha_value", "rate_to_set_on_first_cnp", "rpg_min_dec_fac", "rpg_min_rate",
      "rpg_gd", "rate_reduce_monitor_period", "clamp_tgt_rate", "clamp_tgt_rate_after_time_inc", "rpg_time_reset",
      "rpg_byte_reset", "rpg_threshold", "rpg_ai_rate", "rpg_hai_rate", "rpg_max_rate")
NP = ("min_time_between_cnps", "cnp_dscp", "cnp_802p_prio")
ALIASES = {"rp_clamp_tgt_rate_ati": "clamp_tgt_rate_after_time_inc", "np_cnp_prio": "cnp_802p_prio",
           "np_cnp_802p_prio": "cnp_802p_prio", "dce_tcp_g_p": "dce_tcp_g"}
OTHERS = ("np_cnp_prio_mode", "cnp_prio_mode", "rtt_resp_dscp", "rtt_resp_dscp_valid", "np_rtt_resp_dscp",
          "np_rtt_resp_dscp_valid")
REGISTER = re.compile(r"roce_\w+|min_ack_timeout_limited_disabled|adaptive_routing_forced_en|selective_repeat_\w+|"
                      r"roce_tx_window_en|cc_per_plane_en")
ADAPTIVE = "roce_adp_retrans_en"
LEAST_GD = 10  # value of rpg_gd with which a cut uses the whole of alpha


def canonical(_path, name):
    """Returns the sysfs name of a parameter, a name of REGISTER or of OTHERS; None for another word."""
    word = re.sub(r"_p[12]$", "", name.lower())
    word = ALIASES.get(word, word)
    if word in RP or word in NP or word in OTHERS or word == "tclass" or REGISTER.fullmatch(word):
        return word
    bare = re.sub(r"^[rn]p_", "", word)
    for candidate in (bare, "rpg_" + bare):
        if word != bare and (candidate in RP or candidate in NP):
            return candidate
    return None


def read_files(paths, _settings):
    result = Imported(part="nic.yaml")
    found: dict = {}
    for path in paths:
        _read_one(read(path), result, found)
    if not any(name in RP or name in NP or REGISTER.fullmatch(name) for name in found):
        read(paths[0]).fail(0, "no parameter of DCQCN, such as rpg_time_reset, is in the file")
    _translate(found, result)
    return result


def _read_one(source, result, found):
    name = base_name(source.name)
    values, unknown, lines, several = known(source, canonical)
    enables = {}
    for at, line in lines:
        match = re.fullmatch(r"(?:\S*/)?(roce_[rn]p)/enable/([0-7])\s*[:=]\s*([01])", line)
        if match:
            enables.setdefault(match[1], {})[int(match[2])] = match[3] == "1"
    rest = [line for _, line in lines if "/enable/" not in line]
    for key, (value, word) in values.items():
        found.setdefault(key, (value, word, source))
    result.notes.read.append(f"{name}: {len(values)} parameters")
    if unknown or rest:
        words = sorted(set(unknown)) + [f"'{line[:40]}'" for line in rest]
        result.notes.ignored.append(f"{name}: " + some(words, 12))
    if several:
        result.notes.assumed.append(f"{name}: of several values the first one: {', '.join(several)}")
    for which, priorities in sorted(enables.items()):
        on = [priority for priority, enabled in sorted(priorities.items()) if enabled]
        result.notes.not_expressed.append(f"{which} by priority (on for {', '.join(map(str, on)) or 'none'}): it is on "
                                          "for all")


def _translate(found, result):
    rules: dict = {"algorithm": "dcqcn", "preset": "adapter"}
    cnp: dict = {}

    def value(name, least, most):
        number, word, source = found[name]
        return within(source, word, name, number, least, most)

    def take(name, section, key, least, most, text):
        if name in found:
            section[key] = text(value(name, least, most))
            rows.append((name, found[name][0], f"{'nic.cnp' if section is cnp else 'nic.congestion_control'}.{key}: "
                         f"{section[key]}"))

    rows: list = []
    take("dce_tcp_g", rules, "g", 0, 1023, lambda x: f"{1024 - x}/1024")
    take("dce_tcp_rtt", rules, "alpha_timer", 1, 10_000, lambda x: time_text(x * US))
    take("initial_alpha_value", rules, "initial_alpha", 0, 1024, lambda x: f"{x}/1024")
    take("rpg_time_reset", rules, "increase_timer", 1, 60_000, lambda x: time_text(x * US))
    take("rpg_byte_reset", rules, "byte_counter", 0, 10**9, size_text)
    take("rpg_threshold", rules, "f", 0, 255, int)
    take("rpg_ai_rate", rules, "r_ai", 0, 10**6, lambda x: rate_text(x * MBPS))
    take("rpg_hai_rate", rules, "r_hai", 0, 10**6, lambda x: rate_text(x * MBPS))
    take("rpg_min_rate", rules, "r_min", 1, 10**6, lambda x: rate_text(x * MBPS))
    take("rpg_max_rate", rules, "r_max", 0, 10**7, lambda x: rate_text(x * MBPS) if x else "link")
    take("rpg_gd", rules, "cut_divisor", LEAST_GD, LEAST_GD + 15, lambda x: 2 ** (x - LEAST_GD))
    if "rate_to_set_on_first_cnp" in found and not found["rate_to_set_on_first_cnp"][0]:
        rows.append(("rate_to_set_on_first_cnp", 0, "none: the first CNP cuts"))
    else:
        take("rate_to_set_on_first_cnp", rules, "first_rate", 1, 10**7, lambda x: rate_text(x * MBPS))
    take("rpg_min_dec_fac", rules, "cut_floor", 0, 100, lambda x: f"{x}/100")
    _clamp(found, value, rules, rows, result)
    take("rate_reduce_monitor_period", rules, "decrease_period", 0, 10_000, lambda x: time_text(x * US))
    take("min_time_between_cnps", cnp, "interval", 0, 10**6, lambda x: time_text(x * US))
    take("cnp_dscp", cnp, "dscp", 0, 63, int)
    take("cnp_802p_prio", cnp, "priority", 0, 7, int)
    recovery: dict = {}
    if ADAPTIVE in found:
        recovery["adaptive"] = value(ADAPTIVE, 0, 1) == 1
        rows.append((ADAPTIVE, found[ADAPTIVE][0], f"nic.recovery.adaptive: {str(recovery['adaptive']).lower()}"))
    _not_expressed(found, result, rows)
    result.settings["nic"] = {"congestion_control": rules, **({"cnp": cnp} if cnp else {}),
                              **({"recovery": recovery} if recovery else {})}
    result.tables.append(("Parameters", ("parameter", "value", "becomes"), rows))
    if not any(name in RP for name in found):
        result.notes.assumed.append("no parameter of the reaction point: the values of preset adapter")


def _clamp(found, value, rules, rows, result):
    """Imports the parameters that say when a cut sets the target rate to the rate before the cut."""
    names = [name for name in ("clamp_tgt_rate", "clamp_tgt_rate_after_time_inc") if name in found]
    if not names:
        return
    always = "clamp_tgt_rate" in found and value("clamp_tgt_rate", 0, 1)
    timed = "clamp_tgt_rate_after_time_inc" not in found or value("clamp_tgt_rate_after_time_inc", 0, 1)
    if not always and not timed:
        result.notes.not_expressed.append("clamp_tgt_rate_after_time_inc 0 without clamp_tgt_rate: a cut never sets "
                                          "the target rate; here it does after an increase by the timer")
    rules["clamp_target"] = "always" if always else "after_timer"
    rows.extend((name, found[name][0], f"nic.congestion_control.clamp_target: {rules['clamp_target']}")
                for name in names)


def _not_expressed(found, result, rows):
    for name, (number, _, _) in found.items():
        if name == "tclass":
            rows.append((name, number, f"flows have DSCP {number // 4}: traffic.N.dscp"))
        elif name in OTHERS or (REGISTER.fullmatch(name) and name != ADAPTIVE):
            result.notes.not_expressed.append(f"{name} {number}")
            rows.append((name, number, "not expressed"))
