#include "step/barrier/barrier_bodies.h"

#include "math/small_matrices.h"
#include "step/free_motion.h"
#include "step/sizes.h"
#include "step/soft/rigid_trial.h"

namespace stickslip {

namespace {

constexpr double kDriven = 1e6;      ///< mass of what a script moves, over that of everything else
constexpr double kFarther = 2;       ///< times the longest way without contacts that a direction may go
constexpr double kLeastTurn = 0.5;   ///< of the inertia that projection leaves of the stiffness of a turn

/// x with v = exp(x), for a rotation near another.
Vec3 vector_of_rotation(const Quat& q) {
  const Eigen::AngleAxisd turn(q.w() < 0 ? Quat(-q.coeffs()) : q);
  return turn.angle() * turn.axis();
}

}   // namespace

double reach_of_half_space(const World& world, const Body& half_space) {
  double farthest = 0;
  for (const Body& b : world.bodies())
    if (const double reach = reach_of(world, b); b.alive && std::isfinite(reach))
      farthest = std::max(farthest, (b.position - half_space.position).norm() + reach);
  return farthest > 0 ? farthest : 1;
}

namespace {

Mat3 second_moments(const Mat3& inertia) { return 0.5 * inertia.trace() * Mat3::Identity() - inertia; }

/// The vector w with w·δ = tr(Qᵀ [δ]×).
Vec3 axial(const Mat3& q) { return {q(2, 1) - q(1, 2), q(0, 2) - q(2, 0), q(1, 0) - q(0, 1)}; }

}   // namespace

void BarrierBodies::begin(const World& world, const StepOptions& options) {
  h_ = options.h;
  double total = 0;
  for_each_dynamic_mover(world, [&](const Body&, const Motion&, double mass) { total += mass; });
  heavy_ = kDriven * (total > 0 ? total : 1);
  begin_rigid(world, options);
  blocks_ = 2 * static_cast<std::uint32_t>(rigid_.size());
  begin_nodes(world);
  begin_solids(world);
  longest_ = 0;
  for (const Rigid& r : rigid_) {
    longest_ = std::max(longest_, (r.target.position - r.start.position).norm());
    longest_ = std::max(longest_, r.reach * r.start.orientation.angularDistance(r.target.orientation));
  }
  for (std::size_t k = 0; k < node_start_.size(); ++k)
    longest_ = std::max(longest_, (target_of_node(k) - node_start_[k]).norm());
}

void BarrierBodies::begin_rigid(const World& world, const StepOptions& options) {
  rigid_.clear();
  rigid_of_slot_.assign(world.bodies().size(), kNoBlock);
  for (std::uint32_t i = 0; i < world.bodies().size(); ++i) {
    const Body& b = world.bodies()[i];
    if (!b.alive || !b.is_rigid() || b.motion == MotionType::fixed) continue;
    Rigid r;
    r.slot = i;
    r.start = r.base = r.now = {b.position, b.orientation};
    r.reach = reach_of(world, b);
    if (!std::isfinite(r.reach)) r.reach = reach_of_half_space(world, b);
    r.driven = b.motion == MotionType::kinematic;
    if (!r.driven) r.reach = std::max(r.reach, std::sqrt(b.principal_moments.maxCoeff() / b.mass.mass));   // without a shape
    const Twist free =
        r.driven ? Twist{b.velocity, b.angular_velocity} : free_velocity(b, world.gravity, options.gyroscopic, h_, h_);
    const Motion end = drifted(b, free, r.driven ? Gyroscopic::none : options.gyroscopic, h_);
    r.target = end.pose;
    r.free_spin = end.angular_velocity;
    r.mass = r.driven ? heavy_ : b.mass.mass;
    const double size = r.reach > 0 ? r.reach : 1;
    r.moments = second_moments(r.driven ? Mat3(heavy_ * size * size * Mat3::Identity()) : b.mass.inertia);
    r.least_inertia =
        r.moments.trace() - Eigen::SelfAdjointEigenSolver<Mat3>(r.moments, Eigen::EigenvaluesOnly).eigenvalues()[2];
    rigid_of_slot_[i] = static_cast<std::uint32_t>(rigid_.size());
    rigid_.push_back(r);
  }
}

void BarrierBodies::begin_nodes(const World& world) {
  node_start_.resize(world.node_count());
  node_target_.resize(world.node_count());
  node_middle_.resize(world.node_count());
  node_mass_.resize(world.node_count());
  node_driven_.assign(world.node_count(), false);
  block_of_node_.assign(world.node_count(), kNoBlock);
  for (const NodalBody& nodes : world.nodal_bodies()) {
    const Body& body = world.bodies()[nodes.body];
    const Vec3 acceleration = world.gravity + body.inverse_mass * body.force;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      const std::size_t k = nodes.first_node + i;
      node_start_[k] = nodes.positions[i];
      node_target_[k] = nodes.positions[i] + h_ * (nodes.velocities[i] + h_ * acceleration);
      node_mass_[k] = nodes.masses[i];
      if (nodes.is_free(i)) block_of_node_[k] = blocks_++;
    }
    if (nodes.is_soft()) {
      find_first_trial(nodes, h_, trial_);
      for (std::uint32_t i = 0; i < nodes.size(); ++i)
        node_middle_[nodes.first_node + i] = nodes.positions[i] + h_ / 2 * trial_[i];
    }
    for (const HeldNode& held : nodes.held) {
      const std::uint32_t holder = held.body == HeldNode::kWorld ? kNoBlock : rigid_of_slot_[held.body];
      if (holder == kNoBlock) continue;
      const std::size_t k = nodes.first_node + held.node;
      node_target_[k] = rigid_[holder].target * held.local;
      node_mass_[k] = heavy_;
      node_driven_[k] = true;
      block_of_node_[k] = blocks_++;
    }
  }
  node_base_ = node_now_ = node_start_;
  group_of_node_.assign(world.node_count(), kNoBlock);
  groups_ = static_cast<std::uint32_t>(rigid_.size());
  for (const NodalBody& nodes : world.nodal_bodies()) {
    for (std::size_t k = nodes.first_node; k < nodes.first_node + nodes.size(); ++k)
      if (block_of_node_[k] != kNoBlock) group_of_node_[k] = nodes.is_soft() ? groups_ : groups_++;
    if (nodes.is_soft()) ++groups_;
  }
  group_of_block_.resize(blocks_);
  for (std::uint32_t k = 0; k < 2 * rigid_.size(); ++k) group_of_block_[k] = k / 2;
  for (std::size_t k = 0; k < block_of_node_.size(); ++k)
    if (block_of_node_[k] != kNoBlock) group_of_block_[block_of_node_[k]] = group_of_node_[k];
}

void BarrierBodies::begin_solids(const World& world) {
  std::size_t count = 0;
  for (const NodalBody& nodes : world.nodal_bodies()) {
    if (!nodes.is_soft()) continue;
    if (count == solids_.size()) solids_.emplace_back();
    Solid& s = solids_[count++];
    if (s.solid != nodes.solid) {
      s.solid = nodes.solid;
      s.assembly = std::make_unique<ElasticSolid::System>(*s.solid);
      s.matrix = {};
    }
    s.first_node = nodes.first_node;
    s.nodes = static_cast<std::uint32_t>(nodes.size());
    s.pressure = nodes.pressure;
    if (s.pressure != 0) s.triangles = nodes.triangles;
    s.group = kNoBlock;
    for (std::size_t k = s.first_node; k < s.first_node + s.nodes; ++k)
      if (group_of_node_[k] != kNoBlock) s.group = group_of_node_[k];
    s.stored = stored(s);
  }
  solids_.resize(count);
}

std::vector<Vec3> BarrierBodies::velocities(const Solid& s) const {
  std::vector<Vec3> v(s.nodes);
  for (std::uint32_t i = 0; i < s.nodes; ++i) v[i] = (node_now_[s.first_node + i] - node_start_[s.first_node + i]) / h_;
  return v;
}

double BarrierBodies::energy_of(const Rigid& r) const {
  const Mat3 apart = r.now.rotation() - r.target.rotation();
  return (r.mass * (r.now.position - r.target.position).squaredNorm() + (apart * r.moments * apart.transpose()).trace()) /
         (2 * h_ * h_);
}

double BarrierBodies::stored(const Solid& s) const {
  const auto x = places(s);
  double sum = s.solid->energy(x);
  for (const auto& [a, b, c] : s.triangles) sum -= s.pressure / 6 * x[a].dot(x[b].cross(x[c]));
  return sum;
}

double BarrierBodies::damped(const Solid& s) const { return h_ * s.solid->dissipation(middles(s), velocities(s)); }

void BarrierBodies::add_energies(std::span<double> out) const {
  for (std::uint32_t k = 0; k < rigid_.size(); ++k) out[k] += energy_of(rigid_[k]);
  for (std::size_t k = 0; k < node_now_.size(); ++k)
    if (block_of_node_[k] != kNoBlock)
      out[group_of_node_[k]] += node_mass_[k] * (node_now_[k] - node_target_[k]).squaredNorm() / (2 * h_ * h_);
  for (const Solid& s : solids_) {
    if (s.group != kNoBlock) out[s.group] += stored(s) + 0.5 * damped(s);
  }
}

Vec3 BarrierBodies::turning_gradient(const Rigid& r) const {
  const Mat3 now = r.now.rotation();
  return axial((now - r.target.rotation()) * r.moments * now.transpose()) / (h_ * h_);
}

void BarrierBodies::add_gradient(std::span<double> out) const {
  const auto block = [&](std::uint32_t k) { return Eigen::Map<Vec3>(out.data() + 3 * std::size_t{k}); };
  for (std::uint32_t k = 0; k < rigid_.size(); ++k) {
    const Rigid& r = rigid_[k];
    block(2 * k) += r.mass / (h_ * h_) * (r.now.position - r.target.position);
    block(2 * k + 1) += turning_gradient(r);
  }
  for (std::size_t k = 0; k < node_now_.size(); ++k)
    if (block_of_node_[k] != kNoBlock) block(block_of_node_[k]) += node_mass_[k] / (h_ * h_) * (node_now_[k] - node_target_[k]);
  std::vector<Vec3> forces;
  for (const Solid& s : solids_) {
    const auto x = places(s);
    forces.assign(s.nodes, Vec3::Zero());
    s.solid->add_forces(x, forces);
    s.solid->add_damping(middles(s), velocities(s), forces);
    for (const auto& [a, b, c] : s.triangles) {
      const Vec3 third = s.pressure / 6 * (x[b] - x[a]).cross(x[c] - x[a]);
      for (const std::uint32_t corner : {a, b, c}) forces[corner] += third;
    }
    for (std::uint32_t i = 0; i < s.nodes; ++i)
      if (const std::uint32_t at = block_of_node_[s.first_node + i]; at != kNoBlock) block(at) -= forces[i];
  }
}

namespace {

/// Calls f(i, j, where its numbers begin, rows of a column) for the blocks of the lower triangle of a matrix with three rows
/// and columns per node.
void for_each_lower_block(const Eigen::SparseMatrix<double>& m, auto&& f) {
  for (int j = 0; j < m.cols() / 3; ++j) {
    const int first = m.outerIndexPtr()[3 * j], height = m.outerIndexPtr()[3 * j + 1] - first;
    for (int k = 0; k < height; k += 3)
      if (const int i = m.innerIndexPtr()[first + k] / 3; i >= j) f(i, j, first + k, height);
  }
}

}   // namespace

void BarrierBodies::want_blocks(BlockAssembly& m) const {
  for (std::uint32_t k = 0; k < rigid_.size(); ++k) m.want(2 * k + 1, 2 * k);
  for (const Solid& s : solids_)
    for_each_lower_block(s.assembly->pattern(), [&](int i, int j, int, int) {
      const std::uint32_t a = block_of_node_[s.first_node + i], b = block_of_node_[s.first_node + j];
      if (a != kNoBlock && b != kNoBlock) m.want(a, b);
    });
}

void BarrierBodies::add_hessian(bool projected, std::span<const Mat3> turns, BlockAssembly& m) const {
  for (std::uint32_t k = 0; k < rigid_.size(); ++k) {
    const Rigid& r = rigid_[k];
    m.add(2 * k, 2 * k, r.mass / (h_ * h_) * Mat3::Identity());
    const Mat3 n = r.now.rotation() * r.moments * r.target.rotation().transpose();
    Mat3 turn = (n.trace() * Mat3::Identity() - 0.5 * (n + n.transpose())) / (h_ * h_) + turns[k];
    if (projected) {
      const Eigen::SelfAdjointEigenSolver<Mat3> eigen(turn);
      const double least = kLeastTurn * r.least_inertia / (h_ * h_);
      if (eigen.eigenvalues()[0] < least)
        turn = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(least).asDiagonal() * eigen.eigenvectors().transpose();
    }
    m.add(2 * k + 1, 2 * k + 1, turn);
  }
  for (std::size_t k = 0; k < node_now_.size(); ++k)
    if (const std::uint32_t at = block_of_node_[k]; at != kNoBlock) m.add(at, at, node_mass_[k] / (h_ * h_) * Mat3::Identity());
  for (const Solid& s : solids_) add_solid(s, projected, m);
}

void BarrierBodies::add_solid(const Solid& s, bool projected, BlockAssembly& m) const {
  s.assembly->assemble(places(s), {0, 1 / h_, 1}, projected, s.matrix);
  for_each_lower_block(s.matrix, [&](int i, int j, int at, int height) {
    const std::uint32_t a = block_of_node_[s.first_node + i], b = block_of_node_[s.first_node + j];
    if (a == kNoBlock || b == kNoBlock) return;
    const Eigen::Map<const Mat3, 0, Eigen::OuterStride<>> block(s.matrix.valuePtr() + at, Eigen::OuterStride<>(height));
    m.add(a, b, block);
  });
}

void BarrierBodies::precondition(std::span<const double> in, std::span<double> out) const {
  const auto from = [&](std::uint32_t k) { return Eigen::Map<const Vec3>(in.data() + 3 * std::size_t{k}); };
  const auto to = [&](std::uint32_t k) { return Eigen::Map<Vec3>(out.data() + 3 * std::size_t{k}); };
  for (std::uint32_t k = 0; k < rigid_.size(); ++k) {
    const Rigid& r = rigid_[k];
    const Mat3 inertia = r.moments.trace() * Mat3::Identity() - r.moments;
    to(2 * k) = h_ * h_ / r.mass * from(2 * k);
    to(2 * k + 1) = h_ * h_ * (r.now.orientation * (inertia.inverse() * (r.now.orientation.conjugate() * from(2 * k + 1))));
  }
  for (std::size_t k = 0; k < node_now_.size(); ++k)
    if (const std::uint32_t at = block_of_node_[k]; at != kNoBlock) to(at) = h_ * h_ / node_mass_[k] * from(at);
}

Pose BarrierBodies::moved(const Rigid& r, std::span<const double> direction, std::uint32_t k, double step) {
  const Eigen::Map<const Vec3> way(direction.data() + 6 * std::size_t{k}), turn(direction.data() + 6 * std::size_t{k} + 3);
  return {r.base.position + step * way, (rotation_from_vector(step * turn) * r.base.orientation).normalized()};
}

void BarrierBodies::move(std::span<const double> direction, std::span<const double> steps) {
  for (std::uint32_t k = 0; k < rigid_.size(); ++k)
    rigid_[k].now = steps[k] == 0 ? rigid_[k].base : moved(rigid_[k], direction, k, steps[k]);
  for (std::size_t k = 0; k < node_now_.size(); ++k)
    if (const std::uint32_t at = block_of_node_[k]; at != kNoBlock)
      node_now_[k] = node_base_[k] + steps[group_of_node_[k]] * Eigen::Map<const Vec3>(direction.data() + 3 * std::size_t{at});
}

void BarrierBodies::accept() {
  for (Rigid& r : rigid_) r.base = r.now;
  node_base_ = node_now_;
}

void BarrierBodies::limit(std::span<const double> direction, double angle, std::vector<double>& parts) const {
  parts.assign(groups_, 1.0);
  const double farthest = kFarther * longest_;
  for (std::uint32_t k = 0; k < blocks_; ++k) {
    const double length = Eigen::Map<const Vec3>(direction.data() + 3 * std::size_t{k}).norm();
    const double most = k < 2 * rigid_.size() && k % 2 == 1 ? angle : farthest;
    double& part = parts[group_of_block_[k]];
    if (length > most && most > 0) part = std::min(part, most / length);
  }
}

void BarrierBodies::shorten(std::span<double> direction, std::span<const double> parts) const {
  for (std::uint32_t k = 0; k < blocks_; ++k)
    Eigen::Map<Vec3>(direction.data() + 3 * std::size_t{k}) *= parts[group_of_block_[k]];
}

double BarrierBodies::speed_of(std::span<const double> direction) const {
  const auto length = [&](std::uint32_t k) { return Eigen::Map<const Vec3>(direction.data() + 3 * std::size_t{k}).norm(); };
  double largest = 0;
  for (std::uint32_t k = 0; k < rigid_.size(); ++k)
    largest = std::max(largest, length(2 * k) + rigid_[k].reach * length(2 * k + 1));
  for (const std::uint32_t at : block_of_node_)
    if (at != kNoBlock) largest = std::max(largest, length(at));
  return largest / h_;
}

/// What a script did on its body [J].
double BarrierBodies::work_of_script(const Rigid& r) const {
  const Vec3 way = r.now.position - r.start.position, miss = r.target.position - r.now.position;
  const Vec3 turn = vector_of_rotation(r.now.orientation * r.start.orientation.conjugate());
  return r.mass / (h_ * h_) * miss.dot(way) - turning_gradient(r).dot(turn);
}

void BarrierBodies::add_work(BarrierIslands& islands) const {
  for (std::uint32_t k = 0; k < rigid_.size(); ++k)
    if (rigid_[k].driven) islands.work[k] += work_of_script(rigid_[k]);
  for (std::size_t k = 0; k < node_now_.size(); ++k)
    if (node_driven_[k])
      islands.work[group_of_node_[k]] +=
          node_mass_[k] / (h_ * h_) * (node_target_[k] - node_now_[k]).dot(node_now_[k] - node_start_[k]);
  for (const Solid& s : solids_) {
    if (s.group == kNoBlock) continue;
    islands.work[s.group] += s.stored - stored(s) - damped(s);
    for (std::size_t k = s.first_node; k < s.first_node + s.nodes; ++k)
      if (block_of_node_[k] == kNoBlock) islands.is_held[s.group] = true;
  }
}

void BarrierBodies::write(World& world, EnergyLedger& energy) const {
  for (const Rigid& r : rigid_) {
    Body& b = world.mutable_bodies()[r.slot];
    const Vec3 way = r.now.position - r.start.position;
    const Vec3 turn = vector_of_rotation(r.now.orientation * r.start.orientation.conjugate());
    if (r.driven) energy.driven += work_of_script(r);
    else energy.applied += b.force.dot(way) + b.torque.dot(turn);
    b.position = r.now.position;
    b.orientation = r.now.orientation;
    if (r.driven) continue;
    b.velocity = way / h_;
    // The angular momentum changes by the moment of what acts, as the momentum does.
    const Mat3 inertia = r.moments.trace() * Mat3::Identity() - r.moments;
    const Vec3 momentum =
        r.target.orientation * (inertia * (r.target.orientation.conjugate() * r.free_spin)) + h_ * turning_gradient(r);
    b.angular_velocity = r.now.orientation * solve_linear(inertia, r.now.orientation.conjugate() * momentum);
  }
  for (NodalBody& nodes : world.mutable_nodal_bodies()) {
    const Body& body = world.bodies()[nodes.body];
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      const std::size_t k = nodes.first_node + i;
      if (block_of_node_[k] == kNoBlock) continue;
      const Vec3 way = node_now_[k] - node_start_[k];
      if (node_driven_[k]) energy.driven += node_mass_[k] / (h_ * h_) * (node_target_[k] - node_now_[k]).dot(way);
      else energy.applied += nodes.masses[i] * body.inverse_mass * body.force.dot(way);
      nodes.positions[i] = node_now_[k];
      nodes.velocities[i] = way / h_;
    }
  }
  for (const Solid& s : solids_) energy.damping += damped(s);
  world.summarise_nodes();
}

}   // namespace stickslip
