"""Python package of DCC-VP: runs, sweeps and results of the platform, and the command-line tools (python/tool.py).

    import dccvp
    run = dccvp.run("configs/demo.yaml", {"seed": 3, "switch.ecn.kmax": "400KB"})
    run.metrics["aggregate"]["goodput_gbps"]; run.flows; run.series("queue")
    dccvp.sweep("configs/sweeps/thresholds.yaml", jobs=2).table
    dccvp.compare([run, other])

Importable with PYTHONPATH=python from a checkout after `make build`, or after `pip install ./python`. Only frames need
pandas (Debian: python3-pandas).
"""

from dccvp.common.ending import InputError

__all__ = ["InputError", "Run", "RunError", "Sweep", "compare", "params", "run", "sweep"]


def __getattr__(name):
    if name not in __all__:
        raise AttributeError(f"module 'dccvp' has no attribute '{name}'")
    # api and the modules that it needs are imported on first use, so that the command-line tools start quickly
    from dccvp import api
    return getattr(api, name)


def __dir__():
    return sorted({*globals(), *__all__})
