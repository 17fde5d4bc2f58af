"""DCC-VP on the host: the platform from Python, and the tools around it (python/tool.py).

    import dccvp
    run = dccvp.run("configs/demo.yaml", {"seed": 3, "switch.ecn.kmax": "400KB"})
    run.metrics["aggregate"]["goodput_gbps"]; run.flows; run.series("queue")
    dccvp.sweep("configs/sweeps/thresholds.yaml", jobs=2).table
    dccvp.compare([run, other])

Importable with PYTHONPATH=python from a checkout after `make build`; frames are pandas' (Debian:
python3-pandas), which the tools do without.
"""

from dccvp.common.ending import InputError

__all__ = ["InputError", "Run", "RunError", "Sweep", "compare", "params", "run", "sweep"]


def __getattr__(name):
    if name not in __all__:
        raise AttributeError(f"module 'dccvp' has no attribute '{name}'")
    from dccvp import api  # not before it is needed: pandas takes half a second
    return getattr(api, name)
