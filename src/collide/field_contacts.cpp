// Contacts of solids given by distance fields.
//
// Each solid has features that can touch (collide/field_features.h); where they are nearest to the field of the other, there is
// a point, with the field's gradient as its normal. Gradients are ambiguous where the field has a kink, as at the
// corners of two
// stacked boxes that lie above each other, and sampled fields are rounded there. So the other field is asked a little inside
// the feature too, and what it says there counts where the two differ.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "collide/field_features.h"
#include "collide/field_pairs.h"
#include "stickslip/field/face_minimum.h"

namespace stickslip::narrow {

namespace {

/// How far inside a feature the other field is asked, of the solid's thickness.
constexpr double kFieldInset = 0.02;
/// Cosine of the angle between the gradients at and inside a feature below which there is a kink between them.
constexpr double kSmooth = 0.995;
/// Of contacts with about the same normal that are nearer to each other than this part of the thickness the first stays.
constexpr double kFieldMerge = 0.01;
/// Ends of an edge count as part of its interior up to this part of its length: vertices have their own contacts.
constexpr double kEdgeEnd = 0.02;
/// An edge touches as far as the field along it is above its minimum by at most this part of the thickness.
constexpr double kEdgeTouch = 1e-4;
/// Part of the band beyond which values of a sampled field are but bounds.
constexpr double kWithinBand = 0.9;
/// A gradient that is shorter than 1 by more tells of a kink between samples, which cut it off: then the triangles are asked.
constexpr double kBlunt = 0.02;
constexpr int kRimSamples = 16;
/// Points of a part that are handed on, beyond which the deepest and the outermost are chosen.
constexpr std::size_t kMostOfPart = 48;

/// The distance to a shape, in the frame of another.
class PlacedField final : public DistanceField {
 public:
  PlacedField(const Shape& shape, const Pose& pose) : rotation_(pose.rotation()), position_(pose.position) {
    if (const auto* mesh = std::get_if<Mesh>(&shape)) solid_ = mesh->solid.get();
    else shape_.emplace(shape, pose);
  }

  double value(const Vec3& at) const override { return sample(at).value; }
  FieldSample sample(const Vec3& at) const override {
    if (shape_) return shape_->sample(at);
    FieldSample s = of_mesh(rotation_.transpose() * (at - position_));
    s.gradient = rotation_ * s.gradient;
    return s;
  }
  Aabb bounds() const override { return {}; }
  double error_bound() const override { return 0; }
  double band() const override { return std::numeric_limits<double>::infinity(); }

  bool is_convex() const { return shape_.has_value(); }
  /// Whether vertices lie on a smooth surface that the field knows better than the triangles between them.
  bool is_smooth() const { return solid_ && solid_->field() && std::isinf(solid_->field()->band()); }

 private:
  FieldSample of_mesh(const Vec3& p) const {
    if (const DistanceField* field = solid_->field().get()) {
      const FieldSample s = field->sample(p);
      const bool is_sampled = std::isfinite(field->band());
      if (!is_sampled) return s;
      if (std::abs(s.value) <= kWithinBand * field->band() && std::abs(s.gradient.norm() - 1) < kBlunt) return s;
    }
    const auto found = signed_distance(solid_->surface(), p, solid_->closed() ? SignRule::automatic : SignRule::normals);
    return {found->distance, found->gradient};
  }

  Mat3 rotation_;
  Vec3 position_;
  const MeshSolid* solid_ = nullptr;
  std::optional<ShapeField> shape_;
};

/// A contact in the making, in the frame of the second solid.
struct FieldCandidate {
  Vec3 position, normal;   ///< normal from the first solid to the second
  double gap;
  std::uint64_t feature;
  std::uint32_t part = 0;
};

/// Which of 54 directions a normal is nearest to: the sides of a cube with 3 × 3 fields each, so that axes lie in the middle of
/// fields.
std::uint32_t direction_of(const Vec3& n) {
  int axis;
  n.cwiseAbs().maxCoeff(&axis);
  const auto third = [](double x) { return static_cast<std::uint32_t>(std::clamp(std::floor(1.5 * (x + 1)), 0.0, 2.0)); };
  const double scale = 1 / std::abs(n[axis]);
  const auto side = static_cast<std::uint32_t>(2 * axis + (n[axis] > 0));
  return 9 * side + 3 * third(scale * n[(axis + 1) % 3]) + third(scale * n[(axis + 2) % 3]);
}

enum class FeatureKind : std::uint64_t { vertex, slid, edge, edge_start, edge_end, face, rim, rim_sample };

/// Looks for contacts of the features of one solid with the field of the other.
class FieldSearch {
 public:
  /// @param is_first whether the features are those of the first solid, from which normals point
  FieldSearch(const PlacedField& target, bool is_first, double thickness, double margin, std::vector<FieldCandidate>& found)
      : target_(target),
        is_first_(is_first),
        inset_(kFieldInset * thickness),
        touch_(kEdgeTouch * thickness),
        margin_(margin),
        found_(found) {}

  /// @param own the field of the solid that has the features; of a smooth one triangles are but chords, only vertices count
  void search(const FieldFeatures& f, const PlacedField& own, double spacing_of_other) {
    if (own.is_smooth()) slide(f, own);
    for (const FieldFeatures::Point& p : f.points) add(p.at, p.normal, f.radius, name(FeatureKind::vertex, p.name));
    if (own.is_smooth()) return;
    for (const FieldFeatures::Edge& e : f.edges) edge(e, f.radius);
    for (const FieldFeatures::Rim& r : f.rims) rim(r);
    for (const FieldFeatures::Face& t : f.faces) face(t, f, spacing_of_other);
  }

 private:
  std::uint64_t name(FeatureKind kind, std::uint32_t number) const {
    return (is_first_ ? 0 : std::uint64_t{1} << 62) | static_cast<std::uint64_t>(kind) << 56 | number;
  }
  MinimumOptions search_options() const { return {.tolerance = 1e-6, .subdivisions = target_.is_convex() ? 0 : 1}; }
  void add(const Vec3& at, const Vec3& normal, double radius, std::uint64_t feature);
  void edge(const FieldFeatures::Edge&, double radius);
  /// @param spacing of the vertices of the other solid: what a smaller face meets is found from there
  void face(const FieldFeatures::Face&, const FieldFeatures&, double spacing);
  void rim(const FieldFeatures::Rim&);
  /// Where the other is nearest to a smooth surface, from its vertices that are nearer than their neighbours, or not farther by
  /// more than a slope of one in fifty makes.
  void slide(const FieldFeatures&, const PlacedField& own);
  Vec3 slid(const Vec3& from, const PlacedField& own, double spacing) const;

  const PlacedField& target_;
  bool is_first_;
  double inset_, touch_, margin_;
  std::vector<FieldCandidate>& found_;
};

void FieldSearch::add(const Vec3& at, const Vec3& normal, double radius, std::uint64_t feature) {
  FieldSample s = target_.sample(at);
  if (s.value > margin_ + radius + inset_) return;
  Vec3 out = s.gradient.normalized();
  const bool on_surface = !normal.isZero(0);
  if (on_surface) {
    const FieldSample inner = target_.sample(at - inset_ * normal);
    const Vec3 out_there = inner.gradient.normalized();
    if (!(out.dot(out_there) > kSmooth)) {
      out = out_there;
      s.value = inner.value + inset_ * normal.dot(out);
    }
    if (out.dot(normal) >= 0) return;   // the other lies behind this side
  }
  const double gap = s.value - radius;
  if (!(gap <= margin_) || out.isZero(0)) return;
  found_.push_back({at - 0.5 * (s.value + radius) * out, is_first_ ? Vec3(-out) : out, gap, feature});
}

void FieldSearch::edge(const FieldFeatures::Edge& e, double radius) {
  const Vec3 along = e.b - e.a, a = e.a - inset_ * e.normal;
  const double half = 0.5 * along.norm();
  if (!(half > 0) || target_.value(0.5 * (e.a + e.b)) > margin_ + radius + half) return;
  const FieldMinimum least = minimise_over_edge(target_, a, a + along, search_options());
  const double t = least.weights[1];
  const auto add_at = [&](double place, FeatureKind kind) {
    if (place > kEdgeEnd && place < 1 - kEdgeEnd) add(e.a + place * along, e.normal, radius, name(kind, e.name));
  };
  add_at(t, FeatureKind::edge);
  // Where an edge lies on a face, it touches from where it comes in to where it goes out.
  for (const auto& [end, kind] : {std::pair{0.0, FeatureKind::edge_start}, {1.0, FeatureKind::edge_end}}) {
    double touching = t, apart = end;
    if (target_.value(a + end * along) <= least.value + touch_) continue;
    for (int i = 0; i < 16; ++i) {
      const double middle = 0.5 * (touching + apart);
      (target_.value(a + middle * along) <= least.value + touch_ ? touching : apart) = middle;
    }
    // Inside of a face by twice what the distance from its rim must be for the field to have risen by so much.
    const double back = std::copysign(std::sqrt(2 * inset_ * touch_) / half, t - touching);
    if (std::abs(touching - t) > std::max(kEdgeEnd, std::abs(back))) add_at(touching + back, kind);
  }
}

void FieldSearch::face(const FieldFeatures::Face& t, const FieldFeatures& f, double spacing) {
  const Vec3 in = inset_ * t.normal;
  const auto corner = [&](int k) { return Vec3(f.points[t.corners[static_cast<std::size_t>(k)]].at - in); };
  const Vec3 a = corner(0), b = corner(1), c = corner(2), middle = (a + b + c) / 3;
  const double reach = std::max({(a - middle).norm(), (b - middle).norm(), (c - middle).norm()});
  if (reach < spacing || target_.value(middle) > margin_ + inset_ + reach) return;
  const FieldMinimum least = minimise_over_triangle(target_, a, b, c, search_options());
  if (least.weights.minCoeff() > kEdgeEnd) add(least.point + in, t.normal, 0, name(FeatureKind::face, t.name));
}

void FieldSearch::rim(const FieldFeatures::Rim& r) {
  const Mat3 frame = frame_from_normal(r.axis);
  const auto radial = [&](double angle) { return Vec3(std::cos(angle) * frame.col(1) + std::sin(angle) * frame.col(2)); };
  const auto outward = [&](double angle) { return Vec3((radial(angle) + r.axis) * std::numbers::sqrt2 / 2); };
  const auto at = [&](double angle) { return Vec3(r.center + r.radius * radial(angle)); };
  const auto inside = [&](double angle) { return target_.value(at(angle) - inset_ * outward(angle)); };
  constexpr double kStep = 2 * std::numbers::pi / kRimSamples;
  std::array<double, kRimSamples> value;
  for (int k = 0; k < kRimSamples; ++k) value[k] = inside(k * kStep);
  std::uint32_t minima = 0;
  for (int k = 0; k < kRimSamples; ++k) {
    const double before = value[(k + kRimSamples - 1) % kRimSamples], after = value[(k + 1) % kRimSamples];
    if (value[k] > std::min(before, after) + touch_) continue;
    if (std::max(before, after) <= value[k] + touch_) {   // it lies flat
      add(at(k * kStep), outward(k * kStep), 0, name(FeatureKind::rim_sample, 64 * r.name + static_cast<std::uint32_t>(k)));
      continue;
    }
    double low = (k - 1) * kStep, high = (k + 1) * kStep;
    for (int i = 0; i < 40; ++i) {
      const double left = low + (high - low) / 3, right = high - (high - low) / 3;
      (inside(left) < inside(right) ? high : low) = inside(left) < inside(right) ? right : left;
    }
    const double angle = 0.5 * (low + high);
    add(at(angle), outward(angle), 0, name(FeatureKind::rim, 64 * r.name + minima++));
  }
}

void FieldSearch::slide(const FieldFeatures& f, const PlacedField& own) {
  constexpr double kSlope = 0.02;
  std::vector<double> value;
  for (const FieldFeatures::Point& p : f.points) value.push_back(target_.value(p.at));
  std::vector<bool> is_low(value.size(), true);
  for (const FieldFeatures::Face& t : f.faces) {
    const double lowest = std::min({value[t.corners[0]], value[t.corners[1]], value[t.corners[2]]});
    for (const std::uint32_t k : t.corners)
      if (value[k] > lowest + kSlope * f.spacing) is_low[k] = false;
  }
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (!is_low[i] || value[i] > margin_ + f.spacing) continue;
    const Vec3 end = slid(f.points[i].at, own, f.spacing);
    add(end, own.sample(end).gradient.normalized(), 0, name(FeatureKind::slid, f.points[i].name));
  }
}

/// Down the other's distance along the own surface, by steps of Barzilai and Borwein; stays where it is on a flat slope, which
/// has no lowest point within reach.
Vec3 FieldSearch::slid(const Vec3& from, const PlacedField& own, double spacing) const {
  const auto slope_at = [&](const Vec3& x) {
    const Vec3 n = own.sample(x).gradient.normalized(), g = target_.sample(x).gradient;
    return Vec3(g - g.dot(n) * n);
  };
  const auto onto = [&](Vec3 x) {
    for (int i = 0; i < 3; ++i) {
      const FieldSample s = own.sample(x);
      x -= s.value * s.gradient / std::max(s.gradient.squaredNorm(), 0.1);
    }
    return x;
  };
  Vec3 x = from, slope = slope_at(x);
  const double start = slope.norm();
  double step = spacing;
  for (int i = 0; i < 20 && slope.norm() > 1e-9; ++i) {
    const double length = std::min(step, spacing / slope.norm());
    const Vec3 next = onto(x - length * slope), next_slope = slope_at(next), moved = next - x, turned = next_slope - slope;
    if ((next - from).norm() > 2 * spacing) break;
    const double bend = moved.dot(turned);
    step = bend > 0 ? moved.squaredNorm() / bend : 2 * step;
    x = next, slope = next_slope;
  }
  return slope.norm() < 0.1 * start ? x : from;
}

/// The deepest points of a part, and those that lie outermost in 16 directions across the normal.
void thin(std::vector<FieldCandidate>& part, double margin) {
  if (part.size() <= kMostOfPart) return;
  std::stable_sort(part.begin(), part.end(), [](const auto& x, const auto& y) { return x.gap < y.gap; });
  const Mat3 frame = frame_from_normal(part.front().normal);
  std::vector<bool> stays(part.size(), false);
  std::fill(stays.begin(), stays.begin() + kMostOfPart / 3, true);
  const auto touching = static_cast<std::size_t>(std::upper_bound(part.begin(), part.end(), part.front().gap + 0.05 * margin,
                                                                  [](double g, const auto& c) { return g < c.gap; }) -
                                                 part.begin());
  constexpr int kDirections = 16;
  for (const std::size_t count : {touching, part.size()})
    for (int k = 0; k < kDirections; ++k) {
      const double angle = 2 * std::numbers::pi * k / kDirections;
      const Vec3 direction = std::cos(angle) * frame.col(1) + std::sin(angle) * frame.col(2);
      std::size_t best = 0;
      for (std::size_t i = 1; i < count; ++i)
        if (direction.dot(part[i].position - part[best].position) > 0) best = i;
      stays[best] = true;
    }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < part.size(); ++i)
    if (stays[i]) part[kept++] = part[i];
  part.resize(kept);
}

/// Leaves out what is as good as there already.
void merge(std::vector<FieldCandidate>& part, double distance) {
  std::vector<FieldCandidate> kept;
  for (const FieldCandidate& c : part) {
    const auto same = [&](const FieldCandidate& k) {
      return (k.position - c.position).squaredNorm() < distance * distance && k.normal.dot(c.normal) > 0.9;
    };
    if (std::none_of(kept.begin(), kept.end(), same)) kept.push_back(c);
  }
  part = std::move(kept);
}

/// Of walls, or of an open mesh a part of its size [m].
double thickness_of(const Shape& shape) {
  const double length = characteristic_length(shape);
  return length > 0 || std::holds_alternative<HalfSpace>(shape) ? length : 0.01 * bounding_radius(shape);
}

}   // namespace

void collide_field(const Shape& other, const Pose& pose_other, const Mesh& field, const Pose& pose_field, double margin,
                   ContactSink& sink) {
  const Shape shape = field;
  const Pose placed = pose_field.inverse() * pose_other;
  const PlacedField first(other, placed), second(shape, {});
  const double thick = thickness_of(other), thick_field = thickness_of(shape);
  const FieldFeatures of_other = features_near(other, placed, shape, placed.inverse(), margin);
  const FieldFeatures of_field = features_near(shape, {}, other, placed, margin);
  std::vector<FieldCandidate> found;
  FieldSearch from_other(second, true, thick, margin, found), from_field(first, false, thick_field, margin, found);
  from_other.search(of_other, first, of_field.spacing);
  from_field.search(of_field, second, of_other.spacing);

  for (FieldCandidate& c : found) c.part = direction_of(c.normal);
  std::stable_sort(found.begin(), found.end(), [](const auto& x, const auto& y) { return x.part < y.part; });
  const double thinner = thick > 0 ? std::min(thick, thick_field) : thick_field;
  for (auto at = found.begin(); at != found.end();) {
    const std::uint32_t number = at->part;
    const auto end = std::find_if(at, found.end(), [&](const FieldCandidate& c) { return c.part != number; });
    std::vector<FieldCandidate> part(at, end);
    merge(part, kFieldMerge * thinner);
    thin(part, margin);
    for (const FieldCandidate& c : part) sink.add(pose_field * c.position, pose_field.orientation * c.normal, c.gap, c.feature);
    sink.end_part(pair_of_parts(0, number + 1));
    at = end;
  }
}

}   // namespace stickslip::narrow
