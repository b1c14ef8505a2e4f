#include "step/look_ahead.h"

#include <algorithm>

namespace stickslip {

namespace {

/// A contact is violated if the motion closes its gap by more than this part of what the pair moves in the step.
constexpr double kViolated = 1e-3;

/// Part of the kinetic energy of two bodies that contacts may give them in a step, and of that of all bodies that they may give
/// beyond that: in a heap few pairs matter little, and pieces are dear.
constexpr double kGiven = 0.01, kGivenToAll = 1e-3;

/// The manifold of a pair, or null.
const Manifold* manifold_of(const ContactSet& set, const PartPair& pair) {
  const auto as_pair = [](const Manifold& m) -> const PartPair& { return m; };
  const auto at = std::ranges::lower_bound(set.manifolds, pair, {}, as_pair);
  return at != set.manifolds.end() && as_pair(*at) == pair ? &*at : nullptr;
}

bool of_one_pair(const PartPair& x, const PartPair& y) { return x.a == y.a && x.b == y.b; }

/// Whether a set has contacts of two colliders, of whichever parts.
bool knows(const ContactSet& set, const PartPair& pair) {
  const auto as_pair = [](const Manifold& m) -> const PartPair& { return m; };
  const auto at = std::ranges::lower_bound(set.manifolds, PartPair{pair.a, pair.b, 0}, {}, as_pair);
  return at != set.manifolds.end() && of_one_pair(*at, pair);
}

bool has_feature(const ContactSet& set, const Manifold* m, std::uint64_t feature) {
  if (!m) return false;
  const auto points = std::span(set.points).subspan(m->first, m->count);
  return std::any_of(points.begin(), points.end(), [&](const ContactPoint& p) { return p.feature == feature; });
}

}   // namespace

void LookAhead::begin_step() {
  found_.clear();
  joint_impulses_.clear();
  bends_.begin_step();
}

void LookAhead::collect_motion(const World& world, const Solved& solved) {
  const VelocitySpace& space = solved.builder.space();
  motion_.resize(world.mover_count());
  for (std::uint32_t i = 0; i < motion_.size(); ++i) {
    motion_[i] = {};
    if (const std::uint32_t segment = space.segment_of(i); segment != kNoSegment) {
      motion_[i] = space.twist(solved.velocity, segment);
    } else if (const Body& b = world.bodies()[world.body_of_mover(i)]; b.alive && !is_passive(b)) {
      const Motion motion = motion_of(world, i);
      motion_[i] = {motion.velocity, motion.angular_velocity};
    }
  }
  // Bodies of nodes as a whole.
  for (const NodalBody& nodes : world.nodal_bodies()) {
    Vec3 momentum = Vec3::Zero();
    for (std::size_t i = 0; i < nodes.size(); ++i)
      momentum += nodes.masses[i] * motion_[world.bodies().size() + nodes.first_node + i].linear;
    motion_[nodes.body].linear = world.bodies()[nodes.body].inverse_mass * momentum;
  }
}

bool LookAhead::would_violate(const World& world, const Manifold& m, const ContactSet& fresh, const ContactSet& known,
                              double time) const {
  const Collider &ca = world.colliders()[m.a], &cb = world.colliders()[m.b];
  const Manifold* before = manifold_of(known, m);
  const std::uint32_t a = world.mover_of(ca), b = world.mover_of(cb);
  const double tolerated = kViolated * time * closing_speed(ca, motion_[a], cb, motion_[b]);
  const auto velocity_of = [&](const Collider& c, std::uint64_t part, const Vec3& point) {
    Vec3 sum = Vec3::Zero();
    for (const auto& [mover, weight] : stencil(world, c, static_cast<std::uint32_t>(part), point))
      sum += weight * (motion_[mover].linear + motion_[mover].angular.cross(point - motion_of(world, mover).pose.position));
    return sum;
  };
  for (std::uint32_t i = m.first; i < m.first + m.count; ++i) {
    const ContactPoint& p = fresh.points[i];
    const double approach = -p.normal.dot(velocity_of(cb, m.parts, p.position) - velocity_of(ca, m.parts >> 32, p.position));
    if (time * approach > std::max(p.gap, 0.0) + tolerated && !has_feature(known, before, p.feature)) return true;
  }
  return false;
}

/// The contacts of a pair of parts in a set, and what the end of the drift adds to them.
void LookAhead::append(const ContactSet& from, const PartPair& pair) {
  const auto first = static_cast<std::uint32_t>(next_.points.size());
  const Manifold* const m = manifold_of(from, pair);
  if (m) next_.points.insert(next_.points.end(), from.points.begin() + m->first, from.points.begin() + m->first + m->count);
  for (const ContactBends::Added& more : bends_.added_to(pair))
    if (!has_feature(from, m, more.point.feature)) next_.points.push_back(more.point);
  std::sort(next_.points.begin() + first, next_.points.end(),
            [](const ContactPoint& p, const ContactPoint& q) { return p.feature < q.feature; });
  next_.manifolds.push_back({pair, first, static_cast<std::uint32_t>(next_.points.size() - first), m ? m->target : 0});
}

void LookAhead::merge(const ContactSet& known, const ContactSet& fresh) {
  next_.clear();
  auto old = known.manifolds.begin();
  auto added = bends_.added().begin();
  const auto keep_before = [&](const PartPair& end) {
    while (true) {
      const bool more_old = old != known.manifolds.end() && static_cast<const PartPair&>(*old) < end;
      const bool more_added = added != bends_.added().end() && added->pair < end;
      if (!more_old && !more_added) return;
      const PartPair pair = more_old && (!more_added || !(added->pair < *old)) ? *old : added->pair;
      append(known, pair);
      while (old != known.manifolds.end() && !(pair < static_cast<const PartPair&>(*old))) ++old;
      while (added != bends_.added().end() && !(pair < added->pair)) ++added;
    }
  };
  for (std::size_t k = 0; k < fresh.manifolds.size(); ++k) {
    if (!wanted_[k]) continue;
    const PartPair& pair = fresh.manifolds[k];
    keep_before(pair);
    while (old != known.manifolds.end() && !(pair < static_cast<const PartPair&>(*old))) ++old;
    while (added != bends_.added().end() && !(pair < added->pair)) ++added;
    append(fresh, pair);
  }
  keep_before({~0u, ~0u, ~std::uint64_t{0}});
  next_.patches = known.patches;
  std::swap(merged_, next_);   // `known` may be merged_
}

void LookAhead::remember(const Solved& solved) {
  found_.clear();
  const ProblemBuilder& builder = solved.builder;
  for (const Manifold& m : solved.set.manifolds)
    for (std::uint32_t i = m.first; i < m.first + m.count; ++i) {
      const BuiltContact& built = builder.contacts()[i];
      const Block& block = builder.problem().blocks[built.block];
      Vec3 impulse = Vec3::Zero();
      for (int k = 0; k < std::min<int>(block.dim, 3); ++k) impulse[k] = solved.impulses[block.row + k];
      found_.push_back(
          {m.key(solved.set.points[i]), built.frame * impulse, built.frame * builder.angular_impulse(built, solved.impulses)});
    }
  joint_impulses_.assign(solved.impulses.begin(), solved.impulses.begin() + builder.joints().row_count());
}

std::span<const Twist> LookAhead::motion(const World& world, const Solved& solved) {
  collect_motion(world, solved);
  return motion_;
}

const ContactSet* LookAhead::find(const World& world, Detection& detection, ImpactWatch& watch, const Solved& solved,
                                  const DetectionReach& reach, Gyroscopic gyroscopic, StageTimes& seconds) {
  collect_motion(world, solved);
  static const ContactSet nothing;
  const ContactSet& fresh =
      detection.outrun(world, motion_, reach) ? detection.detect_again(world, motion_, reach, seconds, watch) : nothing;
  const ContactBends::Solved drift{world,           solved.builder, solved.set, motion_,
                                   solved.impulses, solved.joined,  gyroscopic, reach.time};
  wanted_.assign(fresh.manifolds.size(), false);
  bool any = false, passes = false;
  for (std::size_t k = 0; k < fresh.manifolds.size(); ++k) {
    const Manifold& m = fresh.manifolds[k];
    if (k == 0 || !of_one_pair(m, fresh.manifolds[k - 1])) passes = !knows(solved.set, m) && bends_.passes(drift, m);
    wanted_[k] = passes || would_violate(world, m, fresh, solved.set, reach.time);
    any = any || wanted_[k];
  }
  any = bends_.find(drift) || any;
  if (!any) return nullptr;
  remember(solved);
  merge(solved.set, fresh);
  return &merged_;
}

bool LookAhead::ends_deep(const World& world, const Solved& solved, Gyroscopic gyroscopic, double time) {
  const auto is_mesh = [&](std::uint32_t collider) { return std::holds_alternative<Mesh>(world.colliders()[collider].shape); };
  const auto of_meshes = [&](const Manifold& m) { return is_mesh(m.a) || is_mesh(m.b); };
  if (!bends_.judges_depth() && std::ranges::none_of(solved.set.manifolds, of_meshes)) return false;
  collect_motion(world, solved);
  bends_.find({world, solved.builder, solved.set, motion_, solved.impulses, solved.joined, gyroscopic, time});
  return bends_.ends_deep();
}

bool LookAhead::surfaces_end_deep(const World& world, const Solved& solved, Gyroscopic gyroscopic, double time) {
  const auto is_soft = [](const NodalBody& nodes) { return nodes.is_soft(); };
  if (std::ranges::none_of(world.nodal_bodies(), is_soft)) return false;
  collect_motion(world, solved);
  return surface_ends_.are_deep(world, solved.set, motion_, gyroscopic, time);
}

/// Work of the contacts of a manifold along their normals, without what recovery is meant to give [J].
double LookAhead::pressing_work(const World& world, const Solved& solved, const Manifold& m) const {
  const ProblemBuilder& builder = solved.builder;
  const ProblemBuilder::Sides sides = builder.sides_of(world, m);
  double work = 0;
  for (std::uint32_t i = m.first; i < m.first + m.count; ++i) {
    const BuiltContact& built = builder.contacts()[i];
    const double load = solved.impulses[builder.problem().blocks[built.block].row];
    if (!(load > 0) || built.rebounds) continue;
    const Vec3 after = builder.relative_velocity(world, sides, solved.set.points[i], built, solved.velocity);
    work += load * (0.5 * (built.before[0] + built.frame.col(0).dot(after)) - built.recovery_speed);
    if (solved.set.points[i].feature != kPatchFeature) continue;
    const Vec3 spin = 0.5 * (builder.spin(built).before + builder.relative_spin(sides, built, solved.velocity));
    work += builder.angular_impulse(built, solved.impulses).tail<2>().dot(spin.tail<2>());
  }
  return work;
}

bool LookAhead::gives_energy(const World& world, const Solved& solved, double time) {
  const auto bodies_of = [&](const Manifold& m) { return std::pair(world.colliders()[m.a].body, world.colliders()[m.b].body); };
  const std::vector<Manifold>& all = solved.set.manifolds;
  work_.resize(all.size());
  work_on_body_.assign(world.bodies().size(), 0.0);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const auto [a, b] = bodies_of(all[k]);
    work_[k] = pressing_work(world, solved, all[k]);
    work_on_body_[a] += work_[k];
    work_on_body_[b] += work_[k];
  }
  // What falls for the time of the step has that much at least: energies below are those of bodies at rest.
  const auto kinetic_energy = [&](std::uint32_t slot) {
    const Body& body = world.bodies()[slot];
    if (body.motion != MotionType::dynamic) return 0.0;
    const double turning = body.is_rigid() ? body.angular_velocity.dot(body.world_inertia() * body.angular_velocity) : 0;
    const double fall = world.gravity.norm() * time;
    return 0.5 * (body.mass.mass * (body.velocity.squaredNorm() + fall * fall) + turning);
  };
  double sum = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const auto [a, b] = bodies_of(all[k]);
    if (!(work_[k] > 0)) continue;
    const double given = work_on_body_[a] + work_on_body_[b] - work_[k];
    if (given > kGiven * (kinetic_energy(a) + kinetic_energy(b))) sum += given;
  }
  return sum > 0 && sum > kGivenToAll * world.kinetic_energy();
}

void LookAhead::give_no_energy(const World& world, const Solved& solved, Gyroscopic gyroscopic, double time) {
  remember(solved);
  bends_.ask_for_no_more_than_approach(
      {world, solved.builder, solved.set, motion_, solved.impulses, solved.joined, gyroscopic, time});
}

void LookAhead::refine(ProblemBuilder& builder, const ContactSet& set) const {
  refine_guess(builder, set);
  bends_.apply(builder, set);
}

void LookAhead::refine_guess(ProblemBuilder& builder, const ContactSet& set) const {
  if (found_.empty() && joint_impulses_.empty()) return;
  const std::span<double> guess = builder.guess_to_refine();
  if (joint_impulses_.size() == builder.joints().row_count())
    std::copy(joint_impulses_.begin(), joint_impulses_.end(), guess.begin());
  auto found = found_.begin();
  for (const Manifold& m : set.manifolds)
    for (std::uint32_t i = m.first; i < m.first + m.count; ++i) {
      const ContactKey key = m.key(set.points[i]);
      while (found != found_.end() && found->key < key) ++found;
      if (found == found_.end()) return;
      if (found->key == key) builder.set_guess(i, *found);
    }
}

}   // namespace stickslip
