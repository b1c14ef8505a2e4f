#include "bench/peers/peer.h"

#include <fmt/format.h>

#include "stickslip/math/error.h"

namespace stickslip::bench {

PeerShape shape_of(const World& world, const Body& body, const char* engine) {
  if (!body.alive || body.colliders.size() != 1)
    throw Error(fmt::format("The comparison with {} knows no bodies of several shapes such as '{}'.", engine, body.name));
  const Collider& collider = world.colliders()[body.colliders[0]];
  return {collider.shape, Pose{body.position, body.orientation} * collider.local};
}

void unknown_shape(const Shape& shape, const char* engine) {
  throw Error(
      fmt::format("The comparison with {} knows no {}. Use spheres, boxes and half-spaces.", engine, shape_name(shape)));
}

AnswerMaker::AnswerMaker(std::vector<PeerState> before, std::vector<VelocitySegment> segments, const Vec3& gravity, double h)
    : before_(std::move(before)), gravity_(gravity), h_(h) {
  answer_.problem.h = h;
  answer_.problem.segments = std::move(segments);
}

void AnswerMaker::add(const Point& point) {
  ContactProblem& p = answer_.problem;
  Block block;
  block.row = static_cast<std::uint32_t>(p.b.size());
  block.jacobian = static_cast<std::uint32_t>(p.jacobian_values.size());
  block.arity = 0;
  Vec3 b = point.demand;
  for (const auto& [slot, place, sign] : {std::tuple(point.a, point.on_a, -1.0), std::tuple(point.b, point.on_b, 1.0)}) {
    if (p.segments[slot].inverse_mass == 0) {
      answer_.force_on_fixed += sign * point.impulse / h_;
      continue;
    }
    const PeerState& before = before_[slot];
    for (int k = 0; k < 3; ++k) {
      const Vec3 direction = sign * point.frame.col(k), moment = (place - before.position).cross(direction);
      p.jacobian_values.insert(p.jacobian_values.end(), direction.begin(), direction.end());
      p.jacobian_values.insert(p.jacobian_values.end(), moment.begin(), moment.end());
      b[k] += direction.dot(before.velocity + h_ * gravity_) + moment.dot(before.angular_velocity);
    }
    block.segment[block.arity++] = static_cast<std::uint32_t>(slot);
  }
  const Vec3 local = point.frame.transpose() * point.impulse;
  answer_.impulses.insert(answer_.impulses.end(), local.begin(), local.end());
  p.b.insert(p.b.end(), b.begin(), b.end());
  p.sigma.insert(p.sigma.end(), point.sigma.begin(), point.sigma.end());
  p.laws.emplace_back(CircularFriction{point.friction});
  p.blocks.push_back(block);
}

Answer AnswerMaker::finish(const std::vector<PeerState>& after) {
  ContactProblem& p = answer_.problem;
  p.finalize();
  std::vector<double> change(6 * p.segments.size(), 0.0);
  p.add_velocity_change(answer_.impulses, change);
  for (std::size_t i = 0; i < p.segments.size(); ++i) {
    if (p.segments[i].inverse_mass == 0) continue;
    const Vec3 expected = before_[i].velocity + h_ * gravity_ + Eigen::Map<const Vec3>(change.data() + 6 * i);
    answer_.velocity_mismatch = std::max(answer_.velocity_mismatch, (expected - after[i].velocity).norm());
  }
  return std::move(answer_);
}

}   // namespace stickslip::bench
