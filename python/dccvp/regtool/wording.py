"""Text functions that several outputs share: wrapped comments, names in other spellings."""

import textwrap

COLUMNS = 100


def comment(text, begin, indent, end=""):
    """Returns the lines of a comment: the first starts with `begin`, the others with `indent`, and the last ends
    with `end`."""
    text = text.replace("*/", "* /")
    lines = textwrap.wrap(text + end, COLUMNS, initial_indent=begin, subsequent_indent=indent,
                          break_long_words=False, break_on_hyphens=False)
    return lines


def camel(name):
    """Converts cnps_received or IRQ_STATUS to CnpsReceived or IrqStatus."""
    return "".join(part.capitalize() for part in name.split("_"))


def field_details(field):
    """Returns access, number format, unit and range of a field in words."""
    parts = [field.access]
    if field.format:
        parts.append(field.format)
    if field.unit:
        parts.append(field.unit)
    if field.limited:
        parts.append(f"{field.min} to {field.max}")
    return ", ".join(parts)
