"""Reads a CSV file of a run by columns."""

import csv
import math

from dccvp.common.ending import InputError

TEXTS = {"port", "completed", "way", "from_name", "to_name"}  # columns that hold words; all others hold numbers
MOST_LINES = 16  # greatest number of single flows in a chart; more are drawn as mean and spread of a class


def read_columns(path, needed=(), nothing=math.nan):
    """{column: list of numbers or words}; an empty cell is `nothing`. InputError for a file that is not a run's or that
    lacks one of the columns `needed`."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows = csv.reader(file)
            names = next(rows, [])
            table = list(zip(*rows)) or [()] * len(names)
    except (csv.Error, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {error}") from error
    if len(table) != len(names):
        raise InputError(f"{path}: rows of different lengths")
    missing = [name for name in needed if name not in names]
    if missing:
        raise InputError(f"{path}: no column {missing[0]}")
    columns = {}
    try:
        for name, cells in zip(names, table):
            if name in TEXTS:
                columns[name] = list(cells)
            else:
                columns[name] = [float(cell) if cell else nothing for cell in cells]
    except ValueError as error:
        raise InputError(f"{path}: column {name}: {error}") from error
    return columns
