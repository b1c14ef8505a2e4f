#include "step/barrier/barrier_attachments.h"

#include "step/barrier/barrier_joints.h"
#include "step/soft/attachment_rows.h"

namespace stickslip {

void BarrierAttachments::begin(const World& world, const BarrierBodies& bodies, const StepOptions& options) {
  h_ = options.h;
  ties_.clear();
  links_.clear();
  for (std::uint32_t soft = 0; soft < world.nodal_bodies().size(); ++soft) {
    const NodalBody& nodes = world.nodal_bodies()[soft];
    for (std::uint32_t k = 0; k < nodes.attached.size(); ++k) {
      const AttachedNode& a = nodes.attached[k];
      const double hangs = world.bodies()[nodes.body].mass.mass + world.bodies()[a.body].mass.mass;
      const auto shared = std::ranges::count(nodes.attached, a.body, &AttachedNode::body);
      Tie tie;
      tie.soft = soft;
      tie.number = k;
      tie.node = nodes.first_node + a.node;
      tie.rigid = bodies.rigid_of(a.body);
      tie.local = a.local;
      tie.stiffness = kHard * hangs / (h_ * h_ * static_cast<double>(shared));
      tie.start = apart(bodies, tie);
      ties_.push_back(tie);
      const std::array<std::uint32_t, 2> link{tie.rigid, bodies.group_of_node(tie.node)};
      if (links_.empty() || links_.back() != link) links_.push_back(link);
    }
  }
}

Vec3 BarrierAttachments::arm(const BarrierBodies& bodies, const Tie& tie) {
  return bodies.rigid()[tie.rigid].now.orientation * tie.local;
}

Vec3 BarrierAttachments::apart(const BarrierBodies& bodies, const Tie& tie) {
  return bodies.nodes()[tie.node] - bodies.rigid()[tie.rigid].now * tie.local;
}

void BarrierAttachments::add_energies(const BarrierBodies& bodies, std::span<const std::uint32_t> piece_of_group,
                                      std::span<double> out) const {
  for (const Tie& tie : ties_) out[piece_of_group[tie.rigid]] += 0.5 * tie.stiffness * apart(bodies, tie).squaredNorm();
}

void BarrierAttachments::add_gradient(const BarrierBodies& bodies, std::span<double> out) const {
  const auto block = [&](std::uint32_t k) { return Eigen::Map<Vec3>(out.data() + 3 * std::size_t{k}); };
  for (const Tie& tie : ties_) {
    const Vec3 pull = tie.stiffness * apart(bodies, tie);
    block(bodies.block_of_node(tie.node)) += pull;
    block(2 * tie.rigid) -= pull;
    block(2 * tie.rigid + 1) -= arm(bodies, tie).cross(pull);
  }
}

void BarrierAttachments::want_blocks(const BarrierBodies& bodies, BlockAssembly& m) const {
  for (const Tie& tie : ties_)
    for (std::uint32_t k = 0; k < 2; ++k) m.want(bodies.block_of_node(tie.node), 2 * tie.rigid + k);
}

/// With d from the place of a node to it and r its arm, δd = δx − δc + r × δθ; that places move on circles adds to the turn.
void BarrierAttachments::add_hessian(const BarrierBodies& bodies, std::span<Mat3> turns, BlockAssembly& m) const {
  for (const Tie& tie : ties_) {
    const std::uint32_t node = bodies.block_of_node(tie.node), place = 2 * tie.rigid;
    const double k = tie.stiffness;
    const Vec3 r = arm(bodies, tie), g = -k * apart(bodies, tie);
    const Mat3 cross = skew(r);
    m.add(node, node, k * Mat3::Identity());
    m.add(node, place, -k * Mat3::Identity());
    m.add(node, place + 1, k * cross);
    m.add(place, place, k * Mat3::Identity());
    m.add(place + 1, place, -k * cross.transpose());
    m.add(place + 1, place + 1, k * cross.transpose() * cross);
    turns[tie.rigid] += 0.5 * (g * r.transpose() + r * g.transpose()) - g.dot(r) * Mat3::Identity();
  }
}

void BarrierAttachments::add_work(const BarrierBodies& bodies, std::span<double> out) const {
  for (const Tie& tie : ties_) {
    const Vec3 d = apart(bodies, tie);
    out[tie.rigid] -= tie.stiffness * d.dot(d - tie.start);
  }
}

void BarrierAttachments::record(World& world, const BarrierBodies& bodies, StepReport& report) const {
  report.attachments.clear();
  AttachmentSums sums(world, report);
  for (const Tie& tie : ties_) {
    NodalBody& nodes = world.mutable_nodal_bodies()[tie.soft];
    AttachedNode& a = nodes.attached[tie.number];
    const Vec3 d = apart(bodies, tie), force = -tie.stiffness * d;
    a.impulse = h_ * force;
    report.energy.impact -= force.dot(d - tie.start);
    sums.add(nodes.body, a.body, bodies.nodes()[tie.node], force);
  }
  sums.close();
}

}   // namespace stickslip
