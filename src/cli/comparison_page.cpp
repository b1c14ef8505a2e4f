// A comparison as a page: pictures, table, plots.
#include <algorithm>
#include <array>
#include <cmath>

#include "cli/comparison.h"
#include "cli/output.h"

namespace stickslip::cli {

namespace {

constexpr std::array<const char*, 6> kCurveColors = {"#1f6fb2", "#d1601f", "#2c8a4b", "#8b4bb0", "#b23a55", "#6b6b6b"};
constexpr double kPlotWidth = 560, kPlotHeight = 250, kPlotLeft = 74, kPlotRight = 12, kPlotTop = 30, kPlotBottom = 38;
constexpr std::size_t kMostPoints = 1000;   ///< of a curve

const char* curve_color(std::size_t i) { return kCurveColors[i % kCurveColors.size()]; }

/// One axis: from numbers to places.
struct PlotAxis {
  double low, high;
  bool logarithmic;

  double part(double value) const {
    if (!logarithmic) return (value - low) / (high - low);
    return (std::log10(value) - std::log10(low)) / (std::log10(high) - std::log10(low));
  }
  std::vector<double> ticks() const {
    std::vector<double> result;
    if (logarithmic) {
      const int first = static_cast<int>(std::lround(std::log10(low))), last = static_cast<int>(std::lround(std::log10(high)));
      const int step = std::max(1, (last - first + 5) / 6);
      for (int k = first; k <= last; k += step) result.push_back(std::pow(10.0, k));
      return result;
    }
    const double raw = (high - low) / 5, power = std::pow(10.0, std::floor(std::log10(raw)));
    const double unit = raw / power < 1.5 ? power : raw / power < 3.5 ? 2 * power : raw / power < 7.5 ? 5 * power : 10 * power;
    for (double k = std::ceil(low / unit - 1e-9); k * unit <= high * (1 + 1e-9) + 1e-12 * unit; ++k) result.push_back(k * unit);
    return result;
  }
};

/// The range of numbers, a little wider than they are. Nothing that is flat becomes noise.
PlotAxis axis_of(double low, double high, bool logarithmic) {
  if (logarithmic) {
    low = std::pow(10.0, std::floor(std::log10(std::max(low, 1e-9 * high))));
    high = std::pow(10.0, std::ceil(std::log10(high)));
    return {low, high > low ? high : 10 * low, true};
  }
  const double least = std::max(1e-3 * std::max(std::abs(low), std::abs(high)), 1e-12);
  const double middle = 0.5 * (low + high), half = std::max(0.5 * (high - low), least) * 1.05;
  return {middle - half, middle + half, false};
}

/// The points of a curve, and at most so many: of each stretch of points the lowest and the highest.
std::vector<std::pair<double, double>> thinned(const Curve& curve, bool logarithmic) {
  std::vector<std::pair<double, double>> kept, few;
  for (const auto& p : curve.points)
    if (std::isfinite(p.second) && (!logarithmic || p.second > 0)) kept.push_back(p);
  if (kept.size() <= kMostPoints) return kept;
  const std::size_t stretch = 2 * kept.size() / kMostPoints + 1;
  for (std::size_t i = 0; i < kept.size(); i += stretch) {
    const auto end = kept.begin() + static_cast<std::ptrdiff_t>(std::min(i + stretch, kept.size()));
    const auto by_value = [](const auto& a, const auto& b) { return a.second < b.second; };
    auto [low, high] = std::minmax_element(kept.begin() + static_cast<std::ptrdiff_t>(i), end, by_value);
    if (high < low) std::swap(low, high);
    few.push_back(*low);
    if (high != low) few.push_back(*high);
  }
  return few;
}

std::string frame_and_ticks(const PlotAxis& x, const PlotAxis& y, const std::string& unit) {
  const double width = kPlotWidth - kPlotLeft - kPlotRight, height = kPlotHeight - kPlotTop - kPlotBottom;
  std::string svg;
  const std::vector<double> ticks = y.ticks();
  int digits = 3;   // so many that two ticks never have one label
  if (!y.logarithmic && ticks.size() > 1) {
    const double largest = std::max(std::abs(ticks.front()), std::abs(ticks.back()));
    digits = std::max(digits, static_cast<int>(std::ceil(std::log10(largest / (ticks[1] - ticks[0])))) + 1);
  }
  for (const double tick : ticks) {
    const double at = kPlotTop + height * (1 - y.part(tick));
    if (at < kPlotTop - 0.5 || at > kPlotTop + height + 0.5) continue;
    svg +=
        fmt::format("<line class=grid x1={:.1f} x2={:.1f} y1={:.1f} y2={:.1f} /><text x={:.1f} y={:.1f} class=right>{}</text>",
                    kPlotLeft, kPlotLeft + width, at, at, kPlotLeft - 6, at + 4,
                    escaped(quantity(std::abs(tick) < 1e-9 * (y.high - y.low) ? 0 : tick, unit, digits)));
  }
  for (const double tick : x.ticks()) {
    const double at = kPlotLeft + width * x.part(tick);
    if (at < kPlotLeft - 0.5 || at > kPlotLeft + width + 0.5) continue;
    svg += fmt::format(
        "<line class=grid x1={:.1f} x2={:.1f} y1={:.1f} y2={:.1f} /><text x={:.1f} y={:.1f} class=middle>{:g}</text>", at, at,
        kPlotTop, kPlotTop + height, at, kPlotTop + height + 16, std::round(tick * 1e9) / 1e9);
  }
  return svg + fmt::format("<text x={:.1f} y={:.1f} class=middle>time [s]</text>", kPlotLeft + width / 2, kPlotHeight - 6);
}

template <class F>
std::string plot_of(const Comparison& c, const std::string& title, const std::string& unit, bool logarithmic, bool all,
                    F&& of) {
  std::vector<Curve> curves;
  for (const ComparedRun& run : c.runs) {
    Curve& curve = curves.emplace_back();
    curve.name = run.name;
    if (!all && &run == &c.runs.front()) continue;   // no difference from itself
    for (const ComparedStep& s : run.steps)
      if (const std::optional<double> value = of(s)) curve.points.emplace_back(s.time, *value);
  }
  return svg_plot(title, unit, curves, logarithmic);
}

std::string page_table(const Comparison& c) {
  std::string html = "<table><tr><th></th>";
  std::vector<std::vector<std::pair<std::string, std::string>>> columns;
  for (std::size_t i = 0; i < c.runs.size(); ++i) {
    html += fmt::format("<th><span class=key style=\"background:{}\"></span>{}</th>", curve_color(i), escaped(c.runs[i].name));
    columns.push_back(facts(c, c.runs[i]));
  }
  html += "</tr>\n";
  for (std::size_t k = 0; k < columns.front().size(); ++k) {
    html += "<tr><td>" + escaped(columns.front()[k].first) + "</td>";
    for (const auto& column : columns) html += "<td>" + escaped(column[k].second) + "</td>";
    html += "</tr>\n";
  }
  return html + "</table>\n";
}

std::string page_notes(const Comparison& c) {
  std::string html;
  for (const ComparedRun& run : c.runs) {
    std::vector<std::string> notes;
    if (!run.farthest_body.empty())
      notes.push_back(fmt::format("'{}' is farthest from where {} has it, at t = {:g} s", run.farthest_body,
                                  c.runs.front().name, run.farthest_time));
    for (const MotionRecord& r : run.result.motion) notes.push_back(statement(r));
    if (!run.error.empty()) notes.push_back(run.error);
    for (const std::string& note : notes) html += fmt::format("<li><b>{}</b>: {}</li>\n", escaped(run.name), escaped(note));
  }
  return html.empty() ? "" : "<ul>\n" + html + "</ul>\n";
}

constexpr std::string_view kPageStyle = R"(<style>
:root { color-scheme: light dark; --line: #ccc; --ink: #222; --paper: #fff; }
@media (prefers-color-scheme: dark) { :root { --line: #444; --ink: #ddd; --paper: #16181b; } }
body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  margin: 24px auto; max-width: 1180px; padding: 0 16px; }
h1 { font-size: 22px; margin: 0 0 4px; }
table { border-collapse: collapse; margin: 16px 0; }
td, th { text-align: left; padding: 3px 18px 3px 0; border-bottom: 1px solid var(--line); font-variant-numeric: tabular-nums; }
.key { display: inline-block; width: 11px; height: 11px; border-radius: 2px; margin-right: 6px; }
.row { display: flex; flex-wrap: wrap; gap: 16px; }
figure { margin: 0; } figure img { max-width: 100%; width: 560px; border: 1px solid var(--line); border-radius: 4px; }
svg { width: 560px; max-width: 100%; height: auto; } svg text { font: 11px system-ui, sans-serif; fill: var(--ink); }
svg .title { font-size: 13px; font-weight: 600; } svg .right { text-anchor: end; } svg .middle { text-anchor: middle; }
svg .grid { stroke: var(--line); stroke-width: 0.6; } svg polyline { fill: none; stroke-width: 1.5; }
</style>
)";

}   // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  return result;
}

std::string svg_plot(const std::string& title, const std::string& unit, const std::vector<Curve>& curves, bool logarithmic) {
  std::vector<std::vector<std::pair<double, double>>> lines;
  double low = 0, high = 0, begin = 0, end = 0;
  bool any = false;
  for (const Curve& curve : curves) {
    lines.push_back(thinned(curve, logarithmic));
    for (const auto& [t, value] : lines.back()) {
      low = any ? std::min(low, value) : value;
      high = any ? std::max(high, value) : value;
      begin = any ? std::min(begin, t) : t;
      end = any ? std::max(end, t) : t;
      any = true;
    }
  }
  if (!any) return "";
  const PlotAxis x{begin, end > begin ? end : begin + 1, false}, y = axis_of(low, high, logarithmic);
  const double width = kPlotWidth - kPlotLeft - kPlotRight, height = kPlotHeight - kPlotTop - kPlotBottom;
  std::string svg = fmt::format("<svg viewBox=\"0 0 {} {}\"><text x={} y=18 class=title>{}</text>", kPlotWidth, kPlotHeight,
                                kPlotLeft, escaped(title));
  svg += frame_and_ticks(x, y, unit);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    svg += fmt::format("<polyline stroke=\"{}\" points=\"", curve_color(i));
    for (const auto& [t, value] : lines[i])
      svg += fmt::format("{:.1f},{:.1f} ", kPlotLeft + width * x.part(t),
                         kPlotTop + height * (1 - std::clamp(y.part(value), 0.0, 1.0)));
    svg += fmt::format("\"><title>{}</title></polyline>", escaped(curves[i].name));
  }
  return svg + "</svg>\n";
}

std::string to_html(const Comparison& c) {
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=en><meta charset=utf-8><meta name=viewport "
      "content=\"width=device-width\">\n<title>{} compared</title>\n{}",
      escaped(c.scene), kPageStyle);
  html += fmt::format("<h1>{}</h1>\n<div>Differences are from {}.</div>\n", escaped(title_of(c)), escaped(c.runs.front().name));
  html += page_table(c) + page_notes(c) + "<div class=row>\n";
  for (std::size_t i = 0; i < c.runs.size(); ++i)
    if (!c.runs[i].picture.empty())
      html += fmt::format(
          "<figure><img alt=\"{0}\" src=\"{1}\"><figcaption><span class=key style=\"background:{2}\"></span>{0}, "
          "t = {3:g} s</figcaption></figure>\n",
          escaped(c.runs[i].name), c.runs[i].picture, curve_color(i), c.runs[i].steps.back().time);
  html += "</div>\n<div class=row>\n";
  html += plot_of(c, "Farthest body from the first run", "m", true, false,
                  [](const ComparedStep& s) { return std::optional(s.farthest); });
  html += plot_of(c, "Distance of bodies from the first run, rms", "m", true, false,
                  [](const ComparedStep& s) { return std::optional(s.rms); });
  html += plot_of(c, "Largest turn against the first run", "rad", true, false,
                  [](const ComparedStep& s) { return std::optional(s.turn); });
  html += plot_of(c, "Contact forces on the ground, sum", "N", false, true,
                  [](const ComparedStep& s) { return std::optional(s.ground_force); });
  html += plot_of(c, "Largest contact force", "N", true, true, [](const ComparedStep& s) { return std::optional(s.force); });
  html += plot_of(c, "Energy, kinetic and potential", "J", false, true,
                  [](const ComparedStep& s) { return std::optional(s.energy); });
  html +=
      plot_of(c, "Largest penetration", "m", true, true, [](const ComparedStep& s) { return std::optional(s.penetration); });
  html += plot_of(c, "Smallest distance", "m", false, true, [](const ComparedStep& s) { return s.distance; });
  html +=
      plot_of(c, "Time of a step", "s", true, true, [](const ComparedStep& s) { return std::optional(1e-3 * s.milliseconds); });
  return html + "</div>\n</html>\n";
}

}   // namespace stickslip::cli
