// Which pairs have an energy now.
#include <algorithm>
#include <utility>

#include "stickslip/distance/closest.h"
#include "stickslip/potential/contact_surface.h"

namespace stickslip {

namespace {

constexpr std::uint32_t kPlaneFeature = 1u << 29;   ///< tells half-spaces that move from triangles
constexpr double kSineSquared = 1e-3;               ///< of the angle at which edges begin to count as parallel

/// Features near one point, and how often each counts.
struct NearFeatures {
  struct Entry {
    std::uint8_t corners;   ///< 1: a point, 2: an edge, 3: a triangle
    std::uint32_t number;
    int count;
  };
  void add(std::uint8_t corners, std::uint32_t number, int count) {
    for (Entry& e : entries)
      if (e.corners == corners && e.number == number) {
        e.count += count;
        return;
      }
    entries.push_back({corners, number, count});
  }
  /// Whether a feature was not asked for before.
  bool first_time(std::uint8_t corners, std::uint32_t number) {
    for (const auto& [c, n] : seen)
      if (c == corners && n == number) return false;
    seen.emplace_back(corners, number);
    return true;
  }
  std::vector<Entry> entries;
  std::vector<std::pair<std::uint8_t, std::uint32_t>> seen;
};

}   // namespace

class PairCollector {
 public:
  PairCollector(const ContactSurface& s, std::span<const Vec3> x, BarrierForm form, double stiffness, NearPairs& out)
      : s_(s), x_(x), form_(form), stiffness_(stiffness), out_(out) {
    out.pairs.clear();
    out.members.clear();
    out.found_.clear();
    out.next_of_pair_.clear();
    out.first_of_point_.assign(s.points(), ContactSurface::kNone);
  }

  void point_triangles(const ContactCandidates::Pairs& list) {
    for (std::size_t i = 0; i < list.size();) {
      const std::uint32_t p = list[i][0];
      near_.entries.clear();
      near_.seen.clear();
      for (; i < list.size() && list[i][0] == p; ++i) look(p, list[i][1]);
      for (const NearFeatures::Entry& e : near_.entries)
        if (e.count != 0) emit(p, e);
    }
  }

  void edges(std::uint32_t a, std::uint32_t b) {
    const ContactSurface::Edge &ea = s_.edges()[a], &eb = s_.edges()[b];
    ContactPair pair;
    if (!begin(ea.points[0], eb.points[0], pair)) return;
    const ClosestOfEdges c = closest_of_edges(x_[ea.points[0]], x_[ea.points[1]], x_[eb.points[0]], x_[eb.points[1]]);
    if (!within(pair, c.squared_distance)) return;
    pair.kind = PairKind::edge_edge;
    pair.on_a = c.on_a;
    pair.on_b = c.on_b;
    pair.size = 4;
    pair.size_a = 2;
    pair.points = {ea.points[0], ea.points[1], eb.points[0], eb.points[1]};
    pair.feature_a = a;
    pair.feature_b = b;
    pair.of_edges = true;
    pair.mollifier = kSineSquared * ea.squared_length * eb.squared_length;
    const double area = 0.5 * (ea.area + eb.area);
    const bool by_ends = (c.on_a != OnEdge::inside || c.on_b != OnEdge::inside) && !is_mollified(pair, x_) && take_ends(pair);
    by_ends ? add_ends(pair, area) : add(pair, area, 1);
  }

  /// Gives the pairs of ends their members, one behind the other, and all pairs their states.
  void finish() {
    std::uint32_t first = 0;
    for (const auto& [pair, member] : out_.found_) ++out_.pairs[pair].members;
    for (ContactPair& p : out_.pairs) {
      p.first_member = first;
      first += p.members;
      p.members = 0;
    }
    out_.members.resize(first);
    for (const auto& [number, member] : out_.found_) {
      ContactPair& p = out_.pairs[number];
      PairMember& own = out_.members[p.first_member + p.members++] = member;
      own.part /= p.weight;
    }
    out_.states.resize(out_.pairs.size());
    for (std::size_t k = 0; k < out_.pairs.size(); ++k) out_.states[k] = state_of(out_.pairs[k], x_);
  }

  void point_edge(std::uint32_t p, std::uint32_t edge) {
    const auto& c = s_.edges()[edge].points;
    const ClosestOnEdge at = closest_on_edge(x_[p], x_[c[0]], x_[c[1]]);
    ContactPair pair;
    if (!begin(p, c[0], pair) || !within(pair, at.squared_distance)) return;
    if (at.on == OnEdge::inside) set_line(pair, p, edge);
    else set_point(pair, p, c[at.on == OnEdge::vertex_0 ? 0 : 1]);
    add(pair, s_.area_of(p), 1);
  }

  void point_point(std::uint32_t p, std::uint32_t q) {
    ContactPair pair;
    if (!begin(p, q, pair) || !within(pair, (x_[p] - x_[q]).squaredNorm())) return;
    set_point(pair, p, q);
    add(pair, std::min(s_.area_of(p), s_.area_of(q)), 1);
  }

  void half_space(std::uint32_t p, std::uint32_t number) {
    const ContactSurface::Plane plane = s_.planes()[number].at(x_);
    ContactPair pair;
    pair.patch_a = s_.patch_number(p);
    pair.patch_b = plane.patch;
    pair.range = s_.range_of(pair.patch_a, pair.patch_b);
    pair.offset = s_.patch_of(p).radius;
    if (signed_distance_to_half_space(x_[p], plane.normal, plane.offset) - pair.offset >=
        s_.reach_of(pair.patch_a, pair.patch_b))
      return;
    pair.kind = PairKind::half_space;
    pair.size = pair.size_a = 1;
    pair.points[0] = p;
    pair.feature_a = p;
    pair.feature_b = number;
    if (plane.moves()) {   // a point and the plane of three others
      pair.kind = PairKind::point_plane;
      pair.size = 4;
      pair.points = {p, plane.points[0], plane.points[1], plane.points[2]};
      pair.feature_b = kPlaneFeature | number;
    }
    pair.plane_normal = plane.normal;
    pair.plane_offset = plane.offset;
    add(pair, s_.area_of(p), 1);
  }

 private:
  bool begin(std::uint32_t a, std::uint32_t b, ContactPair& pair) const {
    pair.patch_a = s_.patch_number(a);
    pair.patch_b = s_.patch_number(b);
    pair.range = s_.range_of(pair.patch_a, pair.patch_b);
    pair.offset = s_.patches()[pair.patch_a].radius + s_.patches()[pair.patch_b].radius;
    return pair.range > 0;
  }
  bool within(const ContactPair& pair, double squared_distance) const {
    const double reach = s_.reach_of(pair.patch_a, pair.patch_b) + pair.offset;
    return squared_distance < reach * reach;
  }
  void add(ContactPair& pair, double area, int count) {
    pair.weight = stiffness_ * s_.pressure_of(pair.patch_a, pair.patch_b) * area * pair.range * count;
    out_.pairs.push_back(pair);
  }
  /// To the pair of the same ends, which is found by its first point.
  void add_ends(ContactPair& pair, double area) {
    std::uint32_t at = out_.first_of_point_[pair.points[0]];
    while (at != ContactSurface::kNone && (out_.pairs[at].points != pair.points || out_.pairs[at].kind != pair.kind))
      at = out_.next_of_pair_[at];
    if (at == ContactSurface::kNone) {
      at = static_cast<std::uint32_t>(out_.pairs.size());
      add(pair, area, 1);
      out_.next_of_pair_.resize(out_.pairs.size());
      out_.next_of_pair_[at] = std::exchange(out_.first_of_point_[pair.points[0]], at);
    } else {
      pair.weight = stiffness_ * s_.pressure_of(pair.patch_a, pair.patch_b) * area * pair.range;
      out_.pairs[at].weight += pair.weight;
    }
    out_.found_.push_back({at, {pair.feature_a, pair.feature_b, pair.weight}});
  }
  static void set_point(ContactPair& pair, std::uint32_t p, std::uint32_t q) {
    pair.kind = PairKind::point_point;
    pair.size = 2;
    pair.points = {p, q, 0, 0};
    pair.feature_a = p;
    pair.feature_b = q;
  }
  void set_line(ContactPair& pair, std::uint32_t p, std::uint32_t edge) const {
    const auto& c = s_.edges()[edge].points;
    pair.kind = PairKind::point_line;
    pair.size = 3;
    pair.points = {p, c[0], c[1], 0};
    pair.feature_a = p;
    pair.feature_b = edge;
  }

  /// Two edges of which one or both touch with an end are a pair of fewer points. Both keep their names.
  /// @returns false where that cannot be told from its opposite
  static bool take_ends(ContactPair& pair) {
    const std::array<std::uint32_t, 4> all = pair.points;
    const auto end = [](OnEdge on) { return on == OnEdge::vertex_0 ? 0 : 1; };
    if (pair.on_a != OnEdge::inside && pair.on_b != OnEdge::inside) {
      pair.kind = PairKind::point_point;
      pair.size = 2;
      pair.points = {all[end(pair.on_a)], all[2 + end(pair.on_b)], 0, 0};
    } else if (pair.on_a != OnEdge::inside) {
      pair.kind = PairKind::point_line;
      pair.size = 3;
      pair.points = {all[end(pair.on_a)], all[2], all[3], 0};
    } else {
      if (pair.patch_a == pair.patch_b) return false;   // names would tell the sides apart by their order only
      pair.kind = PairKind::point_line;
      pair.size = 3;
      pair.points = {all[2 + end(pair.on_b)], all[0], all[1], 0};
      std::swap(pair.patch_a, pair.patch_b);
      std::swap(pair.feature_a, pair.feature_b);
    }
    pair.size_a = 1;
    pair.mollifier = 0;
    return true;
  }

  /// Counts a triangle, and what it shares with others, for a point.
  void look(std::uint32_t p, std::uint32_t t) {
    const ContactSurface::Triangle& triangle = s_.triangles()[t];
    const auto& c = triangle.points;
    ContactPair pair;
    if (!begin(p, c[0], pair)) return;
    const ClosestOnTriangle at = closest_on_triangle(x_[p], x_[c[0]], x_[c[1]], x_[c[2]]);
    if (!within(pair, at.squared_distance)) return;
    const int on = static_cast<int>(at.on);
    if (at.on == OnTriangle::inside) near_.add(3, t, 1);
    else if (on < 3) near_.add(1, c[on], 1);
    else near_.add(2, triangle.edges[on - 3], 1);
    if (form_ == BarrierForm::plain) return;
    for (int k = 0; k < 3; ++k) {
      const ContactSurface::Edge& edge = s_.edges()[triangle.edges[k]];
      if (edge.triangles > 1 && near_.first_time(2, triangle.edges[k])) {
        const ClosestOnEdge e = closest_on_edge(x_[p], x_[edge.points[0]], x_[edge.points[1]]);
        if (e.on == OnEdge::inside) near_.add(2, triangle.edges[k], -1);
        else near_.add(1, edge.points[e.on == OnEdge::vertex_0 ? 0 : 1], -1);
      }
      if (s_.is_inner(c[k]) && near_.first_time(1, c[k])) near_.add(1, c[k], 1);
    }
  }

  void emit(std::uint32_t p, const NearFeatures::Entry& e) {
    ContactPair pair;
    if (e.corners == 3) {
      const auto& c = s_.triangles()[e.number].points;
      begin(p, c[0], pair);
      pair.kind = PairKind::point_plane;
      pair.size = 4;
      pair.points = {p, c[0], c[1], c[2]};
      pair.feature_a = p;
      pair.feature_b = e.number;
    } else if (e.corners == 2) {
      const auto& c = s_.edges()[e.number].points;
      begin(p, c[0], pair);
      if (!within(pair, closest_on_edge(x_[p], x_[c[0]], x_[c[1]]).squared_distance)) return;
      set_line(pair, p, e.number);
    } else {
      begin(p, e.number, pair);
      if (!within(pair, (x_[p] - x_[e.number]).squaredNorm())) return;
      set_point(pair, p, e.number);
    }
    add(pair, s_.area_of(p), e.count);
  }

  const ContactSurface& s_;
  std::span<const Vec3> x_;
  BarrierForm form_;
  double stiffness_;
  NearPairs& out_;
  NearFeatures near_;
};

void collect(const ContactSurface& s, const ContactCandidates& candidates, std::span<const Vec3> x, BarrierForm form,
             double stiffness, NearPairs& out) {
  PairCollector collector(s, x, form, stiffness, out);
  collector.point_triangles(candidates.point_triangle);
  for (const auto& [a, b] : candidates.edge_edge) collector.edges(a, b);
  for (const auto& [p, e] : candidates.point_edge) collector.point_edge(p, e);
  for (const auto& [p, q] : candidates.point_point) collector.point_point(p, q);
  for (const auto& [p, k] : candidates.point_plane) collector.half_space(p, k);
  collector.finish();
}

}   // namespace stickslip
