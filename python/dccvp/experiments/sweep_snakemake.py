"""Writes a sweep as a Snakemake workflow, whose executors run the points on one or many machines."""

import json
import pathlib
import shlex

from dccvp.common.whole_file import write_whole

TEXT = '''# A job for each point of {name}, and one for the table. Written by dccvp sweep.
#   snakemake -j 8                       here
#   snakemake -j 200 --cluster sbatch    on a cluster whose machines see the same folders
import json

workdir: workflow.basedir

with open(workflow.basedir + "/plan.json") as file:
    IDS = list(dict.fromkeys(point["id"] for point in json.load(file)["points"]))

SWEEP = {sweep}

localrules: table

rule table:
    input: expand("done/{{id}}.json", id=IDS)
    output: "table.csv", "results.sqlite"
    shell: SWEEP + " --collect ."

rule point:
    output: "done/{{id}}.json"
    shell: SWEEP + " --point . {{wildcards.id}}"
'''


def write(folder):
    """Writes the Snakefile beside plan.json."""
    tool = shlex.quote(str(pathlib.Path(__file__).resolve().parents[2] / "tool.py"))
    # Snakemake replaces single braces in shell commands, so braces are doubled.
    tool = tool.replace("{", "{{").replace("}", "}}")
    write_whole(folder.path / "Snakefile", TEXT.format(name=json.dumps(folder.document["name"]),
                                                       sweep=json.dumps(f"/usr/bin/python3 -I -B {tool} sweep")))
