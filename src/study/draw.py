"""Draws the figures of a study: python3 figures/draw.py

Reads figures.json beside it and the tables in ../data and ../times, and writes <name>.svg and <name>.png for each figure.
Change either file to your liking and run it again; `stickslip study ... --replot` writes both anew.
"""
import csv
import json
import math
import os
import sys

try:
    import matplotlib
except ImportError:
    sys.exit(9)   # the program knows what that means

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import MaxNLocator

HERE = os.path.dirname(os.path.abspath(__file__))
# Told apart by colour, by line and by marker: the colours differ in lightness too, for print in grey.
COLORS = ["#0b4f8a", "#d1601f", "#3a9e63", "#8b4bb0", "#c2304f", "#7a7a7a", "#1b1b1b", "#b8992a", "#4bb3c9", "#5d4037"]
DASHES = ["-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (1, 3)), (0, (8, 3)), (0, (3, 1)), (0, (5, 5)), (0, (2, 2, 6, 2))]
MARKERS = ["o", "s", "^", "D", "v", "x", "P", "*", "<", ">"]
HATCHES = ["", "///", "...", "xxx", "\\\\\\", "+++", "ooo", "|||", "---", "**"]

plt.rcParams.update({
    "font.size": 9, "axes.titlesize": 9, "axes.labelsize": 9, "legend.fontsize": 8, "figure.titlesize": 11, "svg.hashsalt": "stickslip",
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.color": "#dddddd", "grid.linewidth": 0.6,
    "axes.axisbelow": True, "figure.constrained_layout.use": True, "lines.linewidth": 1.5, "lines.markersize": 4.5,
})


def number(text):
    try:
        return float(text)
    except ValueError:
        return text


def read_table(name):
    """The columns of a table by name, timings among them."""
    columns = {}
    for part in ("data", "times"):
        path = os.path.join(HERE, "..", part, name + ".csv")
        if not os.path.exists(path):
            continue
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        for i, head in enumerate(rows[0]):
            columns[head.split(" [")[0]] = [number(row[i]) for row in rows[1:]]
    return columns


def select(columns, where):
    kept = range(len(next(iter(columns.values()))) if columns else 0)
    kept = [i for i in kept if all(columns[c][i] == v for c, v in where.items())]
    return {name: [values[i] for i in kept] for name, values in columns.items()}


def distinct(columns, name):
    return list(dict.fromkeys(columns[name])) if name else [None]


def groups(columns, figure):
    """(index, label, rows) of every curve. The index is that of the whole figure: a curve looks the same in all panels."""
    here, ys = distinct(columns, figure["series"]), figure["y"] or [None]
    for i, value in enumerate(figure["all_series"]):
        if value not in here:
            continue
        rows = select(columns, {figure["series"]: value}) if figure["series"] else columns
        for k, y in enumerate(ys):
            names = [word(value)] if figure["series"] else []
            if len(ys) > 1:
                names.append(figure["column_names"][y])
            yield i * len(ys) + k, ", ".join(names), rows, y


def word(value):
    return format(value, "g") if isinstance(value, float) else str(value)


def usable(figure, x, y):
    ok = math.isfinite(x) and math.isfinite(y)
    return ok and not (figure["log_x"] and x <= 0) and not (figure["log_y"] and y <= 0)


def sensible_top(figure, columns):
    """Where y ends in a figure with a curve that is ever so far above the others; None: nothing is cut."""
    values = sorted(v for y in figure["y"] for v in columns[y] if not isinstance(v, str) and math.isfinite(v) and v > 0)
    if not figure["log_y"] or not values or values[-1] < 1e12 * values[len(values) // 2]:
        return None
    return 1e3 * max(v for v in values if v < 1e9 * values[len(values) // 2])


def draw_curves(axes, figure, columns):
    above = []
    for index, label, rows, y in groups(columns, figure):
        points = [(a, b, i) for i, (a, b) in enumerate(zip(rows[figure["x"]], rows[y])) if usable(figure, a, b)]
        if figure["kind"] != "scatter":
            points.sort(key=lambda p: p[0])
        xs, ys = [p[0] for p in points], [p[1] for p in points]
        if figure["top"] and ys and min(ys) > figure["top"]:
            above.append(label)
        color, marker = COLORS[index % len(COLORS)], MARKERS[index % len(MARKERS)]
        if figure["kind"] == "scatter":
            axes.scatter(xs, ys, label=label, color=color, marker=marker, s=28, linewidths=1.2)
            if figure["point_label"]:
                label_points(axes, [(a, b, word(rows[figure["point_label"]][i])) for a, b, i in points])
            continue
        stairs = {"drawstyle": "steps-post"} if figure["kind"] == "steps" else {}
        few = len(xs) <= 12
        axes.plot(xs, ys, label=label, color=color, linestyle=DASHES[index % len(DASHES)], marker=marker,
                  markevery=1 if few else max(1, len(xs) // 8), **stairs)
        if figure["low"] and figure["high"]:
            low, high = ([rows[figure[side]][i] for _, _, i in points] for side in ("low", "high"))
            axes.fill_between(xs, low, high, color=color, alpha=0.15, linewidth=0)
    if figure["top"]:
        axes.set_ylim(top=figure["top"])
    if above:
        axes.annotate(", ".join(above) + ": far above", (0.03, 0.97), xycoords="axes fraction", fontsize=7, color="#555555", va="top")
    if figure["kind"] == "scatter" and figure["pareto"]:
        draw_front(axes, figure, columns)


def label_points(axes, points):
    """Words beside points; those that would lie on others of the same place are shifted."""
    places = []
    for x, y, text in sorted(points):
        px, py = axes.transScale.transform((x, y))
        near = sum(1 for qx, qy in places if abs(px - qx) < 0.25 and abs(py - qy) < 0.12)
        places.append((px, py))
        axes.annotate(text, (x, y), textcoords="offset points", xytext=(5, 3 + 8 * near), fontsize=7, color="#333333")


def draw_front(axes, figure, columns):
    points = sorted((a, b) for a, b in zip(columns[figure["x"]], columns[figure["y"][0]]) if usable(figure, a, b))
    front = []
    for a, b in points:
        if not front or b < front[-1][1]:
            front.append((a, b))
    axes.plot([p[0] for p in front], [p[1] for p in front], color="#999999", linewidth=1, zorder=0, drawstyle="steps-post",
              label="none is better in both")


def draw_bars(axes, figure, columns):
    names = distinct(columns, figure["x"])
    curves = list(groups(columns, figure))
    bottoms = [0.0] * len(names)
    width = 0.8 if figure["stacked"] else 0.8 / max(1, len(curves))
    for place, (index, label, rows, y) in enumerate(curves):
        by_name = dict(zip(rows[figure["x"]], rows[y]))
        heights = [by_name.get(name, math.nan) for name in names]
        heights = [h if math.isfinite(h) else 0.0 for h in heights]
        xs = [i + (0 if figure["stacked"] else (place - (len(curves) - 1) / 2) * width) for i in range(len(names))]
        axes.bar(xs, heights, width, bottom=bottoms if figure["stacked"] else None, label=label, color=COLORS[index % len(COLORS)],
                 hatch=HATCHES[index % len(HATCHES)], edgecolor="white", linewidth=0.6)
        if figure["stacked"]:
            bottoms = [a + b for a, b in zip(bottoms, heights)]
    labels = [word(name) for name in names]
    axes.set_xticks(range(len(names)))
    crowded = sum(len(label) + 2 for label in labels) > 34
    axes.set_xticklabels(labels, rotation=35 if crowded else 0, ha="right" if crowded else "center")
    axes.grid(False, axis="x")


def draw_histogram(axes, figure, columns):
    curves, labels = [], []
    for index, label, rows, _ in groups(columns, figure):
        curves.append([v for v in rows[figure["x"]] if math.isfinite(v) and not (figure["log_x"] and v <= 0)])
        labels.append((index, label))
    everything = [v for curve in curves for v in curve]
    if not everything:
        return
    low, high = min(everything), max(everything)
    whole = all(v == int(v) for v in everything) and high - low < 4 * figure["bins"]
    if figure["log_x"]:
        a, b = math.log10(low), math.log10(high) + 1e-9
        edges = [10 ** (a + (b - a) * i / figure["bins"]) for i in range(figure["bins"] + 1)]
    elif whole:   # a bar for every whole number, or for a few of them
        step = max(1, math.ceil((high - low + 1) / figure["bins"]))
        edges = [low - 0.5 + step * i for i in range(int((high - low) // step) + 2)]
    else:
        edges = figure["bins"]
    filled = len(curves) == 1
    for (i, label), curve in zip(labels, curves):
        axes.hist(curve, bins=edges, label=label, color=COLORS[i % len(COLORS)], histtype="bar" if filled else "step",
                  linestyle="-" if filled else DASHES[i % len(DASHES)], linewidth=0.4 if filled else 1.5,
                  **({"edgecolor": "white"} if filled else {}))


def draw_matrix(fig, axes, figure, columns):
    xs, ys = columns[figure["x"]], columns[figure["y"][0]]
    values = columns[figure["value"]] if figure["value"] else [1.0] * len(xs)
    if not xs:
        return
    wide, tall = int(max(xs)) + 1, int(max(ys)) + 1
    grid = [[math.nan] * wide for _ in range(tall)]
    for x, y, v in zip(xs, ys, values):
        grid[int(y)][int(x)] = v
    image = axes.imshow(grid, cmap="viridis" if figure["value"] else "gray", interpolation="nearest", aspect="auto" if wide != tall else "equal",
                        **({} if figure["value"] else {"vmin": 1.0, "vmax": 2.0}))
    axes.grid(False)
    if figure["value"]:
        fig.colorbar(image, ax=axes, label=figure["value_label"], shrink=0.8)


def counts(axes):
    """Whether x is a count on all curves."""
    return all(float(x).is_integer() for line in axes.get_lines() for x in line.get_xdata())


def finish(axes, figure, first):
    if figure["log_x"]:
        axes.set_xscale("log")
    elif figure["kind"] in ("lines", "steps") and counts(axes):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))   # steps and sweeps have no halves
    if figure["log_y"]:
        axes.set_yscale("log")
    for i, (name, level) in enumerate(figure["levels"].items()):
        axes.axhline(level, color="#555555", linewidth=1, linestyle=(0, (4, 2 + i)), zorder=0)
        axes.annotate(name, (1, level), xycoords=("axes fraction", "data"), fontsize=7, color="#555555", ha="right", va="bottom")
    axes.set_xlabel(figure["x_label"])
    if first or not figure["share_y"]:
        axes.set_ylabel(figure["y_label"])


def draw(figure, columns):
    columns = select(columns, figure["where"])
    figure["all_series"], figure["top"] = distinct(columns, figure["series"]), sensible_top(figure, columns)
    panels = distinct(columns, figure["panels"])
    across = min(3, len(panels))
    down = math.ceil(len(panels) / across)
    size = (7.5, 4.2) if len(panels) == 1 else (3.4 * across + 0.6, 2.9 * down + 0.9)
    fig, grid = plt.subplots(down, across, figsize=size, squeeze=False, sharey=figure["share_y"] and figure["kind"] != "matrix")
    cells = [axes for row in grid for axes in row]
    for axes in cells[len(panels):]:
        axes.set_visible(False)
    for i, (axes, panel) in enumerate(zip(cells, panels)):
        rows = select(columns, {figure["panels"]: panel}) if figure["panels"] else columns
        finish(axes, figure, i % across == 0)
        if figure["kind"] == "bars":
            draw_bars(axes, figure, rows)
        elif figure["kind"] == "histogram":
            draw_histogram(axes, figure, rows)
        elif figure["kind"] == "matrix":
            draw_matrix(fig, axes, figure, rows)
        else:
            draw_curves(axes, figure, rows)
        if panel is not None:
            axes.set_title(word(panel) if isinstance(panel, str) else f"{figure['column_names'][figure['panels']]}: {word(panel)}")
    legend(fig, cells[:len(panels)])
    fig.suptitle(figure["title"])
    for ending, more in (("svg", {"metadata": {"Date": None}}), ("png", {"dpi": 130})):
        fig.savefig(os.path.join(HERE, figure["name"] + "." + ending), **more)
    plt.close(fig)


def legend(fig, cells):
    """One for all plots, below them."""
    found = {}
    for axes in cells:
        for handle, label in zip(*axes.get_legend_handles_labels()):
            if label:
                found.setdefault(label, handle)
    if not found:
        return
    longest = max(len(label) for label in found)
    columns = max(1, min(len(found), int(fig.get_figwidth() * 13 / (longest + 8))))
    lines = math.ceil(len(found) / columns)
    fig.set_figheight(fig.get_figheight() + 0.2 * lines)
    fig.legend(found.values(), found.keys(), loc="outside lower center" if hasattr(fig, "get_layout_engine") and matplotlib.__version_info__ >= (3, 7) else
               "lower center", ncol=columns, frameon=False, bbox_to_anchor=None)
    if matplotlib.__version_info__ < (3, 7):   # no room is made for legends of figures: take it from the plots
        engine = fig.get_layout_engine()
        share = (0.2 * lines + 0.15) / fig.get_figheight()
        engine.set(rect=(0, share, 1, 1 - share))


def main():
    with open(os.path.join(HERE, "figures.json"), encoding="utf-8") as file:
        figures = json.load(file)
    wanted = sys.argv[1:]
    for figure in figures:
        if not wanted or figure["name"] in wanted:
            draw(figure, read_table(figure["table"]))


if __name__ == "__main__":
    main()
