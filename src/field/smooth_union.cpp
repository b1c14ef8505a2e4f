#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stickslip/field/distance_field.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

/// h of the blend; 0 where one part is nearer than the other by the width or more.
double blend_height(double a, double b, double width) { return width > 0 ? std::max(1 - std::abs(a - b) / width, 0.0) : 0.0; }

}   // namespace

SmoothUnion::SmoothUnion(std::vector<std::shared_ptr<const DistanceField>> parts, double width)
    : parts_(std::move(parts)), width_(width) {
  if (parts_.empty() || std::any_of(parts_.begin(), parts_.end(), [](const auto& part) { return part == nullptr; }))
    throw Error("A union has no parts, or one that is missing. Give at least one field.").at("parts");
  if (!(std::isfinite(width) && width >= 0))
    throw Error(fmt::format("{} is not a length. The width of a blend must be finite and not negative.", width)).at("width");
}

double SmoothUnion::value(const Vec3& at) const {
  double joined = parts_[0]->value(at);
  for (std::size_t i = 1; i < parts_.size(); ++i) {
    const double next = parts_[i]->value(at), h = blend_height(joined, next, width_);
    joined = std::min(joined, next) - 0.25 * width_ * h * h;
  }
  return joined;
}

FieldSample SmoothUnion::sample(const Vec3& at) const {
  FieldSample joined = parts_[0]->sample(at);
  for (std::size_t i = 1; i < parts_.size(); ++i) {
    const FieldSample next = parts_[i]->sample(at);
    const double h = blend_height(joined.value, next.value, width_), share = next.value < joined.value ? 1 - 0.5 * h : 0.5 * h;
    joined.value = std::min(joined.value, next.value) - 0.25 * width_ * h * h;
    joined.gradient = (1 - share) * joined.gradient + share * next.gradient;
  }
  return joined;
}

Aabb SmoothUnion::bounds() const {
  Aabb box;
  for (const auto& part : parts_) box = box.merged(part->bounds());
  // Where the blend is inside, some part is at most its deepest bulge away.
  return box.grown(0.25 * width_ * static_cast<double>(parts_.size() - 1));
}

double SmoothUnion::error_bound() const {
  double most = 0;
  for (const auto& part : parts_) most = std::max(most, part->error_bound());
  return most + 0.25 * width_ * static_cast<double>(parts_.size() - 1);
}

double SmoothUnion::band() const {
  double least = parts_[0]->band();
  for (const auto& part : parts_) least = std::min(least, part->band());
  return least;
}

}   // namespace stickslip
