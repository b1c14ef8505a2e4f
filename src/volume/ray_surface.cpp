// What rays see of an overlap, as a surface: their ends, joined to those of their neighbours.
#include "volume/ray_measure.h"

namespace stickslip {

namespace {

constexpr std::uint32_t kNoRay = ~0u;

/// Sheets through both ends of the rays of a grid, with walls along their rim.
class RaySheets {
 public:
  RaySheets(const RayGrid& grid, const std::vector<SharedStretch>& stretches, std::span<const std::uint32_t> own,
            const Pose& frame, OverlapSurface& out)
      : grid_(grid), frame_(frame), out_(out), vertex_(grid.rays(), kNoRay), first_(grid.rays(), kNoRay) {
    for (const std::uint32_t i : own) {   // of several on a ray the longest
      std::uint32_t& before = first_[stretches[i].ray];
      const auto length = [&](std::uint32_t k) { return stretches[k].to - stretches[k].from; };
      if (before == kNoRay || length(i) > length(before)) before = i;
    }
    for (std::uint32_t ray = 0; ray < grid.rays(); ++ray) {
      if (first_[ray] == kNoRay) continue;
      const SharedStretch& s = stretches[first_[ray]];
      vertex_[ray] = static_cast<std::uint32_t>(out.vertices.size());
      for (const double end : {s.from, s.to}) out.vertices.push_back(frame_ * at(grid.place(ray), end));
    }
  }

  void add_all() {
    for (int j = 0; j < grid_.rows; ++j)
      for (int i = 0; i < grid_.columns; ++i) {
        if (!is_square(i, j)) continue;
        const std::array<std::uint32_t, 4> rays = {grid_.ray(i, j), grid_.ray(i + 1, j), grid_.ray(i + 1, j + 1),
                                                   grid_.ray(i, j + 1)};
        const auto low = [&](int k) { return vertex_[rays[k]]; };
        add_quad(low(3), low(2), low(1), low(0));
        add_quad(low(0) + 1, low(1) + 1, low(2) + 1, low(3) + 1);
        const bool beyond[] = {!is_square(i, j - 1), !is_square(i + 1, j), !is_square(i, j + 1), !is_square(i - 1, j)};
        for (int k = 0; k < 4; ++k)
          if (beyond[k]) add_quad(low(k), low((k + 1) % 4), low((k + 1) % 4) + 1, low(k) + 1);
      }
  }

 private:
  Vec3 at(const Vec2& place, double along) const {
    Vec3 x;
    x[grid_.axis] = along, x[grid_.u()] = place.x(), x[grid_.v()] = place.y();
    return x;
  }
  /// Whether four neighbours, of which (i, j) is the first, all see the piece.
  bool is_square(int i, int j) const {
    if (i < 0 || j < 0 || i + 1 >= grid_.columns || j + 1 >= grid_.rows) return false;
    const auto sees = [&](int k, int l) { return vertex_[grid_.ray(k, l)] != kNoRay; };
    return sees(i, j) && sees(i + 1, j) && sees(i, j + 1) && sees(i + 1, j + 1);
  }
  void add_quad(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    out_.triangles.push_back({a, b, c});
    out_.triangles.push_back({a, c, d});
  }

  const RayGrid& grid_;
  const Pose& frame_;
  OverlapSurface& out_;
  std::vector<std::uint32_t> vertex_;   ///< lower end of each ray that sees the piece; the upper one follows
  std::vector<std::uint32_t> first_;    ///< stretch of each ray
};

}   // namespace

void append_surface(const RayMeasure& rays, const RayMemory& memory, std::uint32_t piece, const Pose& frame,
                    std::vector<OverlapSurface>& surfaces) {
  const int axis = rays.axis_of(piece);
  RaySheets(rays.grid(axis), memory.shared[axis], memory.of_piece[axis][piece], frame, surfaces.emplace_back()).add_all();
  if (surfaces.back().triangles.empty()) surfaces.pop_back();
}

}   // namespace stickslip
