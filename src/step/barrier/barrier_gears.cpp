// Gears couple coordinates of two joints, of up to four bodies. Second derivatives of the coordinates are left out of the
// Hessian: they are those of turns that the two joints lock, which are stiffer by far.
#include "step/barrier/barrier_joints.h"

namespace stickslip {

void BarrierJoints::GearReading::add(std::uint32_t body, const Eigen::Matrix<double, 6, 1>& row) {
  if (body == kNoBlock) return;
  int at = 0;
  while (at < count && rigid[at] != body) ++at;
  if (at == count) {
    rigid[count] = body;
    rows[count++].setZero();
  }
  rows[at] += row;
}

BarrierJoints::GearReading BarrierJoints::read(const BarrierBodies& bodies, const Geared& gear) const {
  const Joint& joint = world_->joints()[gear.slot];
  GearReading reading;
  reading.value = -joint.coupling_start * joint.row_length;
  for (const Geared::Side& side : gear.sides) {
    const JointPlace place = place_of(bodies, side.held);
    const JointRow& row = place.row[side.coordinate];
    reading.value += side.factor * place.position[side.coordinate];
    Eigen::Matrix<double, 6, 1> on_a, on_b;
    on_a << -side.factor * row.linear, side.factor * row.angular_a;
    on_b << side.factor * row.linear, side.factor * row.angular_b;
    reading.add(side.held.a, on_a);
    reading.add(side.held.b, on_b);
  }
  return reading;
}

void BarrierJoints::add_gear(std::uint32_t slot, const BarrierBodies& bodies,
                             const std::function<double(std::uint32_t)>& mass) {
  const Joint& joint = world_->joints()[slot];
  const JointDescription& d = joint.description;
  Geared gear;
  gear.slot = slot;
  for (std::size_t k = 0; k < 2; ++k) {
    const GearSide& side = k == 0 ? d.first : d.second;
    if (!world_->joints()[side.joint.index].acts()) return;
    gear.sides[k] = {held_by(side.joint.index, bodies), static_cast<std::size_t>(side.coordinate),
                     (k == 0 ? -d.ratio : 1) * joint.row_length};
  }
  const GearReading reading = read(bodies, gear);
  double hangs = 0;
  for (int i = 0; i < reading.count; ++i) hangs = std::max(hangs, mass(reading.rigid[i]));
  if (hangs == 0) return;   // nothing of it moves by forces
  gear.hold = kHard * hangs / (options_.h * options_.h);
  gear.start = reading.value;
  for (int i = 0; i < reading.count; ++i)
    for (int j = 0; j < i; ++j) links_.push_back({reading.rigid[i], reading.rigid[j]});
  gears_.push_back(gear);
}

void BarrierJoints::add_gear_hessians(const BarrierBodies& bodies, BlockAssembly& m) const {
  for (const Geared& gear : gears_) {
    const GearReading r = read(bodies, gear);
    for (int i = 0; i < 2 * r.count; ++i)
      for (int j = 0; j < 2 * r.count; ++j) {
        const std::uint32_t row = BarrierBodies::block_of_rigid(r.rigid[i / 2]) + i % 2,
                            column = BarrierBodies::block_of_rigid(r.rigid[j / 2]) + j % 2;
        if (row < column) continue;
        const Vec3 a = r.rows[i / 2].segment<3>(3 * (i % 2)), b = r.rows[j / 2].segment<3>(3 * (j % 2));
        m.add(row, column, factor_ * gear.hold * a * b.transpose());
      }
  }
}

}   // namespace stickslip
