"""Draws configurations of a star for diagnosis_oracle.py."""

import math

INTERVAL = 20e-6  # interval between samples of a series, in s
DELAYS_AND_LOSSES = ("allegro", "cdg", "qcn", "vegas", "vivace")  # names of algorithms that do not react to marks


def drawn(rng):
    """Draws a configuration, a dict. Most settings are drawn independently, so that causes and their remedies occur
    together."""
    rate, hosts = rng.choice((10, 25, 40, 100)), rng.randint(3, 8)
    end = rng.choice((1500, 2500))
    delay = round(math.exp(rng.uniform(math.log(200), math.log(20_000))))
    config = {
        "duration": f"{end}us", "measure": {"from": f"{end // 3}us", "to": f"{end}us"}, "seed": rng.randint(1, 10**6),
        "topology": {"kind": "star", "hosts": hosts, "link": {"rate": f"{rate}Gbps", "delay": f"{delay}ns"}},
        "host": {"driver": "none"}, "dscp": {10: {"weight": 1}, 46: {"weight": rng.choice((1, 4, 4))}},
        "switch": {"buffer": rng.choice(("60KB", "200KB", "1MB", "32MB")), "pfc": {"enabled": rng.random() < 0.7}},
        "nic": {"congestion_control": drawn_control(rng)},
        "output": {"plots": False, "series": {"interval": f"{INTERVAL * 1e6:.0f}us", "flows": "all"}},
    }
    if rng.random() < 0.3:
        config["switch"]["pfc"]["headroom"] = rng.choice(("2KB", "100KB"))
    if rng.random() < 0.4:
        kmin = rng.choice((5, 50, 400))
        config["switch"]["ecn"] = {"kmin": f"{kmin}KB", "kmax": f"{4 * kmin}KB", "pmax": rng.choice((0.01, 0.2, 1))}
    if rng.random() < 0.4:
        config["nic"]["recovery"] = {"timeout": rng.choice(("50us", "500us", "16ms"))}
    if rng.random() < 0.15:
        config["nic"]["recovery"] = {"kind": "none"}
    if rng.random() < 0.25:
        config["nic"]["controller"] = {"slots": 8}
    if rng.random() < 0.25:
        config["nic"]["dma"] = {"rate": f"{max(1, rate // rng.choice((1, 3)))}Gbps"}
        if rng.random() < 0.5:
            config["nic"]["payload"], config["host"] = "real", {"driver": "native", "ram": "64MiB"}
    config["traffic"] = drawn_traffic(rng, rate, hosts, end)
    if rng.random() < 0.15:
        recovery = rng.choice(({"kind": "none"}, {"timeout": "2ms"}, {"timeout": "50us", "kind": "go_back_n"}))
        config["nics"] = [{"hosts": f"1..{rng.randint(1, hosts - 1)}", "recovery": recovery}]
    return config


def drawn_control(rng):
    algorithm = rng.choice(("none", "dcqcn", "dcqcn", "dcc", "dcc", "timely", "dctcp", *DELAYS_AND_LOSSES))
    control = {"algorithm": algorithm}
    if algorithm == "dcqcn" and rng.random() < 0.6:
        control["preset"] = rng.choice(("sig15", "reference", "adapter"))
    if algorithm == "dcqcn" and rng.random() < 0.3:
        control.update(initial_rate="1Gbps", r_ai="1Mbps", r_hai="1Mbps")
    if algorithm == "dcc" and rng.random() < 0.7:
        control["policy"] = "proportional"
        if rng.random() < 0.3:
            control["r_ai"] = "2Gbps"
    return control


def drawn_traffic(rng, rate, hosts, end):
    senders = f"1..{hosts - 1}"
    kind = rng.choice(("endless", "endless", "classes", "classes", "pair", "bytes", "late", "limited", "many"))
    flows = rng.choice((1, 1, 2, 12))
    entry = {"kind": "incast", "senders": senders, "receiver": 0, "dscp": 10, "flows": flows}
    if kind == "bytes":
        return [{**entry, "bytes": f"{round(rate * end * rng.uniform(0.02, 0.3) / (hosts - 1) / flows) * 125 + 1000}B"}]
    if kind == "late":
        return [entry, {"kind": "flow", "from": 1, "to": 2, "dscp": 10, "start": f"{end + rng.choice((-200, 0))}us"}]
    if kind == "limited":
        return [{"kind": "flow", "from": 1, "to": 0, "dscp": 10, "rate": f"{max(1, rate // 4)}Gbps"}]
    if kind == "many":
        return [{"kind": "incast", "senders": senders, "receiver": 0, "dscp": 10, "bytes": "20KB",
                 "flows": rng.choice((4, 40))}]
    if kind == "pair":
        return [{"kind": "flow", "from": sender, "to": 0, "dscp": dscp} for sender, dscp in ((1, 10), (2, 46))]
    if kind == "classes":
        return [entry, {**entry, "dscp": 46}]
    return [entry]
