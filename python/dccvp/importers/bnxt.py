"""dccvp import bnxt: imports congestion-control parameters of Broadcom's bnxt_re, from debugfs or configfs."""

from dccvp.importers.network import Imported, some
from dccvp.importers.parameters import known, within
from dccvp.importers.source import base_name, read

SETTINGS: dict[str, str] = {}
NAMES = ("enable_cc", "run_avg_weight_g", "num_phase_per_state", "init_cr", "init_tr", "tos_ecn", "tos_dscp",
         "alt_vlan_pcp", "alt_vlan_dscp", "rtt", "cc_mode", "tcp_cp", "tx_queue", "inactivity_cp", "time_pph",
         "pkts_pph", "advanced", "apply")
MODES = {0: "DCQCN-D (deterministic marking)", 1: "DCQCN-P (probabilistic marking)"}


# Names of the same parameters in the configfs of the out-of-tree driver.
ALIASES = {"ecn_enable": "enable_cc", "g": "run_avg_weight_g", "roce_dscp": "tos_dscp", "inact_th": "inactivity_cp",
           "nph_per_state": "num_phase_per_state", "ecn_marking": "tos_ecn"}
OTHERS = ("cnp_dscp", "cnp_prio", "roce_prio", "disable_prio_vlan_tx", "init_cp")
KNOWN = {**{name: name for name in NAMES + OTHERS}, **ALIASES}


def read_files(paths, _settings):
    result = Imported(part="nic.yaml")
    found: dict = {}
    for path in paths:
        source = read(path)
        values, unknown, lines, several = known(source, lambda _, name: KNOWN.get(name))
        for key, (number, word) in values.items():
            found[key] = (number, word, source)
        name = base_name(source.name)
        result.notes.read.append(f"{name}: {len(values)} parameters")
        if unknown or lines:
            words = sorted(set(unknown)) + [f"'{line[:40]}'" for _, line in lines]
            result.notes.ignored.append(f"{name}: " + some(words, 12))
        if several:
            result.notes.assumed.append(f"{name}: of several values the first one: {', '.join(several)}")
    if not found:
        read(paths[0]).fail(0, "no parameter of bnxt_re, such as cc_mode, is in the file")

    def value(name, least, most):
        number, word, place = found[name]
        return within(place, word, name, number, least, most)

    rules: dict = {"algorithm": "dcqcn"}
    rows = []
    if "enable_cc" in found and not value("enable_cc", 0, 1):
        rules = {"algorithm": "none"}
    if "run_avg_weight_g" in found and rules["algorithm"] != "none":
        rules["g"] = f"1/{2 ** value('run_avg_weight_g', 0, 16)}"
        result.notes.assumed.append(f"run_avg_weight_g is a power of two: g = {rules['g']}")
    mode = value("cc_mode", 0, 255) if "cc_mode" in found else None
    if mode is not None:
        result.notes.assumed.append(f"cc_mode {mode}: {MODES.get(mode, 'unknown')}; the platform's DCQCN stands for "
                                    "it. The card's own equations are not published")
    if "tos_dscp" in found:
        result.notes.assumed.append(f"flows have DSCP {value('tos_dscp', 0, 63)}: traffic.N.dscp")
    cnp = {ours: value(name, 0, most) for name, ours, most in
           (("cnp_dscp", "dscp", 63), ("cnp_prio", "priority", 7)) if name in found}
    used = {"cnp_dscp": "nic.cnp.dscp", "cnp_prio": "nic.cnp.priority",
            "enable_cc": "nic.congestion_control.algorithm", "run_avg_weight_g": "nic.congestion_control.g",
            "cc_mode": "nic.congestion_control.algorithm", "tos_dscp": "traffic.N.dscp"}
    for name, (number, _, _) in found.items():
        rows.append((name, number, used.get(name, "not expressed")))
        if name not in used and name != "apply":
            result.notes.not_expressed.append(f"{name} {number}")
    result.settings["nic"] = {"congestion_control": rules, **({"cnp": cnp} if cnp else {})}
    result.tables.append(("Parameters", ("parameter", "value", "becomes"), rows))
    return result
