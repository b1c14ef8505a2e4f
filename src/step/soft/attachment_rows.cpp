#include "step/soft/attachment_rows.h"

#include <algorithm>
#include <cmath>

#include "step/correction.h"
#include "step/free_motion.h"
#include "step/joints/arm_stiffness.h"
#include "step/sizes.h"

namespace stickslip {

namespace {

constexpr std::uint32_t kAttachmentDim = 3;   ///< rows of a node

const AttachedNode& attached_node(const World& world, std::uint32_t place, std::uint32_t number) {
  return world.nodal_bodies()[place].attached[number];
}

/// Where the body of an attachment has its node [m].
Vec3 place_of(const World& world, const AttachedNode& a) { return motion_of(world, a.body).pose * a.local; }

}   // namespace

void AttachmentRows::find(const Setting& s) {
  rows_.clear();
  jacobian_size_ = 0;
  for (std::uint32_t place = 0; place < s.world.nodal_bodies().size(); ++place) {
    const NodalBody& nodes = s.world.nodal_bodies()[place];
    const Body& soft = s.world.bodies()[nodes.body];
    for (std::uint32_t k = 0; k < nodes.attached.size(); ++k) {
      const AttachedNode& a = nodes.attached[k];
      Row row{.place = place,
              .attached = k,
              .node = kNoSegment,
              .body = s.space.segment_of(a.body),
              .point = nodes.positions[a.node]};
      row.node = s.space.segment_of(static_cast<std::uint32_t>(s.world.bodies().size()) + nodes.first_node + a.node);
      if (row.node == kNoSegment && row.body == kNoSegment) continue;
      row.size = s.world.colliders()[soft.colliders.front()].characteristic_length;
      for (const std::uint32_t segment : {row.body, row.node})
        if (segment != kNoSegment) jacobian_size_ += kAttachmentDim * static_cast<std::uint32_t>(s.space.size_of(segment));
      rows_.push_back(row);
    }
  }
}

/// Of the node against the body, at the node [m/s].
Vec3 AttachmentRows::relative_velocity(const Setting& s, const Row& row, std::span<const double> velocity) const {
  Vec3 relative = Vec3::Zero();
  if (row.node != kNoSegment) relative = s.space.twist(velocity, row.node).linear;
  if (row.body != kNoSegment) relative -= s.space.velocity_at(velocity, row.body, row.point - s.space.center(row.body));
  return relative;
}

Vec3 AttachmentRows::turning(const Setting& s, const Row& row, std::span<const double> velocity) const {
  if (row.body == kNoSegment) return Vec3::Zero();
  const AttachedNode& a = attached_node(s.world, row.place, row.attached);
  const Body& body = s.world.bodies()[a.body];
  const double h = s.options.h;
  const Vec3 now = place_of(s.world, a);
  const Vec3 end = drifted(body, s.space.twist(velocity, row.body), s.options.gyroscopic, h).pose * a.local;
  return s.space.velocity_at(velocity, row.body, row.point - body.position) - (end - now) / h;
}

void AttachmentRows::collect(const Setting& s) {
  find(s);
  const Correction c = correction(s.options.stabilisation, s.options.h);
  for (Row& row : rows_) {
    const AttachedNode& a = attached_node(s.world, row.place, row.attached);
    const double turn = s.options.h * s.world.bodies()[a.body].angular_velocity.norm();
    row.fade = turn > 1 ? 1 / (turn * turn) : 1;
    row.sigma = c.compliance;
    row.recovery = -c.error_reduction / s.options.h * (row.point - place_of(s.world, a));
    if (const double limit = fastest_recovery(s.world, row.size), speed = row.recovery.norm(); speed > limit)
      row.recovery *= limit / speed;
    row.turning = row.fade * turning(s, row, s.space.before());
    row.b = relative_velocity(s, row, s.space.free()) - row.recovery + row.turning;
  }
}

double AttachmentRows::collect_errors(const Setting& s, double fraction) {
  find(s);
  double largest = 0;
  for (Row& row : rows_) {
    const Vec3 error = row.point - place_of(s.world, attached_node(s.world, row.place, row.attached));
    row.b = fraction * error;
    largest = std::max(largest, error.norm());
  }
  return largest;
}

AttachmentRows::Start AttachmentRows::end(Start start) const {
  const auto count = static_cast<std::uint32_t>(rows_.size());
  return {start.block + count, start.row + kAttachmentDim * count, start.jacobian + jacobian_size_};
}

AttachmentRows::Start AttachmentRows::write(const Setting& s, ContactProblem& p, Start at) const {
  for (const Row& row : rows_) {
    Block& block = p.blocks[at.block] = Block{};
    block.kind = BlockKind::bilateral;
    block.dim = kAttachmentDim;
    block.row = row.row = at.row;
    block.jacobian = at.jacobian;
    block.arity = 0;
    for (const auto& [segment, weight] : {std::pair(row.body, -1.0), std::pair(row.node, 1.0)}) {
      if (segment == kNoSegment) continue;
      const int size = s.space.size_of(segment);
      write_columns(size, weight, s.space.center(segment), row.point, Mat3::Identity(), kAttachmentDim,
                    p.jacobian_values.data() + at.jacobian);
      at.jacobian += kAttachmentDim * static_cast<std::uint32_t>(size);
      block.segment[block.arity++] = segment;
    }
    p.laws[at.block++] = CircularFriction{0};
    for (std::uint32_t k = 0; k < kAttachmentDim; ++k) {
      p.b[at.row] = row.b[k];
      p.sigma[at.row++] = row.sigma;
    }
  }
  return at;
}

void AttachmentRows::stiffen(const Setting& s, std::span<VelocitySegment> segments) {
  if (!s.options.geometric_stiffness || !s.world.has_attachments()) return;
  std::vector<Mat3> stiffness(segments.size(), Mat3::Zero());   // by segment: K h² [kg m²]
  std::vector<std::uint32_t> bodies;
  for (const NodalBody& nodes : s.world.nodal_bodies())
    for (const AttachedNode& a : nodes.attached) {
      const std::uint32_t segment = s.space.segment_of(a.body);
      if (segment == kNoSegment) continue;
      stiffness[segment] += turning_stiffness(s.options.h, nodes.positions[a.node] - s.space.center(segment), -a.impulse);
      bodies.push_back(a.body);
    }
  std::ranges::sort(bodies);
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  for (const std::uint32_t slot : bodies) {
    const Body& body = s.world.bodies()[slot];
    const std::uint32_t segment = s.space.segment_of(slot);
    const Mat3 inertia = body.world_inertia(), positive = positive_part(stiffness[segment]);
    const Vec3 moments = Eigen::SelfAdjointEigenSolver<Mat3>(inertia, Eigen::EigenvaluesOnly).eigenvalues();
    if (!(fastest_turning(positive, inertia, moments) > kStiffArms)) continue;
    segments[segment].inverse_inertia = (segments[segment].inverse_inertia.inverse() + 0.5 * positive).inverse();
  }
}

void AttachmentRows::fill_guess(const World& world, double scale, std::span<double> guess) const {
  for (const Row& row : rows_)
    Eigen::Map<Vec3>(guess.data() + row.row) = scale * attached_node(world, row.place, row.attached).impulse;
}

double AttachmentRows::look(const Setting& s, std::span<const double> velocity) {
  double worst = 0;
  for (Row& row : rows_) {
    row.found = row.fade < 1 ? row.turning : turning(s, row, velocity);
    worst = std::max(worst, s.options.h * (row.found - row.turning).norm() / row.size);
  }
  return worst;
}

void AttachmentRows::correct(ContactProblem& p) {
  for (Row& row : rows_) {
    Eigen::Map<Vec3>(p.b.data() + row.row) += row.found - row.turning;
    row.turning = row.found;
  }
}

void AttachmentRows::record(const Setting& s, std::span<const double> impulses, std::span<const double> velocity, World& world,
                            StepReport& report) const {
  const double time = kick_time(s.world, s.options);
  std::erase_if(report.attachments, [&](const AttachmentRecord& r) {
    const auto rests = [&](BodyId id) { return world.contains(id) && !world.body(id).moves_by_forces(); };
    return !(rests(r.soft) && rests(r.body));
  });
  AttachmentSums sums(world, report);
  for (const Row& row : rows_) {
    NodalBody& nodes = world.mutable_nodal_bodies()[row.place];
    AttachedNode& a = nodes.attached[row.attached];
    a.impulse = Eigen::Map<const Vec3>(impulses.data() + row.row);
    const Vec3 mean = 0.5 * (relative_velocity(s, row, s.space.before()) + relative_velocity(s, row, velocity));
    const double lifted = a.impulse.dot(row.recovery);
    report.energy.impact -= a.impulse.dot(mean) - lifted;
    report.energy.stabilisation += lifted;
    sums.add(nodes.body, a.body, row.point, a.impulse / time);
  }
  sums.close();
}

void AttachmentSums::add(std::uint32_t soft, std::uint32_t body, const Vec3& point, const Vec3& force) {
  auto r = report_.attachments.begin() + static_cast<std::ptrdiff_t>(first_);
  while (r != report_.attachments.end() && !(r->soft.index == soft && r->body.index == body)) ++r;
  if (r == report_.attachments.end())
    r = report_.attachments.insert(r, AttachmentRecord{world_.id_of(soft), world_.id_of(body)});
  r->force += force;
  r->torque += point.cross(force);   // about the origin, until the middle is known
  r->point += point;
  ++r->nodes;
}

void AttachmentSums::close() {
  for (auto r = report_.attachments.begin() + static_cast<std::ptrdiff_t>(first_); r != report_.attachments.end(); ++r) {
    r->point /= static_cast<double>(r->nodes);
    r->torque -= r->point.cross(r->force);
  }
}

void AttachmentRows::finish(const World& world, StepReport& report) {
  for (AttachmentRecord& r : report.attachments) {
    r.error = 0;
    const NodalBody& nodes = world.nodal_body(r.soft);
    for (const AttachedNode& a : nodes.attached)
      if (a.body == r.body.index) r.error = std::max(r.error, (nodes.positions[a.node] - place_of(world, a)).norm());
  }
}

}   // namespace stickslip
