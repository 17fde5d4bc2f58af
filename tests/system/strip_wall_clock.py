#!/usr/bin/python3
"""Prints a metrics.json without what depends on the machine that ran it: wall_s and speed."""
import json
import sys

metrics = json.load(open(sys.argv[1], encoding="utf-8"))
metrics.pop("wall_s", None)
metrics.pop("speed", None)
json.dump(metrics, sys.stdout, indent=1)
