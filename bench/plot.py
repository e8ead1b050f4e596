"""Log-log plots of times as SVG, with nothing but Python's standard library.

    figure = Figure("all eigenvalues of one matrix", "n", xticks=[512, 2048])
    figure.line("eigpack", [(512, 0.2), (2048, 3.1)], style=0)
    figure.bars("limit", [(2048, 5.0)])
    text = figure.svg()

    text = cells("ratios", "n", [2, 4], ["batch 1", "batch 10"], {(2, "batch 1"): 3.1})

Times are in milliseconds.  The legend stands to the right, in the order of the calls; later lines lie on top.  A picture has no
background, and colours that read on white and on black.
"""
import math

WIDTH, HEIGHT = 850, 430
LEFT, RIGHT, TOP, BOTTOM = 78, 560, 40, 372  # the frame of the plot
INK = "#757b84"
GRID, FINE = '#808080" stroke-opacity="0.35', '#808080" stroke-opacity="0.13'  # colour and how much of it
LIMIT = "#d62839"
LABEL = 26  # pixels that the number of a tick takes
AHEAD, BEHIND = "#1f7fc0", "#d62839"  # of a map
CELL, LINE = 72, 21
# Colours that colour-blind readers can distinguish (near those of M. Okabe and K. Ito), each with a marker of its own.
STYLES = [
    ("#1f7fc0", "circle"), ("#4aa0d0", "ring"), ("#d55e00", "square"), ("#c98a00", "triangle"),
    ("#009e73", "diamond"), ("#7f7f7f", ""),
]
UNITS = [(1e3, "s"), (1, "ms"), (1e-3, "µs"), (1e-6, "ns")]


def time_text(ms):
    """1e-2 -> 10 µs, 1e4 -> 10 s"""
    for factor, unit in UNITS:
        if ms >= 0.999 * factor:
            return f"{ms / factor:.0f} {unit}"
    return f"{ms * 1e6:g} ns"


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def marker(kind, x, y, colour):
    if kind == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>'
    if kind == "ring":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.6" fill="none" stroke="{colour}" stroke-width="1.8"/>'
    if kind == "square":
        return f'<rect x="{x - 3.6:.1f}" y="{y - 3.6:.1f}" width="7.2" height="7.2" fill="{colour}"/>'
    if kind == "triangle":
        return f'<path d="M{x:.1f} {y - 4.8:.1f}l4.6 8h-9.2z" fill="{colour}"/>'
    if kind == "diamond":
        return f'<path d="M{x:.1f} {y - 5:.1f}l4.6 5l-4.6 5l-4.6 -5z" fill="{colour}"/>'
    return ""


class Figure:
    def __init__(self, title, xlabel, xticks, ylabel="time"):
        self.title, self.xlabel, self.xticks, self.ylabel = title, xlabel, xticks, ylabel
        self.series = []

    def line(self, label, points, style, dashed=False, heavy=False):
        if not points:
            raise ValueError(f"{self.title}: no rows for {label!r}")
        self.series.append(("line", label, sorted(points), style, dashed, heavy))

    def bars(self, label, points):
        """Short level strokes: limits."""
        if points:
            self.series.append(("bars", label, sorted(points), 0, False, False))

    def scale(self):
        points = [p for s in self.series for p in s[2]]
        xs = [math.log(x) for x, _ in points] + [math.log(x) for x in self.xticks]
        ys = [math.log10(y) for _, y in points]
        margin = 0.05 * (max(xs) - min(xs)) or 1.0
        self.x0, self.x1 = min(xs) - margin, max(xs) + margin
        self.y0, self.y1 = math.floor(min(ys) - 0.05), math.ceil(max(ys) + 0.05)

    def at(self, x, y):
        right = (math.log(x) - self.x0) / (self.x1 - self.x0)
        up = (math.log10(y) - self.y0) / (self.y1 - self.y0)
        return LEFT + right * (RIGHT - LEFT), BOTTOM - up * (BOTTOM - TOP)

    def levels(self):
        """The lines across, and what they are."""
        out = []
        for decade in range(self.y0, self.y1 + 1):
            _, y = self.at(self.xticks[0], 10.0 ** decade)
            if decade < self.y1 and self.y1 - self.y0 <= 7:
                for minor in range(2, 10):
                    _, level = self.at(self.xticks[0], minor * 10.0 ** decade)
                    out.append(f'<path d="M{LEFT} {level:.1f}H{RIGHT}" stroke="{FINE}"/>')
            out.append(f'<path d="M{LEFT} {y:.1f}H{RIGHT}" stroke="{GRID}"/>')
            out.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{time_text(10.0 ** decade)}</text>')
        return out

    def axes(self):
        out, last = self.levels(), -LABEL
        for tick in self.xticks:
            x, _ = self.at(tick, 1)
            out.append(f'<path d="M{x:.1f} {TOP}V{BOTTOM}" stroke="{GRID}"/>')
            if x >= last + LABEL:  # else its number would lie on the one before
                out.append(f'<text x="{x:.1f}" y="{BOTTOM + 18}" text-anchor="middle">{tick:,}</text>')
                last = x
        out.append(f'<path d="M{LEFT} {TOP}H{RIGHT}V{BOTTOM}H{LEFT}z" fill="none" stroke="{INK}"/>')
        middle = (LEFT + RIGHT) / 2
        out.append(f'<text x="{LEFT}" y="24" font-size="15" font-weight="bold">{escape(self.title)}</text>')
        out.append(f'<text x="{middle:.0f}" y="{BOTTOM + 42}" text-anchor="middle">{escape(self.xlabel)}</text>')
        out.append(f'<text transform="translate(16 {(TOP + BOTTOM) / 2:.0f}) rotate(-90)" text-anchor="middle">'
                   f'{escape(self.ylabel)}</text>')
        return out

    @staticmethod
    def stroke(style, dashed, heavy):
        dash = ' stroke-dasharray="6 4"' if dashed else ""
        return f'stroke="{STYLES[style][0]}" stroke-width="{2.6 if heavy else 1.6}" fill="none"{dash}'

    def curves(self):
        out = []
        for kind, _, points, style, dashed, heavy in self.series:
            places = [self.at(x, y) for x, y in points]
            if kind == "bars":
                out += [f'<path d="M{x - 11:.1f} {y:.1f}h22" stroke="{LIMIT}" stroke-width="3"/>' for x, y in places]
                continue
            path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
            out.append(f'<path d="M{path}" stroke-linejoin="round" {self.stroke(style, dashed, heavy)}/>')
            out += [marker(STYLES[style][1], x, y, STYLES[style][0]) for x, y in places]
        return out

    def legend(self):
        out, y = [], TOP + 10
        for kind, label, _, style, dashed, heavy in self.series:
            if kind == "bars":
                out.append(f'<path d="M{RIGHT + 21} {y}h22" stroke="{LIMIT}" stroke-width="3"/>')
            else:
                out.append(f'<path d="M{RIGHT + 16} {y}h32" {self.stroke(style, dashed, heavy)}/>')
                out.append(marker(STYLES[style][1], RIGHT + 32, y, STYLES[style][0]))
            for part in label.split("\n"):
                out.append(f'<text x="{RIGHT + 56}" y="{y + 4}">{escape(part)}</text>')
                y += 16
            y += 10
        return out

    def svg(self):
        self.scale()
        head = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
                f'viewBox="0 0 {WIDTH} {HEIGHT}" '
                'font-family="Helvetica, Arial, sans-serif" font-size="13" role="img">',
                f"<title>{escape(self.title)}</title>", f'<g fill="{INK}">']
        return "\n".join(head + self.axes() + self.curves() + self.legend() + ["</g>", "</svg>"]) + "\n"


def cells(title, label, rows, columns, values, key=""):
    """A map of ratios as SVG: the more a cell is above 1, the bluer; below 1 it is red.  values: {(row, column): ratio}.  The words of a
    column's heading stand below each other, the last ones on one line."""
    heads = [column.split(", ") for column in columns]
    high = 15 * max(map(len, heads)) + 20
    width, height = max(LEFT + CELL * len(columns) + 12, 640), TOP + high + LINE * len(rows) + 12
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
           'font-family="Helvetica, Arial, sans-serif" font-size="12" role="img">', f"<title>{escape(title)}</title>", f'<g fill="{INK}">',
           f'<text x="12" y="24" font-size="15" font-weight="bold">{escape(title)}</text>',
           f'<text x="12" y="{TOP + 4}">{escape(key)}</text>',
           f'<text x="{LEFT - 8}" y="{TOP + high - 6}" text-anchor="end">{escape(label)}</text>']
    for k, words in enumerate(heads):
        out += [f'<text x="{LEFT + CELL * (k + 0.5):.0f}" y="{TOP + high - 6 - 15 * up}" text-anchor="middle">{escape(word)}</text>'
                for up, word in enumerate(reversed(words))]
    for j, row in enumerate(rows):
        y = TOP + high + LINE * j
        out.append(f'<text x="{LEFT - 8}" y="{y + 15}" text-anchor="end">{row:,}</text>')
        for k, column in enumerate(columns):
            ratio, x = values.get((row, column)), LEFT + CELL * k
            if ratio is None:
                continue
            colour, dense = (AHEAD, min(0.8, 0.1 + 0.22 * math.log10(ratio))) if ratio >= 1 else (BEHIND, 0.6)
            out.append(f'<rect x="{x + 1}" y="{y + 1}" width="{CELL - 2}" height="{LINE - 2}" fill="{colour}" fill-opacity="{dense:.2f}"/>')
            text = f"{ratio:.0f}" if ratio >= 99.5 else f"{ratio:.1f}" if ratio >= 9.95 else f"{ratio:.2f}"
            out.append(f'<text x="{x + CELL / 2:.0f}" y="{y + 15}" text-anchor="middle">{text}</text>')
    return "\n".join(out + ["</g>", "</svg>"]) + "\n"
