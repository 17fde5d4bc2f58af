"""Draws distributions of delays, a curve for each class, from series/delays.csv."""

import math

from dccvp.report.html_text import colour, escape, number

WIDTH, HEIGHT, LEFT, BOTTOM = 640, 220, 44, 34


def curves(columns):
    """Returns {(dscp, way): [(microseconds, share), …]} in ascending order, from the columns of series/delays.csv."""
    found = {}
    for dscp, way, us, share in zip(*(columns[key] for key in ("dscp", "way", "us", "share"))):
        found.setdefault((int(dscp), way), []).append((max(us, 1e-3), share))
    return found


def stairs(points, place):
    """Returns the SVG path of a cumulative distribution, which rises from 0 at each bucket."""
    x, _ = place(points[0][0], 0)
    path = [f"M{x:.1f} {place(points[0][0], 0)[1]:.1f}"]
    for us, share in points:
        x, y = place(us, share)
        path.append(f"H{x:.1f}V{y:.1f}")
    return "".join(path)


WAYS = {"round_trip": ("", "there and back"), "one_way": (' stroke-dasharray="5 3"', "one way"),
        "as_read": (' stroke-dasharray="1 3"', "there and back, by the hosts' clocks")}


def distributions(columns, dscps):
    found = curves(columns)
    least = min(points[0][0] for points in found.values())
    most = max(points[-1][0] for points in found.values())
    low = math.log10(least)
    span = max(math.log10(most) - low, 0.1)

    def place(us, share):
        return (LEFT + (WIDTH - LEFT - 8) * (math.log10(us) - low) / span,
                8 + (HEIGHT - BOTTOM - 8) * (1 - share))

    lines, words = [], []
    for share in (0, 0.25, 0.5, 0.75, 1):
        _, y = place(least, share)
        lines.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - 8}" stroke="currentColor" opacity=".15"/>')
        words.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{share:g}</text>')
    for tenth in range(math.ceil(low * 3), math.floor((low + span) * 3) + 1):
        us = (1, 2, 5)[tenth % 3] * 10.0 ** (tenth // 3)
        if not least <= us <= most:
            continue
        x, y = place(us, 0)
        lines.append(f'<path d="M{x:.1f} 8V{y:.1f}" stroke="currentColor" opacity=".15"/>')
        words.append(f'<text x="{x:.1f}" y="{y + 16:.1f}" text-anchor="middle">{us:g} µs</text>')
    for (dscp, way), points in found.items():
        dash, label = WAYS[way]
        packets = sum(p for p, d, w in zip(columns["packets"], columns["dscp"], columns["way"])
                      if (int(d), w) == (dscp, way))
        lines.append(f'<path d="{stairs(points, place)}" fill="none" stroke="{colour(dscps, dscp)}" '
                     f'stroke-width="1.8"{dash}><title>DSCP {dscp}, {escape(label)}: '
                     f'{number(int(packets))} packets</title></path>')
    return (f'<figure class="distribution"><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
            'aria-label="distributions of delays" font-size="11" fill="currentColor">'
            f'{"".join(lines + words)}</svg></figure>')
