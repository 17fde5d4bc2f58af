"""The sources of a unit, for the scripts of this directory: its part of controller/files.f, common/ and parity/."""
import os

RTL = os.path.dirname(os.path.abspath(__file__))
ARRAY = "common/ram_1r1w_array.sv"  # the RAM's contents: a black box where only logic is meant


def sources(folder):
    """Paths below RTL in the order of compilation; folder is "timing_wheel" or "rate_lut"."""
    parts = (folder + "/", "common/", "parity/")
    with open(os.path.join(RTL, "controller/files.f"), encoding="utf-8") as lines:
        return [line for line in lines.read().split() if line.startswith(parts)]
