#include "step/barrier/barrier_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "math/unions.h"
#include "step/clock.h"
#include "step/detection.h"
#include "stickslip/geometry/mesh_names.h"
#include "stickslip/geometry/surface_part.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

constexpr double kLargestTurn = 0.5;   ///< of a rigid body in one iteration [rad]
constexpr double kSharper = 0.1;       ///< factor of the way over which friction grows, from round to round
constexpr double kForeseen = 1e6;      ///< factor by which normal forces are taken to change in an iteration, at most
constexpr double kLeastGap = 1e-6;     ///< part of the range below which bodies count as touching
constexpr double kNoForce = 1e-12;     ///< normal forces below this part of the largest have no friction

std::span<const std::uint32_t> points_of_pair(const ContactPair& p) { return {p.points.data(), p.size}; }
std::span<const std::uint32_t> points_of_term(const FrictionTerm& f) { return {f.points.data(), f.size}; }

/// Different for all pairs of a scene.
std::uint64_t name_of(const ContactPair& p) {
  const PairKind kind = p.of_edges ? PairKind::edge_edge : p.kind;
  std::uint64_t a = p.feature_a, b = p.feature_b;
  if (p.of_edges && a > b) std::swap(a, b);
  return (std::uint64_t{static_cast<std::uint8_t>(kind)} << 60) ^ (a << 30) ^ b;
}

ContactKey without_parts(ContactKey key) {
  key.parts = 0;
  return key;
}

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
  pairs_known_ = false;
  group_of_point_.resize(points_.size());
  for (std::uint32_t p = 0; p < points_.size(); ++p) {
    const BarrierSurface::Owner& o = surface_.owner(p);
    group_of_point_[p] = o.node != kNoBlock ? bodies_.group_of_node(o.node) : bodies_.rigid_of(o.slot);
  }
  piece_of_group_.assign(bodies_.groups(), 0);
  piece_count_ = 1;
  step_of_group_.assign(bodies_.groups(), 0.0);
  coefficients_.clear();
  friction_.clear();
  friction_pairs_.clear();
  friction_keys_.clear();
  pushes_.clear();
  remembered_.clear();
  if (options.barrier.anchored && world.memory.h > 0)
    for (const RememberedImpulse& r : world.memory.impulses)
      remembered_.try_emplace(without_parts(r.key), Vec3::Zero()).first->second += r.impulse / world.memory.h;
  candidates_.clear();
  surface_.place_targets(bodies_, targets_);
  find_candidates(world, targets_, {});
  assembly_.begin(bodies_.blocks());
  bodies_.want_blocks(assembly_);
  joints_.want_blocks(assembly_);
  attachments_.want_blocks(bodies_, assembly_);
  stored_at_start_ = stored();
}

void BarrierSystem::place_points() {
  surface_.place(bodies_, points_);
  for (const BarrierSurface::Owner& o : rubbing_) points_.push_back(bodies_.rigid()[bodies_.rigid_of(o.slot)].now * o.local);
}

void BarrierSystem::find_candidates(const World& world, std::span<const Vec3> to, std::span<const double> bends) {
  Clock clock;
  double slack = 0;
  for (const ContactSurface::Patch& patch : surface().patches()) slack = std::max(slack, patch.range);
  candidates_.find(surface(), std::span(points_).first(surface().points()), to, bends, slack,
                   [&](std::uint32_t a, std::uint32_t b) { return surface_.may_meet(world, a, b); });
  pairs_known_ = near_known_ = false;
  search_seconds += clock.lap();
}

const std::vector<ContactPair>& BarrierSystem::pairs() {
  if (!pairs_known_)
    collect(surface(), near_known_ ? near_ : candidates_, points_, options_.barrier.form, options_.barrier.stiffness, pairs_);
  if (!pairs_known_ && !pushes_.empty())
    for (ContactPair& p : pairs_)
      if (const auto at = pushes_.find(name_of(p)); at != pushes_.end() && !is_mollified(p, points_)) p.push = at->second;
  pairs_known_ = true;
  return pairs_;
}

double BarrierSystem::stored() {
  double sum = 0;
  for (const ContactPair& p : pairs()) sum += energy_of(p, points_);
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
  std::ranges::fill(out, 0.0);
  bodies_.add_energies(piece_of_group_, out);
  joints_.add_energies(bodies_, piece_of_group_, out);
  attachments_.add_energies(bodies_, piece_of_group_, out);
  for (const ContactPair& p : pairs()) out[piece_of_group_[group_of(points_of_pair(p))]] += energy_of(p, points_);
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
  std::ranges::fill(out, 0.0);
  bodies_.add_gradient(out);
  joints_.add_gradient(bodies_, out);
  attachments_.add_gradient(bodies_, out);
  for (const ContactPair& p : pairs()) add_to_blocks(points_of_pair(p), gradient_of(p, points_), out);
  for (const FrictionTerm& f : friction_) add_to_blocks(points_of_term(f), f.gradient(start_, points_), out);
}

/// What points of a pair move with. Of a rigid body x = c + exp(θ) r: dx = dc − [r]× dθ.
struct BarrierSystem::Movers {
  struct Mover {
    std::uint32_t block;
    bool is_rigid;   ///< two blocks
  };
  int count = 0;
  std::array<Mover, 4> movers;
  std::array<int, 4> mover_of;   ///< of each point; −1: nothing moves it
  std::array<Vec3, 4> arms;

  int take(std::uint32_t block, bool is_rigid) {
    for (int k = 0; k < count; ++k)
      if (movers[k].block == block) return k;
    movers[count] = {block, is_rigid};
    return count++;
  }
};

BarrierSystem::Movers BarrierSystem::movers_of(std::span<const std::uint32_t> points) const {
  Movers m;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const BarrierSurface::Owner& o = owner(points[i]);
    m.mover_of[i] = -1;
    if (o.node != kNoBlock) {
      if (const std::uint32_t at = bodies_.block_of_node(o.node); at != kNoBlock) m.mover_of[i] = m.take(at, false);
    } else if (const std::uint32_t r = bodies_.rigid_of(o.slot); r != kNoBlock) {
      m.mover_of[i] = m.take(2 * r, true);
      m.arms[i] = points_[points[i]] - bodies_.rigid()[r].now.position;
    }
  }
  return m;
}

void BarrierSystem::want_blocks(std::span<const std::uint32_t> points) {
  const Movers m = movers_of(points);
  for (int i = 0; i < m.count; ++i)
    for (int j = 0; j < i; ++j)
      for (std::uint32_t a = 0; a < (m.movers[i].is_rigid ? 2u : 1u); ++a)
        for (std::uint32_t b = 0; b < (m.movers[j].is_rigid ? 2u : 1u); ++b)
          assembly_.want(m.movers[i].block + a, m.movers[j].block + b);
}

/// @param gradient of the pair: the second derivative of exp adds to the blocks of turns
void BarrierSystem::scatter(std::span<const std::uint32_t> points, const Vec12& gradient, const PairStiffness& stiffness) {
  const Movers m = movers_of(points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (m.mover_of[i] < 0 || !m.movers[m.mover_of[i]].is_rigid) continue;
    const Vec3 g = gradient.segment<3>(3 * static_cast<Eigen::Index>(i));
    turns_[m.movers[m.mover_of[i]].block / 2] +=
        0.5 * (g * m.arms[i].transpose() + m.arms[i] * g.transpose()) - g.dot(m.arms[i]) * Mat3::Identity();
  }
  if (stiffness.count > 0) scatter_terms(m, points.size(), stiffness);
  if (stiffness.is_full) scatter_full(m, points.size(), stiffness.full);
}

std::array<std::array<Vec3, 2>, 4> BarrierSystem::gather(const Movers& m, std::size_t points, const Vec12& over_points) {
  std::array<std::array<Vec3, 2>, 4> v;
  for (int k = 0; k < m.count; ++k) v[k] = {Vec3::Zero(), Vec3::Zero()};
  for (std::size_t i = 0; i < points; ++i) {
    if (m.mover_of[i] < 0) continue;
    const Vec3 part = over_points.segment<3>(3 * static_cast<Eigen::Index>(i));
    v[m.mover_of[i]][0] += part;
    if (m.movers[m.mover_of[i]].is_rigid) v[m.mover_of[i]][1] += m.arms[i].cross(part);
  }
  return v;
}

void BarrierSystem::scatter_terms(const Movers& m, std::size_t points, const PairStiffness& stiffness) {
  std::array<std::array<std::array<Vec3, 2>, 4>, std::tuple_size_v<decltype(stiffness.terms)>> v;
  for (int t = 0; t < stiffness.count; ++t) v[t] = gather(m, points, stiffness.terms[t].v);
  for (int i = 0; i < m.count; ++i)
    for (std::uint32_t a = 0; a < (m.movers[i].is_rigid ? 2u : 1u); ++a)
      for (int j = 0; j < m.count; ++j)
        for (std::uint32_t b = 0; b < (m.movers[j].is_rigid ? 2u : 1u); ++b) {
          if (m.movers[i].block + a < m.movers[j].block + b) continue;
          Mat3 sum = Mat3::Zero();
          for (int t = 0; t < stiffness.count; ++t) sum += (stiffness.terms[t].factor * v[t][i][a]) * v[t][j][b].transpose();
          assembly_.add(m.movers[i].block + a, m.movers[j].block + b, sum);
        }
}

void BarrierSystem::scatter_full(const Movers& m, std::size_t points, const Mat12& full) {
  const auto map = [&](std::size_t i, std::uint32_t part) {
    return part == 0 ? Mat3(Mat3::Identity()) : Mat3(-skew(m.arms[i]));
  };
  for (std::size_t i = 0; i < points; ++i)
    for (std::size_t j = 0; j < points; ++j) {
      if (m.mover_of[i] < 0 || m.mover_of[j] < 0) continue;
      const Movers::Mover &one = m.movers[m.mover_of[i]], &other = m.movers[m.mover_of[j]];
      const Mat3 h = full.block<3, 3>(3 * static_cast<Eigen::Index>(i), 3 * static_cast<Eigen::Index>(j));
      for (std::uint32_t a = 0; a < (one.is_rigid ? 2u : 1u); ++a)
        for (std::uint32_t b = 0; b < (other.is_rigid ? 2u : 1u); ++b)
          if (one.block + a >= other.block + b)
            assembly_.add(one.block + a, other.block + b, map(i, a).transpose() * h * map(j, b));
    }
}

const SparseFactor::Matrix& BarrierSystem::hessian(bool projected) {
  for (const ContactPair& p : pairs()) want_blocks(points_of_pair(p));
  for (const FrictionTerm& f : friction_) want_blocks(points_of_term(f));
  assembly_.clear();
  turns_.assign(bodies_.rigid().size(), Mat3::Zero());
  for (const ContactPair& p : pairs()) {
    Vec12 gradient = gradient_of(p, points_);
    if (p.push > 0) gradient *= p.push / force_of(p, points_);
    scatter(points_of_pair(p), gradient, stiffness_of(p, points_, projected));
  }
  ways_.clear();
  for (const FrictionTerm& f : friction_) {
    scatter(points_of_term(f), f.gradient(start_, points_), f.stiffness(start_, points_));
    ways_.push_back(f.way(start_, points_));
  }
  find_coupling();
  attachments_.add_hessian(bodies_, turns_, assembly_);
  bodies_.add_hessian(projected, turns_, assembly_);
  joints_.add_hessian(bodies_, projected, assembly_);
  return assembly_.matrix();
}

/// Friction follows the normal forces: what a pair is pressed more changes the force along it.
void BarrierSystem::find_coupling() {
  coupling_.clear();
  coupling_first_.clear();
  const auto add = [&](std::span<const std::uint32_t> points, const Vec12& over_points) {
    coupling_first_.push_back(coupling_.size());
    const Movers m = movers_of(points);
    const std::array<std::array<Vec3, 2>, 4> v = gather(m, points.size(), over_points);
    for (int i = 0; i < m.count; ++i)
      for (std::uint32_t a = 0; a < (m.movers[i].is_rigid ? 2u : 1u); ++a)
        coupling_.emplace_back(m.movers[i].block + a, v[i][a]);
  };
  for (std::size_t k = 0; k < friction_.size(); ++k) {
    const FrictionTerm& f = friction_[k];
    const ContactPair& p = friction_pairs_[k];
    add(points_of_term(f), f.gradient(start_, points_) / f.limit);
    add(points_of_pair(p), shares_[k] * gradient_of_force(p, points_));
  }
  coupling_first_.push_back(coupling_.size());
}

void BarrierSystem::add_rank_one(Sparse row, Sparse column) {
  for (const auto& [column_block, c] : column)
    for (const auto& [row_block, r] : row)
      for (int k = 0; k < 3; ++k) {
        const int at_row = static_cast<int>(3 * row_block), at_column = static_cast<int>(3 * column_block) + k;
        const int *first = jacobian_.innerIndexPtr() + jacobian_.outerIndexPtr()[at_column],
                  *last = jacobian_.innerIndexPtr() + jacobian_.outerIndexPtr()[at_column + 1];
        double* at = jacobian_.valuePtr() + (std::lower_bound(first, last, at_row) - jacobian_.innerIndexPtr());
        for (int l = 0; l < 3; ++l) at[l] += r[l] * c[k];
      }
}

const SparseFactor::Matrix& BarrierSystem::jacobian(bool projected) {
  jacobian_ = hessian(projected).selfadjointView<Eigen::Lower>();
  for (std::size_t k = 0; k < friction_.size(); ++k) add_rank_one(rub_of(k), press_of(k));
  return jacobian_;
}

bool BarrierSystem::beyond_hessian(std::span<const double> in, std::span<double> out) {
  std::ranges::fill(out, 0.0);
  for (std::size_t k = 0; k < friction_.size(); ++k) {
    double change = 0;
    for (const auto& [block, v] : press_of(k)) change += v.dot(Eigen::Map<const Vec3>(in.data() + 3 * std::size_t{block}));
    for (const auto& [block, v] : rub_of(k)) Eigen::Map<Vec3>(out.data() + 3 * std::size_t{block}) += change * v;
  }
  return true;
}

void BarrierSystem::foresee(std::span<const double> direction) {
  for (std::size_t k = 0; k < friction_.size(); ++k) {
    FrictionTerm& f = friction_[k];
    double change = 0;
    for (const auto& [block, v] : press_of(k))
      change += v.dot(Eigen::Map<const Vec3>(direction.data() + 3 * std::size_t{block}));
    f.limit = std::clamp(f.limit + change, f.limit / kForeseen, f.limit * kForeseen);
  }
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

Vec3 BarrierSystem::way_along(std::span<const double> direction, std::span<const std::uint32_t> points,
                              const std::array<double, 4>& weights) const {
  const auto block = [&](std::uint32_t k) { return Eigen::Map<const Vec3>(direction.data() + 3 * std::size_t{k}); };
  const Movers m = movers_of(points);
  Vec3 way = Vec3::Zero();
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (m.mover_of[i] < 0) continue;
    const Movers::Mover& mover = m.movers[m.mover_of[i]];
    way += weights[i] * block(mover.block);
    if (mover.is_rigid) way += weights[i] * block(mover.block + 1).cross(m.arms[i]);
  }
  return way;
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
  for (const ContactPair& p : pairs()) {
    if (!(p.weight > 0) || is_mollified(p, points_)) continue;
    const PairPlace place = place_of(p, points_);
    const double apart = -place.normal.dot(way_along(direction, points_of_pair(p), place.weights));
    next_pushes_.emplace(name_of(p), next_push(p, points_, apart));
  }
}

double BarrierSystem::shorten(std::span<double> direction) {
  if (takes_hessian(options_.barrier.method)) foresee_forces(direction);
  limit(direction);
  surface_.place_ends(bodies_, direction, ends_, bends_);
  if (!candidates_.cover(ends_, bends_)) find_candidates(*world_, ends_, bends_);
  Clock clock;
  const PointPaths paths{std::span(points_).first(ends_.size()), ends_, bends_,
                         [&](std::uint32_t p, double t) { return surface_.on_way(bodies_, direction, p, t); }};
  parts_.assign(bodies_.groups(), 1.0);
  piece_count_ = find_free_parts(surface(), candidates_, paths, group_of_point_, links_, parts_, piece_of_group_, near_);
  near_known_ = true;
  bodies_.shorten(direction, parts_);
  ccd_seconds += clock.lap();
  return parts_.empty() ? 1 : *std::ranges::min_element(parts_);
}

void BarrierSystem::move(std::span<const double> direction, std::span<const double> steps) {
  for (std::uint32_t g = 0; g < bodies_.groups(); ++g) step_of_group_[g] = steps[piece_of_group_[g]];
  bodies_.move(direction, step_of_group_);
  place_points();
  pairs_known_ = false;
}

void BarrierSystem::accept(std::span<const double>) {
  bodies_.accept();
  joints_.accept();
  std::swap(pushes_, next_pushes_);
  pairs_known_ = false;
  for (std::size_t k = 0; k < ways_.size(); ++k) {   // of methods that take a Hessian
    FrictionTerm& f = friction_[k];
    f.pull = f.next_pull(ways_[k], full_ways_[k]);
  }
}

double BarrierSystem::friction_between(const World& world, std::uint32_t a, std::uint32_t b) {
  const auto [at, is_new] = coefficients_.try_emplace({a, b}, 0.0);
  if (is_new) {
    const Collider &ca = world.colliders()[surface().patches()[a].collider],
                   &cb = world.colliders()[surface().patches()[b].collider];
    const SurfacePair pair = world.materials.between(ca.material, cb.material);
    if (pair.law && pair.law->name != "coulomb")
      throw Error(
          fmt::format("Bodies '{}' and '{}' rub by the law '{}', and barriers know Coulomb's only. Use the integrator "
                      "'impulse'.",
                      world.bodies()[ca.body].name, world.bodies()[cb.body].name, pair.law->name));
    at->second = pair.friction;
  }
  return at->second;
}

/// The part of a surface that deforms which a point, edge or triangle is; 0 of others.
std::uint32_t BarrierSystem::part_of(std::uint32_t patch_number, SurfacePartKind kind, std::uint32_t feature) const {
  const ContactSurface::Patch& patch = surface().patches()[patch_number];
  if (!patch.deforms) return 0;
  switch (kind) {
    case SurfacePartKind::triangle:
      return SurfacePart{kind, feature - patch.first_triangle}.number();
    case SurfacePartKind::edge:
      return SurfacePart{kind, surface().edges()[feature].place}.number();
    case SurfacePartKind::vertex: {
      const NodalBody& nodes = world_->nodal_bodies()[world_->bodies()[patch.body].place];
      return SurfacePart{kind, surface_.owner(feature).node - nodes.first_node}.number();
    }
  }
  return 0;
}

ContactKey BarrierSystem::key_of(const ContactPair& p) const {
  const ContactSurface& s = surface();
  const ContactSurface::Patch &pa = s.patches()[p.patch_a], &pb = s.patches()[p.patch_b];
  // A point that looks at a surface keeps its name wherever it stands over it.
  const bool edges = p.of_edges;
  ContactKey key;
  key.a = pa.collider;
  key.b = pb.collider;
  key.feature = edges ? mesh_feature(MeshFeature::edges, p.feature_a - pa.first_edge, p.feature_b - pb.first_edge)
                      : mesh_feature(MeshFeature::vertex_on_face, p.feature_a - pa.first_point, 0);
  constexpr SurfacePartKind kinds[] = {SurfacePartKind::vertex, SurfacePartKind::vertex, SurfacePartKind::edge,
                                       SurfacePartKind::triangle, SurfacePartKind::edge};
  std::uint32_t part_a = part_of(p.patch_a, edges ? SurfacePartKind::edge : SurfacePartKind::vertex, p.feature_a);
  std::uint32_t part_b =
      part_of(p.patch_b, edges ? SurfacePartKind::edge : kinds[static_cast<std::size_t>(p.kind)], p.feature_b);
  if (turned(p)) {
    std::swap(key.a, key.b);
    std::swap(part_a, part_b);
    key.feature = exchanged_feature(key.feature);
  }
  key.parts = pair_of_parts(part_a, part_b);
  return key;
}

Vec2 BarrierSystem::remembered_way(const ContactPair& p, const ContactKey& key, const PairPlace& place, const FrictionTerm& f,
                                   double mu) const {
  const auto at = remembered_.find(without_parts(key));
  if (at == remembered_.end()) return Vec2::Zero();
  const Vec3 force = turned(p) ? Vec3(-at->second) : at->second;   // on side B of the pair
  const double pressed = force.dot(place.normal);
  const Vec2 rubbed = f.tangents.transpose() * force;
  const double size = rubbed.norm();
  if (!(pressed > 0) || size == 0) return Vec2::Zero();
  return way_of_friction(std::min(1.0, size / (mu * pressed)), f.length) / size * rubbed;
}

/// How far the sides of a pair would slide along each other if they went where nothing holds them up [m].
double BarrierSystem::free_way(const FrictionTerm& f) const {
  Vec3 moved = Vec3::Zero();
  for (int i = 0; i < f.size; ++i) moved += f.weights[i] * (targets_[f.points[i]] - start_[f.points[i]]);
  return (f.tangents.transpose() * moved).norm();
}

/// A rigid body rubs with the material point that is nearest now, nodes with their shares of it. What does not move has none.
void BarrierSystem::add_side(const ContactPair& p, const PairPlace& place, bool side_a, FrictionTerm& f) {
  const int first = side_a ? 0 : p.size_a, last = side_a ? p.size_a : p.size;
  if (first == last) return;   // a half-space
  const std::uint32_t slot = surface_.owner(p.points[first]).slot;
  if (slot == kNoBlock) {
    for (int i = first; i < last; ++i) {
      f.points[f.size] = p.points[i];
      f.weights[f.size++] = place.weights[i];
    }
    return;
  }
  const std::uint32_t r = bodies_.rigid_of(slot);
  if (r == kNoBlock) return;
  const BarrierBodies::Rigid& body = bodies_.rigid()[r];
  const double radius = surface().patches()[side_a ? p.patch_a : p.patch_b].radius;
  const Vec3 surface_point = side_a ? Vec3(place.on_a + radius * place.normal) : Vec3(place.on_b - radius * place.normal);
  const Vec3 local = body.now.to_local(surface_point);
  f.points[f.size] = static_cast<std::uint32_t>(points_.size());
  f.weights[f.size++] = side_a ? 1 : -1;
  rubbing_.push_back({slot, kNoBlock, local});
  points_.push_back(surface_point);
  start_.push_back(body.start * local);
  targets_.push_back(body.target * local);
}

/// Keeps nothing of it but its forces.
void BarrierSystem::clear_friction() {
  pulls_.clear();
  pulls_.reserve(friction_.size());
  for (std::size_t k = 0; k < friction_.size(); ++k) pulls_[friction_keys_[k]] = friction_[k].tangents * friction_[k].pull;
  ways_.clear();
  shares_.clear();
  friction_.clear();
  friction_pairs_.clear();
  friction_keys_.clear();
  rubbing_.clear();
  place_points();
  start_.resize(surface().points());
  targets_.resize(surface().points());
}

/// Friction that turns around within a tiny way is hard to minimise: in the first rounds the way is longer.
bool BarrierSystem::lag_friction(const World& world, int round, bool frozen) {
  clear_friction();
  bool final_length = joints_.stiffen(round);
  // Features that were counted too often press less than nothing: those of the same point that press share what is left.
  struct Press {
    double net = 0, positive = 0;
  };
  std::unordered_map<ContactKey, Press, HashOfKey> presses;
  presses.reserve(pairs().size());
  std::vector<std::pair<double, const Press*>> forces;   // of pairs, and what they are part of
  std::vector<ContactKey> keys;
  double largest = 0;
  for (const ContactPair& p : pairs()) {
    const double force = force_of(p, points_);
    Press& press = presses[without_parts(keys.emplace_back(key_of(p)))];
    press.net += force;
    press.positive += std::max(0.0, force);
    largest = std::max(largest, force);
    forces.emplace_back(force, &press);
  }
  for (std::size_t k = 0; k < pairs().size(); ++k) {
    const ContactPair& p = pairs_[k];
    const Press& press = *forces[k].second;
    const double own = forces[k].first, force = own > 0 ? own * std::max(0.0, press.net) / press.positive : 0;
    if (!(force > kNoForce * largest)) continue;
    const double mu = friction_between(world, p.patch_a, p.patch_b);
    if (!(mu > 0)) continue;
    const PairPlace place = place_of(p, points_);
    FrictionTerm f;
    f.size = 0;
    add_side(p, place, true, f);
    add_side(p, place, false, f);
    f.tangents = frame_from_normal(place.normal).rightCols<2>();
    f.limit = mu * force;
    shares_.push_back(f.limit / own);
    f.length = options_.barrier.slip * p.range;
    const double longer = free_way(f) * std::pow(kSharper, round + 1);
    if (longer > f.length) {
      f.length = longer;
      final_length = false;
    }
    f.anchor = remembered_way(p, keys[k], place, f, mu);
    if (const auto at = pulls_.find(keys[k]); at != pulls_.end()) f.pull = f.tangents.transpose() * at->second;
    else if (f.anchor != Vec2::Zero()) f.pull = smooth_friction_over_way(f.anchor.norm(), f.length) * f.anchor;
    friction_.push_back(f);
    friction_pairs_.push_back(p);
    friction_keys_.push_back(keys[k]);
  }
  for (std::size_t k = 0; k < friction_.size(); ++k) {
    const ContactPair& p = friction_pairs_[k];
    if (p.push > 0 && (frozen || !final_length)) friction_[k].limit = shares_[k] * p.push;
  }
  return final_length;
}

/// The contacts of one point with one surface, or of two edges, are one record: forces add up, and where they act is a mean by
/// their sizes.
void BarrierSystem::record(World& world, StepReport& report) {
  joints_.record(world, bodies_, report);
  attachments_.record(world, bodies_, report);
  report.energy.springs += stored_at_start_ - stored();
  struct Sum {
    ContactKey key;
    Vec3 push = Vec3::Zero(), rub = Vec3::Zero(), place = Vec3::Zero(), slip = Vec3::Zero();   ///< forces on B of the key [N]
    double weight = 0, largest = 0, gap = 0, mu = 0;
  };
  std::map<ContactKey, Sum> sums;
  const double h = options_.h;
  for (const ContactPair& p : pairs()) {
    const double force = force_of(p, points_), size = std::abs(force);
    if (size == 0) continue;
    const PairPlace place = place_of(p, points_);
    const ContactKey key = key_of(p);
    Sum& sum = sums[without_parts(key)];
    const double gap = place.distance - p.offset;
    if (sum.weight == 0 || size > sum.largest) sum.key = key, sum.largest = size;
    sum.gap = sum.weight == 0 ? gap : std::min(sum.gap, gap);
    sum.push += (turned(p) ? -force : force) * place.normal;
    sum.place += size * 0.5 * (place.on_a + place.on_b);
    sum.weight += size;
    sum.mu = friction_between(world, p.patch_a, p.patch_b);
  }
  for (std::size_t k = 0; k < friction_.size(); ++k) {
    const auto at = sums.find(without_parts(friction_keys_[k]));
    if (at == sums.end()) continue;
    const FrictionTerm& f = friction_[k];
    const Vec3 on_a = f.force_on_a(start_, points_), way = f.tangents * (f.way(start_, points_) - f.anchor);
    const double sign = turned(friction_pairs_[k]) ? 1 : -1;
    at->second.rub += sign * on_a;
    at->second.slip +=
        sign * f.limit / friction_between(world, friction_pairs_[k].patch_a, friction_pairs_[k].patch_b) / h * way;
    report.energy.friction -= on_a.dot(way);
  }
  report.contacts.clear();
  world.memory.impulses.clear();
  world.memory.h = h;
  report.distance_min = std::numeric_limits<double>::infinity();
  for (const auto& [key, sum] : sums) {
    report.distance_min = std::min(report.distance_min, sum.gap);
    const double pressed = sum.push.norm();
    if (!(pressed > 0)) continue;
    const Collider &a = world.colliders()[key.a], &b = world.colliders()[key.b];
    const Vec3 normal = sum.push / pressed, position = sum.place / sum.weight, impulse = h * (sum.push + sum.rub);
    report.contacts.push_back({world.id_of(a.body), world.id_of(b.body), sum.key, position, normal, sum.gap, impulse,
                               impulse.dot(normal), sum.mu, sum.slip / sum.weight, Vec3::Zero(), nullptr});
    world.memory.impulses.push_back({sum.key, impulse, Vec3::Zero(), position});
  }
  std::ranges::sort(report.contacts, {}, &ContactRecord::key);
  std::ranges::sort(world.memory.impulses, {}, &RememberedImpulse::key);
}

bool BarrierSystem::turned(const ContactPair& p) const {
  return surface().patches()[p.patch_a].collider > surface().patches()[p.patch_b].collider;
}

std::vector<NearPair> BarrierSystem::intersections(const World& world) {
  const auto now = std::span(points_).first(surface().points());
  if (std::ranges::equal(now, free_points_)) return {};
  std::vector<NearPair> met =
      find_intersections(surface(), now, [&](std::uint32_t a, std::uint32_t b) { return surface_.may_meet(world, a, b); });
  if (met.empty()) free_points_.assign(now.begin(), now.end());
  return met;
}

bool BarrierSystem::needs_room(const World& world) {
  double least = std::numeric_limits<double>::infinity();
  for (const ContactSurface::Patch& patch : surface().patches())
    if (patch.range > 0) least = std::min(least, kLeastGap * patch.range);
  return smallest_gap(surface(), candidates_, points_) < least || !intersections(world).empty();
}

void BarrierSystem::check_start(const World& world) {
  const std::vector<NearPair> met = intersections(world);
  if (met.empty()) return;
  const auto name = [&](std::uint32_t patch) { return world.bodies()[surface().patches()[patch].body].name; };
  throw Error(
      fmt::format("Bodies '{}' and '{}' touch or overlap at t = {} s, and barriers need a distance between all that may "
                  "touch. Move them apart, or use the integrator 'impulse'.",
                  name(met[0].patch_a), name(met[0].patch_b), world.time));
}

}   // namespace stickslip
