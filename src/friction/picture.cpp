// Pictures in memory: bilinear sampling of a tile that repeats.
#include <cmath>

#include "stickslip/friction/surface.h"
#include "stickslip/math/error.h"

#include <fmt/format.h>

namespace stickslip {

Picture::Picture(int width, int height, std::vector<float> rgb) : width_(width), height_(height), rgb_(std::move(rgb)) {
  if (width < 1 || height < 1)
    throw Error(fmt::format("{} × {} is not the size of a picture. Width and height must be at least 1 pixel.", width, height));
  const std::size_t wanted = std::size_t{3} * std::size_t(width) * std::size_t(height);
  if (rgb_.size() != wanted)
    throw Error(fmt::format("A picture of {} × {} pixels has {} numbers, not {}: red, green and blue of each pixel.", width,
                            height, wanted, rgb_.size()));
  for (std::size_t i = 0; i < rgb_.size(); ++i)
    if (!(rgb_[i] >= 0 && rgb_[i] <= 1))
      throw Error(
          fmt::format("{} is not a colour. Pixel {} of a picture must have red, green and blue from 0 to 1.", rgb_[i], i / 3));
}

namespace {

/// Neighbours of a place along one side of the tile, and the weight of the second.
struct Between {
  int first, second;
  double weight;
};

/// @param tiles the place in tiles
Between between(double tiles, int count) {
  double x = (tiles - std::floor(tiles)) * count - 0.5;
  if (x < 0) x += count;
  // Rounding may leave x at `count`; what is not finite is taken as 0.
  int first = x < count ? int(x) : 0;
  const double weight = x < count ? x - first : 0;
  return {first, first + 1 == count ? 0 : first + 1, weight};
}

}   // namespace

Vec3 Picture::sample(double u, double v) const {
  const Between x = between(u, width_), y = between(1 - v * width_ / height_, height_);
  using Pixel = Eigen::Map<const Eigen::Vector3f>;
  const auto pixel = [&](int column, int row) {
    return Pixel(rgb_.data() + 3 * (std::size_t(row) * std::size_t(width_) + std::size_t(column))).cast<double>();
  };
  const Vec3 above = pixel(x.first, y.first) * (1 - x.weight) + pixel(x.second, y.first) * x.weight;
  const Vec3 below = pixel(x.first, y.second) * (1 - x.weight) + pixel(x.second, y.second) * x.weight;
  return above * (1 - y.weight) + below * y.weight;
}

}   // namespace stickslip
