#include "cli/law_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cli/chart.h"
#include "cli/sample_law.h"

namespace stickslip::cli {

namespace {

constexpr double kDegree = std::numbers::pi / 180;
constexpr Color kSet{0, 0.4, 0.8};
constexpr Color kFamily[] = {{0, 0.4, 0.8}, {0, 0.6, 0.4}, {0.8, 0.6, 0}, {0.8, 0.2, 0.6}, {0.4, 0.4, 0.4}, {0.4, 0.2, 0.8}};

/// The pairs of rows that are shown: the tangents, each tangent with torsion, rolling.
std::vector<Plane> planes(int rows) {
  std::vector<Plane> list = {{0, 1}};
  if (rows == 3 || rows == 5) list.insert(list.end(), {{0, 2}, {1, 2}});
  if (rows >= 4) list.push_back({rows - 2, rows - 1});
  return list;
}

std::string row_name(int row, int rows) {
  static const char* const all[] = {"t", "b", "torsion", "rolling t", "rolling b"};
  return all[rows == 4 && row >= 2 ? row + 1 : row];
}

/// Builds the charts of one law.
class Portrait {
 public:
  Portrait(const SurfaceLaw& law, double length)
      : law_(law),
        info_(surface_law_info(law.name)),
        contact_(law, length),
        prepared_(prepare_surface_law(law)),
        at_rest_(set_at(contact_)) {
    add_planes();
    add_speed();
    add_slip_directions();
    add_turns();
  }

  std::vector<Chart> charts;
  std::vector<std::string> notes;

 private:
  PlacedSet set_at(const ExampleContact& contact, double turn = 0, const Vec3& slip = Vec3::Zero()) const {
    const ContactSite site = contact.site(turn, slip);
    return PlacedSet(prepared_(site), site);
  }
  std::vector<Vec2> tangents(const ExampleContact& contact, double turn, const Vec3& slip = Vec3::Zero()) const {
    return shadow(set_at(contact, turn, slip), {0, 1});
  }
  static bool differ(const std::vector<Vec2>& a, const std::vector<Vec2>& b) {
    if (a.size() != b.size()) return true;
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, (a[i] - b[i]).norm());
    return largest > 1e-6 * std::max(reach(a), reach(b));
  }
  std::string axis(int row) const {
    const std::string name = row_name(row, at_rest_.rows());
    return at_rest_.scales_with_normal() ? fmt::format("λ_{{{}}} / λ_n", name)
                                         : fmt::format("friction force along {} [N]", name);
  }
  /// A speed at which laws that depend on it slide [m/s].
  double sliding_speed() const {
    for (std::size_t i = 0; i < info_.parameters.size(); ++i)
      if (info_.parameters[i].unit == "m/s") return 4 * std::max(law_.numbers[i], 1e-6);
    return 1;
  }

  void add_planes() {
    const int rows = at_rest_.rows();
    for (const Plane plane : planes(rows)) {
      Chart chart;
      const std::string first = row_name(plane.i, rows), second = row_name(plane.j, rows);
      chart.title = plane == Plane{0, 1}   ? "tangents"
                    : first == "rolling t" ? "rolling"
                                           : fmt::format("{} and {}", first, second);
      chart.x_label = axis(plane.i);
      chart.y_label = axis(plane.j);
      const std::vector<Vec2> outline = shadow(at_rest_, plane);
      chart.outlines.push_back({outline, kSet, "", true, false, true});
      if (rows > 2) {
        const std::vector<Vec2> cut = section(at_rest_, plane);
        const double smaller = 0.98 * area(outline);
        if (area(cut) < smaller) chart.outlines.push_back({cut, kSet, "cut through 0", false, true, true});
      }
      add_projections(chart, plane, reach(outline));
      charts.push_back(std::move(chart));
    }
    if (rows > 2)
      notes.push_back(
          fmt::format("F is seen along its other rows. Angular impulses are divided by the size ℓ = {:g} m of the bodies.",
                      contact_.length));
    const auto leaves = [](const Chart& chart) {
      return std::any_of(chart.projections.begin(), chart.projections.end(), [](const Projection& p) { return !p.in_plane; });
    };
    if (std::any_of(charts.begin(), charts.end(), leaves))
      notes.push_back("Where the closest point lies off the plane, no right angle is seen.");
  }

  void add_projections(Chart& chart, Plane plane, double size) const {
    if (!(size > 0)) return;
    for (const double degrees : {20.0, 78.0, 140.0, 205.0, 318.0}) {
      const Vec2 point = 1.5 * size * Vec2(std::cos(degrees * kDegree), std::sin(degrees * kDegree));
      chart.projections.push_back(project(at_rest_, plane, point));
    }
    const Vec2 within = 0.5 * chart.projections.back().closest + 0.15 * chart.projections.front().closest;
    if ((project(at_rest_, plane, within).closest - within).norm() <= 1e-9 * size) chart.inside.push_back(within);
  }

  static double area(const std::vector<Vec2>& outline) {
    double twice = 0;
    for (std::size_t i = 0; i < outline.size(); ++i) {
      const Vec2 &a = outline[i], &b = outline[(i + 1) % outline.size()];
      twice += a.x() * b.y() - a.y() * b.x();
    }
    return 0.5 * std::abs(twice);
  }

  /// μ(v), where the set is a circle whose radius depends on the speed.
  void add_speed() {
    const double most = sliding_speed();
    const std::vector<Vec2> rest = tangents(contact_, 0), slow = tangents(contact_, 0, {most, 0, 0}),
                            aside = tangents(contact_, 0, {0, most, 0});
    if (!differ(rest, slow) || differ(slow, aside)) return;
    charts[0].outlines[0].label = "at rest";
    charts[0].outlines.push_back({slow, kFamily[1], fmt::format("sliding at {:g} m/s", most), false, false, true});
    Outline curve{{}, kSet, "", false, false, false};
    for (int k = 0; k <= 500; ++k) {
      const double speed = most * k / 500;
      curve.points.emplace_back(speed, reach(tangents(contact_, 0, {speed, 0, 0})));
    }
    Chart chart;
    chart.title = "coefficient of friction over speed";
    chart.x_label = "slip speed v before the step [m/s]";
    chart.y_label = "μ(v)";
    chart.equal_scale = false;
    chart.outlines = {std::move(curve)};
    charts.push_back(std::move(chart));
  }

  /// A set for each direction of slip, where the law looks at that.
  void add_slip_directions() {
    const double most = sliding_speed();
    if (!differ(tangents(contact_, 0, {most, 0, 0}), tangents(contact_, 0, {0, most, 0}))) return;
    Chart chart;
    chart.title = fmt::format("sliding at {:g} m/s", most);
    chart.x_label = axis(0);
    chart.y_label = axis(1);
    chart.outlines.push_back({tangents(contact_, 0), {0.6, 0.6, 0.6}, "at rest", false, true, true});
    for (int k = 0; k < 6; ++k) {
      const double angle = 60 * k * kDegree;
      chart.outlines.push_back({tangents(contact_, 0, most * Vec3(std::cos(angle), std::sin(angle), 0)), kFamily[k],
                                fmt::format("slip at {}° to t", 60 * k), false, false, true});
    }
    charts.push_back(std::move(chart));
  }

  /// The set for different angles between the two surfaces, where the law looks at both.
  void add_turns() {
    ExampleContact both = contact_;
    both.b.normal_map = both.a.normal_map;
    if (!differ(tangents(both, 0), tangents(both, 40 * kDegree))) return;
    const bool textured = both.a.normal_map.picture != nullptr;
    if (textured)
      notes.push_back(
          "A has saw teeth, ramps of 10° and cliffs of 60°. B slides easily along +t, up the ramps: friction on it, along −t, "
          "is small.");
    Chart chart;
    chart.title = textured ? "B with the same teeth, turned" : "B turned against A";
    chart.x_label = axis(0);
    chart.y_label = axis(1);
    for (int k = 0; k < 4; ++k) {
      const int degrees = (textured ? 60 : 30) * k;
      chart.outlines.push_back(
          {tangents(both, degrees * kDegree), kFamily[k], fmt::format("{}°", degrees), false, false, true});
    }
    charts.push_back(std::move(chart));
  }

  const SurfaceLaw& law_;
  const SurfaceLawInfo& info_;
  ExampleContact contact_;
  PreparedLaw prepared_;
  PlacedSet at_rest_;
};

constexpr double kMargin = 16, kLegendWidth = 190, kText = 10;

/// Words beside the charts. @param top left corner
void draw_legend(Canvas& canvas, const Portrait& portrait, Vec2 place, bool scales) {
  const auto say = [&](const std::string& words, double indent, bool bold = false) {
    for (const std::string& line : broken(canvas, words, kText, bold, kLegendWidth - indent)) {
      canvas.text(place + Vec2(indent, 0), line, kText, kInk, Align::left, bold);
      place.y() += 15;
    }
  };
  const auto swatch = [&](const Outline& outline) {
    const Vec2 box[] = {place + Vec2(0, -8), place + Vec2(20, -8), place + Vec2(20, 2), place + Vec2(0, 2)};
    const Vec2 line[] = {place + Vec2(0, -3), place + Vec2(20, -3)};
    if (outline.filled) canvas.fill(box, {outline.color.red, outline.color.green, outline.color.blue, 0.18});
    if (outline.filled) canvas.line(box, outline.color, 1.4, false, true);
    else canvas.line(line, outline.color, 1.6, outline.dashed);
  };
  swatch(portrait.charts[0].outlines[0]);
  say(scales ? "F(1): friction impulses for a normal impulse of 1" : "F: friction whatever the normal impulse", 28);
  place.y() += 8;
  draw_projection(canvas, place + Vec2(20, -7), place + Vec2(8, 7), true, 12);
  say("a point outside, its closest point of F and the right angle between", 28);
  place.y() += 8;
  canvas.dot(place + Vec2(10, -4), 3, kProjection);
  say("inside: its own closest point", 28);
  for (const Chart& chart : portrait.charts) {
    if (std::none_of(chart.outlines.begin(), chart.outlines.end(), [](const Outline& o) { return !o.label.empty(); })) continue;
    place.y() += 10;
    say(chart.title, 0, true);
    for (const Outline& outline : chart.outlines) {
      if (outline.label.empty()) continue;
      swatch(outline);
      say(outline.label, 28);
    }
  }
  for (const std::string& note : portrait.notes) {
    place.y() += 8;
    say(note, 0);
  }
}

}   // namespace

std::string title_of(const SurfaceLaw& law) {
  const SurfaceLawInfo& info = surface_law_info(law.name);
  std::vector<std::string> words;
  for (std::size_t i = 0; i < law.numbers.size(); ++i)
    words.push_back(fmt::format("{} = {:g}{}{}", info.parameters[i].name, law.numbers[i],
                                info.parameters[i].unit.empty() ? "" : " ", info.parameters[i].unit));
  if (info.takes_points) words.push_back(fmt::format("{} points", law.points.size()));
  return fmt::format("{}: {}", law.name, fmt::join(words, ", "));
}

std::size_t draw_law(const SurfaceLaw& law, double length, const std::filesystem::path& file) {
  const Portrait portrait(law, length);
  const int count = int(portrait.charts.size()), columns = count == 4 ? 2 : std::min(count, 3),
            lines = (count + columns - 1) / columns;
  const double width = 2 * kMargin + columns * kChartSide + kLegendWidth, header = 66;
  Canvas canvas(file, width, header + lines * kChartSide + kMargin);
  double y = kMargin + 10;
  for (const std::string& line : broken(canvas, title_of(law), 13, true, width - 2 * kMargin)) {
    canvas.text({kMargin, y}, line, 13, kInk, Align::left, true);
    y += 17;
  }
  for (const std::string& line : broken(canvas, surface_law_info(law.name).summary, kText, false, width - 2 * kMargin)) {
    canvas.text({kMargin, y}, line, kText, kInk);
    y += 14;
  }
  for (int k = 0; k < count; ++k)
    draw(canvas, portrait.charts[k], {kMargin + (k % columns) * kChartSide, header + (k / columns) * kChartSide});
  const bool scales = std::visit([](const auto& set) { return set.scales_with_normal(); }, example_set(law).set);
  draw_legend(canvas, portrait, {kMargin + columns * kChartSide + 6, header + 14}, scales);
  return canvas.save();
}

}   // namespace stickslip::cli
