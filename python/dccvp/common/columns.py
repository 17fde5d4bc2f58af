"""A CSV that a run wrote, by column."""

import csv
import math

from dccvp.common.ending import InputError

TEXTS = {"port", "completed", "way"}  # columns of words; all others hold numbers
MOST_LINES = 16  # of a chart; of more flows single lines say nothing: mean and spread of a class do


def read_columns(path, needed=(), nothing=math.nan):
    """{column: list}: numbers, `nothing` where a cell is empty. InputError for a file that is not
    what a run writes, with the columns that are needed."""
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
