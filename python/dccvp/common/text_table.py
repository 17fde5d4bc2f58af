"""Text for a terminal: tables with aligned columns."""


def text_table(rows):
    """The first row is the head, under which a line is drawn. The first column is left-aligned, the
    others to the right; two blanks between columns, every line indented by two."""
    widths = [max(map(len, column)) for column in zip(*rows)]

    def line(cells):
        return ("  " + "  ".join([f"{cells[0]:<{widths[0]}}",
                                  *(f"{cell:>{width}}" for cell, width in zip(cells[1:], widths[1:]))])
                ).rstrip(" ") + "\n"

    rule = line(["-" * width for width in widths])
    return line(rows[0]) + rule + "".join(line(row) for row in rows[1:])
