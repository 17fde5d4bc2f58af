#!/usr/bin/python3 -IB
"""Runs a tool of this package: tool.py NAME [ARGUMENT]…

The interpreter's option -I excludes the caller's Python environment (virtual environment, PYTHONPATH, user
site), because the tools need Debian's packages for Debian's interpreter; -B leaves no __pycache__ in the source tree.
"""

import importlib
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from dccvp.common.ending import ended  # noqa: E402

# Each module has a function main(arguments), which returns the exit status.
TOOLS = {
    "sweep": "dccvp.experiments.sweep",
    "study": "dccvp.experiments.study",
    "reproduce": "dccvp.experiments.reproduce",
    "report": "dccvp.report.make_report",
    "plot-run": "dccvp.plot.plot_run",
    "bounds": "dccvp.experiments.bounds",
    "null-models": "dccvp.experiments.null_models",
    "reproductions-page": "dccvp.experiments.reproductions_page",
    "reactions-page": "dccvp.experiments.reactions_page",
    "site": "dccvp.docs.make_site",
    "sources-page": "dccvp.docs.sources_page",
    "regtool": "dccvp.regtool.regtool",
    "interface-tables": "dccvp.handoff.interface_tables",
    "ram-list": "dccvp.handoff.ram_list",
    "cost": "dccvp.cost",
    "import": "dccvp.importers.import_files",
    "export": "dccvp.importers.export_files",
    "fluid": "dccvp.experiments.fluid",
    "indigo-policy": "dccvp.experiments.indigo_policy",
    "long-flow-policy": "dccvp.experiments.long_flow_policy",
    "weight-map": "dccvp.experiments.weight_map",
    "weight-tree": "dccvp.experiments.weight_tree",
    "weight-delay": "dccvp.experiments.weight_delay",
    "component": "dccvp.handoff.component",
    "package-links": "dccvp.handoff.package_links",
    "stamp-license": "dccvp.handoff.stamp_license",
}


def main(arguments):
    if not arguments or arguments[0] not in TOOLS:
        print(f"{__doc__}\nTools: {', '.join(TOOLS)}", file=sys.stderr)
        return 2
    module = importlib.import_module(TOOLS[arguments[0]])
    return ended(lambda: module.main(arguments[1:]), getattr(module, "INTERRUPTED", "interrupted"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
