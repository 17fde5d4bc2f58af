"""Reads a CSV file by columns or by rows."""

import csv
import math

from dccvp.common.ending import InputError

# Names of the columns that hold words; all other columns hold numbers.
TEXTS = {"port", "completed", "way", "from_name", "to_name"}
# Greatest number of single flows in a chart; with more flows a chart shows mean and spread of each class.
MOST_LINES = 16


def read_columns(path, needed=(), nothing=math.nan):
    """Reads a CSV file of a run; returns {column: list of numbers or words}. An empty cell becomes `nothing`.
    InputError for a file that is no CSV file of a run or lacks one of the columns `needed`."""
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


def rows_of(path):
    """Yields the rows of a CSV file, each {column: text}."""
    with open(path, newline="", encoding="utf-8") as file:
        yield from csv.DictReader(file)
