#include "step/barrier/barrier_system.h"

#include <algorithm>

#include "step/clock.h"

namespace stickslip {

namespace {

constexpr double kLargestTurn = 0.5;   ///< of a rigid body in one iteration [rad]

}   // namespace

void BarrierSystem::begin(const World& world, const StepOptions& options) {
  world_ = &world;
  options_ = options;
  search_seconds = ccd_seconds = 0;
  bodies_.begin(world, options);
  joints_.begin(world, bodies_, options);
  attachments_.begin(world, bodies_, options);
  links_ = joints_.links();
  links_.insert(links_.end(), attachments_.links().begin(), attachments_.links().end());
  surface_.begin(world, options);
  rubbing_.clear();
  place_points();
  start_ = points_;
  pairs_known_ = energies_known_ = gradient_known_ = false;
  group_of_point_.resize(points_.size());
  for (std::uint32_t p = 0; p < points_.size(); ++p) {
    const BarrierSurface::Owner& o = surface_.owner(p);
    group_of_point_[p] = o.node != kNoBlock ? bodies_.group_of_node(o.node) : bodies_.rigid_of(o.slot);
  }
  piece_of_group_.assign(bodies_.groups(), 0);
  piece_count_ = 1;
  step_of_group_.assign(bodies_.groups(), 0.0);
  begin_friction(world);
  pushes_.clear();
  begin_candidates(world);
  surface_.place_targets(bodies_, targets_);
  find_near_now(world);
  assembly_.begin(bodies_.blocks());
  bodies_.want_blocks(assembly_);
  joints_.want_blocks(assembly_);
  attachments_.want_blocks(bodies_, assembly_);
  stored_at_start_ = stored();
  begin_islands();
  // Whichever of their ends touch in the course of the step: so the pattern is rarely analysed more than once.
  for (const ContactPair& p : pairs())
    for (const PairMember& m : contacts_.members_of(p)) {
      const auto &a = surface().edges()[m.feature_a].points, &b = surface().edges()[m.feature_b].points;
      want_blocks(std::array{a[0], a[1], b[0], b[1]});
    }
}

void BarrierSystem::place_points() {
  surface_.place(bodies_, points_);
  for (const BarrierSurface::Owner& o : rubbing_) points_.push_back(bodies_.rigid()[bodies_.rigid_of(o.slot)].now * o.local);
}

/// Those of the last step are kept while the same may touch.
void BarrierSystem::begin_candidates(const World& world) {
  TouchRules rules{&world, world.structure_version(), options_.barrier.range, {}, world.ignored_pairs()};
  for (const Body& b : world.bodies()) rules.motions.push_back(b.motion);
  if (rules != rules_) candidates_.clear();
  rules_ = std::move(rules);
  candidates_.begin_step();
}

void BarrierSystem::find_near_now(const World& world) {
  Clock clock;
  const auto filter = [&](std::uint32_t a, std::uint32_t b) { return surface_.may_meet(world, a, b); };
  candidates_.find_at(surface(), points_, targets_, filter);
  find_near(surface(), candidates_, points_, near_);
  search_seconds += clock.lap();
}

void BarrierSystem::find_candidates(const World& world, std::span<const Vec3> to, std::span<const double> bends) {
  Clock clock;
  const auto filter = [&](std::uint32_t a, std::uint32_t b) { return surface_.may_meet(world, a, b); };
  candidates_.find(surface(), std::span(points_).first(surface().points()), to, bends, filter);
  search_seconds += clock.lap();
}

void BarrierSystem::widen(const World& world, double factor) {
  surface_.widen(factor, factor);
  candidates_.clear();
  Clock clock;
  const auto filter = [&](std::uint32_t a, std::uint32_t b) { return surface_.may_meet(world, a, b); };
  const auto points = std::span(points_).first(surface().points()), targets = std::span(targets_).first(surface().points());
  candidates_.find_at(surface(), points, targets, filter);
  find_near(surface(), candidates_, points, near_);
  search_seconds += clock.lap();
  pairs_known_ = energies_known_ = gradient_known_ = false;
}

void BarrierSystem::narrow(double factor) {
  surface_.widen(1, factor);
  pairs_known_ = energies_known_ = gradient_known_ = false;
}

const std::vector<ContactPair>& BarrierSystem::pairs() {
  if (!pairs_known_) {
    collect(surface(), near_, points_, options_.barrier.form, options_.barrier.stiffness, contacts_);
    pairs_known_ = true;
    friction_fits_ = false;
    give_pushes();
  }
  return contacts_.pairs;
}

/// Pairs take their forces for what the last direction led to. What it did not see yet is taken for what it is.
void BarrierSystem::give_pushes() {
  for (std::size_t k = 0; k < contacts_.pairs.size(); ++k) {
    ContactPair& p = contacts_.pairs[k];
    p.push = 0;
    if (pushes_.empty() || is_mollified(contacts_.states[k])) continue;
    if (p.members == 0) {
      if (const double* push = pushes_.find(name_of_pair(p))) p.push = p.weight / p.range * *push;
      continue;
    }
    const double force = force_of(p, contacts_.states[k]);
    for (const PairMember& m : contacts_.members_of(p)) {
      const double* push = pushes_.find(name_of_edges(m.feature_a, m.feature_b));
      p.push += m.part * (push ? p.weight / p.range * *push : force);
    }
  }
}

double BarrierSystem::stored() {
  double sum = 0;
  for_each_pair([&](const ContactPair& p, const PairState& s) { sum += energy_of(p, s); });
  return sum;
}

/// Of the first point that moves. @pre one does
std::uint32_t BarrierSystem::group_of(std::span<const std::uint32_t> points) const {
  for (const std::uint32_t p : points) {
    const std::uint32_t group = p < group_of_point_.size() ? group_of_point_[p] : bodies_.rigid_of(owner(p).slot);
    if (group != kNoBlock) return group;
  }
  return 0;
}

void BarrierSystem::values(std::span<double> out) {
  if (!energies_known_) {
    steady_energies_.assign(bodies_.groups() + 1, 0.0);   // pairs of what does not move have no group
    bodies_.add_energies(steady_energies_);
    for_each_pair(
        [&](const ContactPair& p, const PairState& s) { steady_energies_[group_of(points_of_pair(p))] += energy_of(p, s); });
    energies_known_ = true;
  }
  std::ranges::fill(out, 0.0);
  for (std::uint32_t g = 0; g < bodies_.groups(); ++g) out[piece_of_group_[g]] += steady_energies_[g];
  joints_.add_energies(bodies_, piece_of_group_, out);
  attachments_.add_energies(bodies_, piece_of_group_, out);
  for (const FrictionTerm& f : friction_) out[piece_of_group_[group_of(points_of_term(f))]] += f.energy(start_, points_);
}

void BarrierSystem::slopes(std::span<const double> gradient, std::span<const double> direction, std::span<double> out) {
  std::ranges::fill(out, 0.0);
  for (std::size_t k = 0; k < direction.size(); ++k)
    out[piece_of_group_[bodies_.group_of_block(static_cast<std::uint32_t>(k / 3))]] += gradient[k] * direction[k];
}

void BarrierSystem::add_to_blocks(std::span<const std::uint32_t> points, const Vec12& gradient, std::span<double> out) const {
  const auto block = [&](std::uint32_t k) { return Eigen::Map<Vec3>(out.data() + 3 * std::size_t{k}); };
  for (std::size_t i = 0; i < points.size(); ++i) {
    const BarrierSurface::Owner& o = owner(points[i]);
    const Vec3 g = gradient.segment<3>(3 * static_cast<Eigen::Index>(i));
    if (o.node != kNoBlock) {
      if (const std::uint32_t at = bodies_.block_of_node(o.node); at != kNoBlock) block(at) += g;
    } else if (const std::uint32_t r = bodies_.rigid_of(o.slot); r != kNoBlock) {
      block(2 * r) += g;
      block(2 * r + 1) += (points_[points[i]] - bodies_.rigid()[r].now.position).cross(g);
    }
  }
}

void BarrierSystem::gradient(std::span<double> out) {
  if (!gradient_known_) {
    steady_gradient_.assign(size(), 0.0);
    bodies_.add_gradient(steady_gradient_);
    for_each_pair([&](const ContactPair& p, const PairState& s) {
      add_to_blocks(points_of_pair(p), gradient_of(p, s, points_), steady_gradient_);
    });
    gradient_known_ = true;
  }
  std::ranges::copy(steady_gradient_, out.begin());
  joints_.add_gradient(bodies_, out);
  attachments_.add_gradient(bodies_, out);
  for (const FrictionTerm& f : friction_) add_to_blocks(points_of_term(f), f.gradient(start_, points_), out);
}

/// Keeps directions that no motion would have from sweeping through the whole scene: bodies that push each other as one.
void BarrierSystem::limit(std::span<double> direction) {
  bodies_.limit(direction, kLargestTurn, parts_);
  Unions unions(parts_.size());
  for (const auto& [a, b] : links_) unions.join(a, b);
  for (const ContactPair& p : pairs()) {
    std::uint32_t first = kNoBlock;
    for (const std::uint32_t point : points_of_pair(p)) {
      const std::uint32_t group = group_of_point_[point];
      if (group == kNoBlock) continue;
      if (first != kNoBlock) unions.join(first, group);
      first = group;
    }
  }
  for (std::uint32_t g = 0; g < parts_.size(); ++g) {
    double& of_root = parts_[unions.root(g)];
    of_root = std::min(of_root, parts_[g]);
  }
  for (std::uint32_t g = 0; g < parts_.size(); ++g) parts_[g] = parts_[unions.root(g)];
  bodies_.shorten(direction, parts_);
}

/// Where the whole direction would lead, to first order: steps that are cut short keep what they learnt of forces.
void BarrierSystem::foresee_forces(std::span<const double> direction) {
  joints_.foresee(bodies_, direction);
  full_ways_ = ways_;
  for (std::size_t k = 0; k < ways_.size(); ++k) {
    const FrictionTerm& f = friction_[k];
    full_ways_[k] += f.tangents.transpose() * way_along(direction, points_of_term(f), f.weights);
  }
  next_pushes_.clear();
  for_each_pair([&](const ContactPair& p, const PairState& s) {
    if (!(p.weight > 0) || is_mollified(s)) return;
    const double apart = -s.place.normal.dot(way_along(direction, points_of_pair(p), s.place.weights));
    const double push = next_push(p, s, apart) * p.range / p.weight;
    if (p.members == 0) next_pushes_[name_of_pair(p)] = push;
    for (const PairMember& m : contacts_.members_of(p)) next_pushes_[name_of_edges(m.feature_a, m.feature_b)] = push;
  });
}

double BarrierSystem::shorten(std::span<double> direction) {
  if (takes_hessian(options_.barrier.method)) foresee_forces(direction);
  limit(direction);
  surface_.place_ends(bodies_, direction, ends_, bends_);
  find_candidates(*world_, ends_, bends_);
  Clock clock;
  const PointPaths paths{std::span(points_).first(ends_.size()), ends_, bends_,
                         [&](std::uint32_t p, double t) { return surface_.on_way(bodies_, direction, p, t); }};
  parts_.assign(bodies_.groups(), 1.0);
  piece_count_ = find_free_parts(surface(), candidates_, paths, group_of_point_, links_, parts_, piece_of_group_, near_);
  bodies_.shorten(direction, parts_);
  ccd_seconds += clock.lap();
  return parts_.empty() ? 1 : *std::ranges::min_element(parts_);
}

void BarrierSystem::move(std::span<const double> direction, std::span<const double> steps) {
  for (std::uint32_t g = 0; g < bodies_.groups(); ++g) step_of_group_[g] = steps[piece_of_group_[g]];
  bodies_.move(direction, step_of_group_);
  place_points();
  pairs_known_ = energies_known_ = gradient_known_ = false;
}

void BarrierSystem::accept(std::span<const double>) {
  bodies_.accept();
  joints_.accept();
  pushes_.swap(next_pushes_);
  if (pairs_known_) give_pushes();
  for (std::size_t k = 0; k < ways_.size(); ++k) {   // of methods that take a Hessian
    FrictionTerm& f = friction_[k];
    f.pull = f.next_pull(ways_[k], full_ways_[k]);
  }
}

}   // namespace stickslip
