"""Formats tables: with aligned columns for a terminal, and in Markdown."""


def text_table(rows):
    """Returns the text of a table whose first row is the head. The first column is aligned to the left, the others
    to the right; two blanks separate columns and indent every line."""
    widths = [max(map(len, column)) for column in zip(*rows)]

    def line(cells):
        return ("  " + "  ".join([f"{cells[0]:<{widths[0]}}",
                                  *(f"{cell:>{width}}" for cell, width in zip(cells[1:], widths[1:]))])
                ).rstrip(" ") + "\n"

    rule = line(["-" * width for width in widths])
    return line(rows[0]) + rule + "".join(line(row) for row in rows[1:])


def markdown(head, rows):
    """Returns the lines of a table in Markdown."""
    def line(cells):
        return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"

    return [line(head), "|" + "---|" * len(head), *map(line, rows)]
