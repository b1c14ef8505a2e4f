#include "stickslip/step/report.h"

namespace stickslip {

void StepReport::tell_of(const World& world, double step_length) {
  step = world.step_count;
  time = world.time;
  h = step_length;
  linear_momentum = world.linear_momentum();
  angular_momentum = world.angular_momentum();
}

const JointRecord* StepReport::joint(JointId id) const {
  const auto found = std::lower_bound(joints.begin(), joints.end(), id.index,
                                      [](const JointRecord& r, std::uint32_t slot) { return r.joint.index < slot; });
  return found != joints.end() && found->joint == id ? &*found : nullptr;
}

Vec3 StepReport::force_on(BodyId body) const {
  Vec3 impulse = Vec3::Zero();
  for (const ContactRecord& c : contacts) {
    if (c.body_b == body) impulse += c.impulse;
    if (c.body_a == body) impulse -= c.impulse;
  }
  return impulse / force_time;
}

Wrench StepReport::wrench(BodyId on, BodyId from, const Vec3& reference) const {
  Wrench w;
  for (const ContactRecord& c : contacts) {
    double sign = 0;
    if (c.body_b == on && c.body_a == from) sign = 1;
    if (c.body_a == on && c.body_b == from) sign = -1;
    if (sign == 0) continue;
    const Vec3 force = sign / force_time * c.impulse;
    w.force += force;
    w.torque += (c.position - reference).cross(force) + sign / force_time * c.angular_impulse;
  }
  return w;
}

std::optional<Vec3> StepReport::center_of_pressure(BodyId a, BodyId b) const {
  Vec3 weighted = Vec3::Zero();
  double total = 0;
  for (const ContactRecord& c : contacts) {
    if (!((c.body_a == a && c.body_b == b) || (c.body_a == b && c.body_b == a))) continue;
    weighted += c.normal_impulse * c.center_of_pressure();
    total += c.normal_impulse;
  }
  if (!(total > 0)) return std::nullopt;
  return weighted / total;
}

}   // namespace stickslip
