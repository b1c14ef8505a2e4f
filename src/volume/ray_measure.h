// Rays along three axes through a box: what they see of two solids, by pieces that hang together.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>

#include "stickslip/volume/surface.h"
#include "volume/ray_memory.h"

namespace stickslip {

/// Stretches of neighbouring rays belong together if they are not farther apart along the rays than this many cells: thin
/// sheets that lean against the rays stay whole.
inline constexpr double kLean = 1.5;

struct AxisSums {
  double volume = 0, seen = 0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
};
/// Of one piece, in the frame of the grid, about the middle of the box.
struct PieceSums {
  std::array<AxisSums, 3> axes;
  MomentSums total;
};

/// Stretches of one ray that are in both solids.
inline void share(const RayMemory& m, std::uint32_t ray, std::vector<SharedStretch>& shared) {
  std::uint32_t i = m.first_inside[0][ray], j = m.first_inside[1][ray];
  while (i < m.first_inside[0][ray + 1] && j < m.first_inside[1][ray + 1]) {
    const RayStretch &a = m.inside[0][i], &b = m.inside[1][j];
    const bool a_starts = a.from >= b.from, a_ends = a.to <= b.to;
    SharedStretch s;
    s.from = std::max(a.from, b.from), s.to = std::min(a.to, b.to);
    s.from_normal = a_starts ? a.from_normal : b.from_normal, s.to_normal = a_ends ? a.to_normal : b.to_normal;
    s.from_owner = s.from_normal.isZero(0) ? FaceOwner::none : a_starts ? FaceOwner::a : FaceOwner::b;
    s.to_owner = s.to_normal.isZero(0) ? FaceOwner::none : a_ends ? FaceOwner::a : FaceOwner::b;
    s.ray = ray, s.piece = 0;
    if (s.from < s.to) shared.push_back(s);
    a_ends ? ++i : ++j;
  }
}

class RayMeasure {
 public:
  RayMeasure(RayMemory& memory, const Aabb& box, int count)
      : memory_(memory), box_(box), middle_(0.5 * (box.lower + box.upper)) {
    prepare_shifts(memory, count);
    for (int axis = 0; axis < 3; ++axis) {
      RayGrid& grid = grids_[axis];
      grid.shifts = memory.shifts.data(), grid.shift_stride = memory.shifts_of, grid.axis = axis, grid.lower = box.lower;
      grid.columns = along(grid.u(), count), grid.rows = along(grid.v(), count);
      grid.step_u = (box.upper - box.lower)[grid.u()] / grid.columns,
      grid.step_v = (box.upper - box.lower)[grid.v()] / grid.rows;
    }
  }

  /// Rays that one of the solids does not meet in the box need not be looked at in the other: what costs less comes first.
  void cast(const RaySolid& a, const RaySolid& b) {
    for (const RaySolid* solid : {&a, &b})
      if (solid->is_mesh()) choose_triangles(*solid, box_, memory_);
    const bool b_first = a.is_mesh() && (!b.is_mesh() || memory_.chosen[1].size() < memory_.chosen[0].size());
    const RaySolid &first_one = b_first ? b : a, &other = b_first ? a : b;
    for (const RayGrid& grid : grids_) {
      auto& shared = memory_.shared[grid.axis];
      auto& first = memory_.first_shared[grid.axis];
      shared.clear(), first.clear();
      memory_.wanted.assign(grid.rays(), 1);
      stretches_inside(first_one, grid, memory_);
      want_met(first_one.slot, grid);
      stretches_inside(other, grid, memory_);
      for (std::uint32_t ray = 0; ray < grid.rays(); ++ray) {
        first.push_back(static_cast<std::uint32_t>(shared.size()));
        share(memory_, ray, shared);
      }
      first.push_back(static_cast<std::uint32_t>(shared.size()));
      for (std::size_t i = 0; i < shared.size(); ++i) {   // nothing lies outside the box but by rounding
        shared[i].from = std::max(shared[i].from, box_.lower[grid.axis]);
        shared[i].to = std::max(shared[i].from, std::min(shared[i].to, box_.upper[grid.axis]));
      }
    }
  }

  /// Numbers the pieces, and every stretch by its piece. @returns how many
  std::uint32_t find_pieces() {
    const auto seen = [&](int axis) { return grids_[axis].cell() * static_cast<double>(memory_.shared[axis].size()); };
    order_ = {0, 1, 2};
    std::swap(order_[0], *std::ranges::max_element(order_, {}, seen));
    std::uint32_t count = number_components(order_[0]);
    for (numbered_ = 1; numbered_ < 3; ++numbered_) count = join_pieces(order_[numbered_], count);
    for (int axis = 0; axis < 3; ++axis)
      memory_.of_piece[axis].fill(count, [&](const auto& add) {
        for (std::uint32_t i = 0; i < memory_.shared[axis].size() && count > 0; ++i) add(memory_.shared[axis][i].piece, i);
      });
    return count;
  }

  PieceSums sums_of(std::uint32_t piece) const {
    PieceSums sums;
    each_of(piece, [&](const SharedStretch& s, int axis) { add(s, axis, sums); });
    return sums;
  }

  /// Box that a piece lies in: rays that missed it go by at less than two cells from those that saw it, and over such a way it
  /// rises along the rays by as much, whatever cells are there.
  Aabb box_of(std::uint32_t piece) const {
    Aabb box;
    double cell = 0;
    for (const RayGrid& grid : grids_) cell = std::max({cell, grid.step_u, grid.step_v});
    const Vec3 around = Vec3::Constant(2 * cell);
    each_of(piece, [&](const SharedStretch& s, int axis) {
      Vec3 from = middle_ + place(s, axis), to = from;
      from[axis] = s.from, to[axis] = s.to;
      box = box.merged({from - around, to + around});
    });
    return {box.lower.cwiseMax(box_.lower), box.upper.cwiseMin(box_.upper)};
  }
  double longest_side() const { return (box_.upper - box_.lower).maxCoeff(); }

  /// Calls visit(stretch, axis) for the stretches of a piece.
  template <class Visit>
  void each_of(std::uint32_t piece, const Visit& visit) const {
    for (int axis = 0; axis < 3; ++axis)
      for (const std::uint32_t i : memory_.of_piece[axis][piece]) visit(memory_.shared[axis][i], axis);
  }

  /// Middle of a stretch, from the middle of the box.
  Vec3 place(const SharedStretch& s, int axis) const {
    const Vec2 at = grids_[axis].place(s.ray);
    Vec3 x;
    x[axis] = 0.5 * (s.from + s.to), x[grids_[axis].u()] = at.x(), x[grids_[axis].v()] = at.y();
    return x - middle_;
  }
  const Vec3& middle() const { return middle_; }
  /// Along which a piece is seen: that which sees most of the overlap, unless it passes the piece by.
  int axis_of(std::uint32_t piece) const {
    const auto sees = [&](int axis) { return !memory_.of_piece[axis][piece].empty(); };
    return *std::ranges::find_if(order_, sees);
  }
  const RayGrid& grid(int axis) const { return grids_[axis]; }

 private:
  /// Rays along a side of the box: across one of less than a quarter of the longest fewer do, as they see little.
  int along(int side, int count) const {
    const Vec3 sides = box_.upper - box_.lower;
    const double part = std::sqrt(std::min(1.0, 4 * sides[side] / sides.maxCoeff()));
    return std::clamp(static_cast<int>(std::ceil(part * count)), std::min(8, count), count);
  }

  /// Rays that are in a solid somewhere in the box.
  void want_met(int slot, const RayGrid& grid) {
    const auto& first = memory_.first_inside[slot];
    const double lower = box_.lower[grid.axis], upper = box_.upper[grid.axis];
    const auto meets = [&](const RayStretch& s) { return s.from <= upper && s.to >= lower; };
    for (std::uint32_t ray = 0; ray < grid.rays(); ++ray) {
      const auto stretches = std::span(memory_.inside[slot]).subspan(first[ray], first[ray + 1] - first[ray]);
      memory_.wanted[ray] = std::any_of(stretches.begin(), stretches.end(), meets);
    }
  }

  /// Numbers the stretches of an axis by what hangs together along it. @returns how many components there are
  std::uint32_t number_components(int axis) {
    auto& stretches = memory_.shared[axis];
    memory_.parent.resize(stretches.size());
    std::iota(memory_.parent.begin(), memory_.parent.end(), 0u);
    const RayGrid& grid = grids_[axis];
    const auto n = static_cast<std::uint32_t>(grid.columns);
    for (std::uint32_t ray = 0; ray < grid.rays(); ++ray) {
      if (ray % n + 1 < n) connect(grid, ray, ray + 1, kLean * grid.step_u);
      if (ray + n < grid.rays()) connect(grid, ray, ray + n, kLean * grid.step_v);
    }
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < stretches.size(); ++i)   // roots come before what hangs on them
      stretches[i].piece = memory_.parent[i] == i ? count++ : stretches[root(i)].piece;
    return count;
  }

  /// Stretches of another axis belong to the piece that they are next to. What hangs together and is next to none is one by
  /// itself: rays along the axes before it passed it by. @param count of the pieces so far @returns that with the new ones
  std::uint32_t join_pieces(int axis, std::uint32_t count) {
    constexpr std::uint32_t none = ~0u;
    memory_.piece_of_component.assign(number_components(axis), none);
    memory_.piece_beside.clear();
    for (const SharedStretch& s : memory_.shared[axis]) {
      memory_.piece_beside.push_back(piece_at(place(s, axis)).value_or(none));
      std::uint32_t& own = memory_.piece_of_component[s.piece];
      if (own == none) own = memory_.piece_beside.back();
    }
    for (std::size_t i = 0; i < memory_.piece_beside.size(); ++i) {
      SharedStretch& s = memory_.shared[axis][i];
      std::uint32_t& own = memory_.piece_of_component[s.piece];
      if (own == none) own = count++;
      s.piece = memory_.piece_beside[i] == none ? own : memory_.piece_beside[i];
    }
    return count;
  }

  std::uint32_t root(std::uint32_t i) const {
    while (memory_.parent[i] != i) i = memory_.parent[i];
    return i;
  }

  void connect(const RayGrid& grid, std::uint32_t ray, std::uint32_t other, double slack) {
    const auto& first = memory_.first_shared[grid.axis];
    for (std::uint32_t i = first[ray]; i < first[ray + 1]; ++i)
      for (std::uint32_t j = first[other]; j < first[other + 1]; ++j) {
        const SharedStretch &s = memory_.shared[grid.axis][i], &t = memory_.shared[grid.axis][j];
        if (s.from > t.to + slack || t.from > s.to + slack) continue;
        const std::uint32_t a = root(i), b = root(j), low = std::min(a, b);
        memory_.parent[a] = memory_.parent[b] = memory_.parent[i] = memory_.parent[j] = low;
      }
  }

  /// Piece of the nearest stretch within two cells, of the axes that are numbered.
  std::optional<std::uint32_t> piece_at(const Vec3& from_middle) const {
    const Vec3 x = middle_ + from_middle;
    for (const int axis : std::span(order_).first(numbered_))
      for (const int radius : {1, 2})
        if (const auto piece = piece_at(grids_[axis], x, radius)) return piece;
    return std::nullopt;
  }
  std::optional<std::uint32_t> piece_at(const RayGrid& grid, const Vec3& x, int radius) const {
    const auto cell = [&](int axis, double step, int count) {
      return static_cast<int>(std::clamp((x[axis] - grid.lower[axis]) / step, 0.0, count - 1.0));
    };
    const int i = cell(grid.u(), grid.step_u, grid.columns), j = cell(grid.v(), grid.step_v, grid.rows);
    const double around = radius * std::max(grid.step_u, grid.step_v);
    std::optional<std::uint32_t> best;
    double nearest = std::numeric_limits<double>::infinity();
    for (int jj = std::max(0, j - radius); jj <= std::min(grid.rows - 1, j + radius); ++jj)
      for (int ii = std::max(0, i - radius); ii <= std::min(grid.columns - 1, i + radius); ++ii) {
        const std::uint32_t ray = grid.ray(ii, jj);
        for (std::uint32_t k = memory_.first_shared[grid.axis][ray]; k < memory_.first_shared[grid.axis][ray + 1]; ++k) {
          const SharedStretch& s = memory_.shared[grid.axis][k];
          const double du = (ii - i) * grid.step_u, dv = (jj - j) * grid.step_v;
          const double dt = std::max({s.from - x[grid.axis], x[grid.axis] - s.to, 0.0}), squared = du * du + dv * dv + dt * dt;
          if (dt <= around && squared < nearest) nearest = squared, best = s.piece;
        }
      }
    return best;
  }

  void add(const SharedStretch& s, int axis, PieceSums& sums) const {
    const RayGrid& grid = grids_[axis];
    const Vec3 x = place(s, axis);
    const double length = s.to - s.from, cell = grid.cell(), volume = length * cell;
    AxisSums& own = sums.axes[axis];
    own.volume += volume;
    own.first += volume * x;
    Vec3 side;
    side[axis] = length, side[grid.u()] = grid.step_u, side[grid.v()] = grid.step_v;
    own.second += volume * (x * x.transpose() + Mat3((side.cwiseAbs2() / 12).asDiagonal()));
    for (const bool end : {false, true}) {
      const FaceOwner owner = end ? s.to_owner : s.from_owner;
      if (owner == FaceOwner::none) continue;
      own.seen += cell;
      Vec3 at = x, area = Vec3::Zero();
      at[axis] += end ? length / 2 : -length / 2, area[axis] = end ? cell : -cell;
      sums.total.add_surface(owner, area, at);
    }
  }

  RayMemory& memory_;
  Aabb box_;
  Vec3 middle_;
  std::array<RayGrid, 3> grids_;
  std::array<int, 3> order_ = {0, 1, 2};   ///< of the axes: that along which the overlap is seen best comes first
  std::size_t numbered_ = 0;               ///< of these, whose stretches know their pieces
};

/// The surface of a piece as the rays see it that see most of it, in the world. @param frame of the rays
void append_surface(const RayMeasure&, const RayMemory&, std::uint32_t piece, const Pose& frame, std::vector<OverlapSurface>&);

}   // namespace stickslip
