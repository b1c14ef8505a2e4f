#include "step/detection.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "step/clock.h"
#include "step/impact_watch.h"
#include "step/sizes.h"
#include "stickslip/collide/collide.h"
#include "stickslip/collide/surface.h"
#include "stickslip/math/error.h"
#include "stickslip/step/stepper.h"

namespace stickslip {

namespace {

constexpr std::size_t kChunkSize = 256;
constexpr double kBesideHeld = 0.1;   ///< share of free nodes up to which a place of a surface counts as held

/// Far above any real heap (a dense one has about ten per body), and still small enough for memory.
std::size_t pair_limit(const World& world) { return std::min<std::size_t>(1'000'000 + 100 * world.body_count(), 32'000'000); }

/// Tells contact generation what it found in the step before, for pairs that come in order.
class Expectation {
 public:
  explicit Expectation(const ContactMemory& memory) : next_(memory.impulses.begin()), end_(memory.impulses.end()) {}

  void tell(const ProxyPair& pair, ContactSink& sink) {
    const auto before = [](const RememberedImpulse& r, const ProxyPair& p) {
      return std::pair(r.key.a, r.key.b) < std::pair(p.a, p.b);
    };
    if (next_ != end_ && before(*next_, pair)) next_ = std::lower_bound(next_, end_, pair, before);
    if (next_ != end_ && next_->key.a == pair.a && next_->key.b == pair.b) sink.expect(next_->key.feature);
    else sink.expect_nothing();
  }

 private:
  std::vector<RememberedImpulse>::const_iterator next_, end_;
};

/// What bore a load between two colliders in the step before. @param flipped whether names are to have the parts of b first
const LoadedContacts& loaded_contacts(const ContactMemory& memory, const ProxyPair& pair, bool flipped) {
  constexpr double kBears = 1e-9;   // of the largest impulse of the pair
  static thread_local LoadedContacts loaded;
  loaded.clear();
  const auto of_pair = std::ranges::equal_range(memory.impulses, std::pair(pair.a, pair.b), {},
                                                [](const RememberedImpulse& r) { return std::pair(r.key.a, r.key.b); });
  double largest = 0;
  for (const RememberedImpulse& r : of_pair) largest = std::max(largest, r.impulse.squaredNorm());
  for (const RememberedImpulse& r : of_pair)
    if (r.impulse.squaredNorm() > kBears * kBears * largest)
      loaded.add(flipped ? r.key.parts << 32 | r.key.parts >> 32 : r.key.parts, r.key.feature, r.position);
  loaded.sort();
  return loaded;
}

/// Share of a place on a surface that its nodes have which are not given, by their weights.
double share_that_is_not(const World& world, const Collider& c, std::uint64_t part, const Vec3& place, auto&& is_given) {
  const NodalBody& nodes = world.nodal_bodies()[world.bodies()[c.body].place];
  double share = 0;
  for (const auto& [mover, weight] : stencil(world, c, static_cast<std::uint32_t>(part), place))
    if (!is_given(nodes, mover - static_cast<std::uint32_t>(world.bodies().size()) - nodes.first_node))
      share += std::abs(weight);
  return share;
}

}   // namespace

bool is_passive(const Body& b) {
  if (b.motion == MotionType::dynamic) return b.asleep;
  return b.motion == MotionType::fixed || (b.velocity.isZero(0) && b.angular_velocity.isZero(0));
}

/// Everything that a collider comes near while its body moves on a straight line, however it turns.
Aabb Detection::way_of(const World& world, std::uint32_t collider, const Vec3& velocity, double time) const {
  const Collider& c = world.colliders()[collider];
  const Vec3 from = motion_of(world, c).pose.position, to = from + time * velocity;
  return Aabb{from.cwiseMin(to), from.cwiseMax(to)}.grown(2 * c.reach + flights_[collider].slack);
}

void Detection::update_proxies(const World& world, const DetectionReach& reach, const ImpactWatch* watch) {
  flights_.clear();
  const auto colliders = world.colliders();
  const auto bodies = world.bodies();
  if (structure_version_ != world.structure_version()) {
    check_colliders(world);
    for (std::uint32_t i = 0; i < known_.size(); ++i)
      if (known_[i] && (i >= colliders.size() || !colliders[i].alive)) {
        broad_.remove(i);
        known_[i] = false;
      }
    known_.resize(colliders.size());
    poses_.resize(colliders.size());
    margins_.resize(colliders.size());
    straight_.resize(colliders.size());
    surfaces_.clear();
    surfaces_.resize(colliders.size());
    memories_.keep({});   // meshes may be others, at the same places
    structure_version_ = world.structure_version();
  }
  for (std::uint32_t i = 0; i < colliders.size(); ++i) {
    const Collider& c = colliders[i];
    if (!c.alive) continue;
    const Body& b = bodies[c.body];
    const Motion motion = motion_of(world, c);
    poses_[i] = motion.pose * c.local;
    if (c.deforms) update_surface(world, i);
    const double thin = 0.5 * reach.margin * c.characteristic_length;
    double margin = thin, pushed = 0, turning = 0;
    if (!is_passive(b) && b.continuous != Continuous::off) {
      margin += reach.time * motion.velocity.norm();
      if (!motion.angular_velocity.isZero(0) && std::isfinite(c.reach))
        turning = reach.time * motion.angular_velocity.norm() * c.reach;
      margin += turning;
      if (c.deforms) margin += reach.time * surfaces_[i]->spread;
      if (b.motion == MotionType::dynamic) pushed = reach.time * reach.h * (world.gravity + b.inverse_mass * b.force).norm();
      margin += pushed;
    }
    margins_[i] = margin;
    straight_[i] = margin - turning;
    if (const auto velocity = watch && margin > c.reach ? watch->flight(world, c) : std::nullopt) {
      flights_.resize(colliders.size());
      flights_[i] = {*velocity, thin + pushed};
      broad_.set(i, way_of(world, i, *velocity, reach.time), false);
    } else {
      broad_.set(i, box_of(world, i).grown(margin), is_passive(b));
    }
    known_[i] = true;
  }
}

Aabb Detection::box_of(const World& world, std::uint32_t collider) const {
  const Collider& c = world.colliders()[collider];
  return c.deforms ? surfaces_[collider]->now.tree().bounds() : bounding_box(c.shape, poses_[collider]);
}

/// Brings the surface of a soft body to where its nodes are.
void Detection::update_surface(const World& world, std::uint32_t collider) {
  const Body& body = world.bodies()[world.colliders()[collider].body];
  const NodalBody& nodes = world.nodal_bodies()[body.place];
  std::unique_ptr<Surface>& surface = surfaces_[collider];
  if (!surface) surface = std::make_unique<Surface>(Surface{MeshSurface(TriangleMesh{nodes.positions, nodes.triangles})});
  else surface->now.move(nodes.positions);
  surface->spread = 0;
  for (const Vec3& v : nodes.velocities) surface->spread = std::max(surface->spread, (v - body.velocity).norm());
}

/// Contacts of one pair.
void Detection::meet(const World& world, const ProxyPair& pair, double margin, ContactSink& sink) const {
  const Collider &a = world.colliders()[pair.a], &b = world.colliders()[pair.b];
  if (!a.deforms && !b.deforms) return collide(a.shape, poses_[pair.a], b.shape, poses_[pair.b], margin, sink);
  sink.clear();
  const LoadedContacts& loaded = loaded_contacts(world.memory, pair, !a.deforms);
  if (pair.a == pair.b) return collide_self(surfaces_[pair.a]->now, margin, kSelfDepth * a.characteristic_length, sink, loaded);
  if (a.deforms && b.deforms) return collide_surfaces(surfaces_[pair.a]->now, surfaces_[pair.b]->now, margin, sink, loaded);
  if (a.deforms) return collide_surface(surfaces_[pair.a]->now, b.shape, poses_[pair.b], margin, sink, loaded);
  collide_surface(surfaces_[pair.b]->now, a.shape, poses_[pair.a], margin, sink, loaded);
  sink.flip();
}

/// Puts the points of a pair into a set. Places of held nodes that meet what forces do not move have nothing to say, nor have
/// those of attached ones that meet the body that they are attached to, nor what is next to such a node: to part there it would
/// have to move many times as fast as the place does, against rows that hold the node already.
void Detection::append_contacts(const World& world, const ProxyPair& pair, const ContactSink& sink, ContactSet& out) const {
  const Collider &a = world.colliders()[pair.a], &b = world.colliders()[pair.b];
  const auto moves = [&](const Collider& c, std::uint64_t part, const Vec3& place) {
    if (!world.bodies()[c.body].moves_by_forces()) return false;
    if (!c.deforms) return true;
    return share_that_is_not(world, c, part, place,
                             [](const NodalBody& nodes, std::uint32_t node) { return !nodes.is_free(node); }) > kBesideHeld;
  };
  const auto sticks = [&](const Collider& c, std::uint64_t part, const Vec3& place, std::uint32_t to) {
    if (!c.deforms || world.nodal_bodies()[world.bodies()[c.body].place].attached.empty()) return false;
    return share_that_is_not(world, c, part, place, [&](const NodalBody& nodes, std::uint32_t node) {
             return nodes.is_attached(node, to);
           }) <= kBesideHeld;
  };
  const auto append = [&](std::uint64_t parts, std::span<const ContactPoint> points) {
    if (points.empty()) return;
    const Vec3& place = points.front().position;
    if ((a.deforms || b.deforms) && !moves(a, parts >> 32, place) && !moves(b, parts, place)) return;
    if (sticks(a, parts >> 32, place, b.body) || sticks(b, parts, place, a.body)) return;
    out.manifolds.push_back(
        {{pair.a, pair.b, parts}, static_cast<std::uint32_t>(out.points.size()), static_cast<std::uint32_t>(points.size())});
    out.points.insert(out.points.end(), points.begin(), points.end());
  };
  if (sink.parts().empty()) append(0, sink.points());
  for (const ContactSink::Part& part : sink.parts()) append(part.parts, sink.points_of(part.parts));
}

/// How far ahead to look for contacts of a pair. Meshes that fly side by side would cost much if their speeds were added up,
/// so what counts of them is how fast they can approach each other; `outrun` compares with the same.
double Detection::margin_of(const World& world, const ProxyPair& pair) const {
  const Collider &a = world.colliders()[pair.a], &b = world.colliders()[pair.b];
  const double both = margins_[pair.a] + margins_[pair.b];
  if (!std::holds_alternative<Mesh>(a.shape) && !std::holds_alternative<Mesh>(b.shape)) return both;
  const auto spread_of = [&](std::uint32_t i) { return surfaces_[i] ? surfaces_[i]->spread : 0.0; };
  const auto twist_of = [&](const Collider& c) {
    const Body& body = world.bodies()[c.body];
    if (is_passive(body) || body.continuous == Continuous::off) return Twist{};
    const Motion motion = motion_of(world, c);
    return Twist{motion.velocity, motion.angular_velocity};
  };
  const auto pull_on = [&](const Collider& c) -> Vec3 {
    const Body& body = world.bodies()[c.body];
    if (is_passive(body) || body.motion != MotionType::dynamic) return Vec3::Zero();
    return world.gravity + body.inverse_mass * body.force;
  };
  const double still = 0.5 * reach_.margin * (a.characteristic_length + b.characteristic_length);
  const double approach = stickslip::closing_speed(a, twist_of(a), b, twist_of(b)) + spread_of(pair.a) + spread_of(pair.b) +
                          reach_.h * (pull_on(b) - pull_on(a)).norm();
  return std::min(both, still + reach_.time * approach);
}

void Detection::collide_pairs(const World& world, std::span<const ProxyPair> pairs, ContactSink& sink, VolumeContacts& volumes,
                              ContactSet& out) {
  out.clear();
  sink.points().reserve(64);   // more than any pair gives before reduction, except hulls with huge faces
  Expectation expectation(world.memory);
  for (const ProxyPair& pair : pairs) {
    end_if_cancelled(reach_.cancel);
    if (const double target = target_overlap(world, pair.a, pair.b, reach_.contact, reach_.overlap);
        target > 0 && volumes.find(world, pair, poses_[pair.a], poses_[pair.b], target, out))
      continue;
    sink.clear();
    expectation.tell(pair, sink);
    double margin = margin_of(world, pair);
    if (watch_) margin = std::min(margin, watch_->margin_of(pair));
    sink.remember_in(memories_.of(pair));
    meet(world, pair, margin, sink);
    append_contacts(world, pair, sink, out);
  }
}

void Detection::collide_in_parallel(const World& world, int threads) {
  const std::size_t chunk_count = (candidates_.size() + kChunkSize - 1) / kChunkSize;
  if (chunks_.size() < chunk_count) chunks_.resize(chunk_count);
  tbb::task_arena arena(threads);
  arena.execute([&] {
    tbb::parallel_for(std::size_t{0}, chunk_count, [&](std::size_t i) {
      const std::span<const ProxyPair> all(candidates_);
      collide_pairs(world, all.subspan(i * kChunkSize, std::min(kChunkSize, all.size() - i * kChunkSize)), chunks_[i].sink,
                    chunks_[i].volumes, chunks_[i].set);
    });
  });
  set_.clear();
  for (std::size_t i = 0; i < chunk_count; ++i) {
    const auto offset = static_cast<std::uint32_t>(set_.points.size());
    for (Manifold m : chunks_[i].set.manifolds) {
      m.first += offset;
      set_.manifolds.push_back(m);
    }
    set_.points.insert(set_.points.end(), chunks_[i].set.points.begin(), chunks_[i].set.points.end());
    set_.patches.insert(set_.patches.end(), chunks_[i].set.patches.begin(), chunks_[i].set.patches.end());
  }
}

bool Detection::is_candidate(const World& world, const ProxyPair& pair) const {
  const std::uint32_t body_a = world.colliders()[pair.a].body, body_b = world.colliders()[pair.b].body;
  if (body_a == body_b) return !world.bodies()[body_a].is_rigid();   // nodes meet others of their body
  const bool any_dynamic =
      world.bodies()[body_a].motion == MotionType::dynamic || world.bodies()[body_b].motion == MotionType::dynamic;
  return any_dynamic && world.may_touch(body_a, body_b);
}

/// Whether two colliders cannot touch whatever they turn by, because the balls around them about their centres of mass do not.
/// What spins by radians in a step has corners that fly on circles: taken as straight, their paths would strike what is beside
/// them. @param way by which the centres can come together [m]
bool Detection::stay_apart(const World& world, const ProxyPair& pair, double way) const {
  const Collider &a = world.colliders()[pair.a], &b = world.colliders()[pair.b];
  if (a.deforms || b.deforms || !std::isfinite(a.reach) || !std::isfinite(b.reach)) return false;
  const double between = (motion_of(world, b).pose.position - motion_of(world, a).pose.position).norm();
  return between - a.reach - b.reach > way;
}

/// The same in a motion. @param motion of every mover
bool Detection::stay_apart(const World& world, const ProxyPair& pair, std::span<const Twist> motion,
                           const DetectionReach& reach) const {
  const Collider &a = world.colliders()[pair.a], &b = world.colliders()[pair.b];
  const double still = 0.5 * reach.margin * (a.characteristic_length + b.characteristic_length);
  return stay_apart(world, pair,
                    still + reach.time * (motion[world.mover_of(b)].linear - motion[world.mover_of(a)].linear).norm());
}

void Detection::find_candidates(const World& world, ImpactWatch* watch) {
  candidates_.clear();
  apart_.clear();
  for (const ProxyPair& pair : broad_.pairs(pair_limit(world))) {
    if (!is_candidate(world, pair)) continue;
    if (stay_apart(world, pair, straight_[pair.a] + straight_[pair.b])) apart_.push_back(pair);
    else if (!(watch && watch->takes(world, pair, margins_[pair.a] + margins_[pair.b]))) candidates_.push_back(pair);
  }
  const std::size_t of_two = candidates_.size();
  for (std::uint32_t i = 0; i < surfaces_.size(); ++i) {
    if (!surfaces_[i]) continue;
    const Body& body = world.bodies()[world.colliders()[i].body];
    if (!is_passive(body) && world.nodal_bodies()[body.place].self_contact) candidates_.push_back({i, i});
  }
  if (candidates_.size() > of_two) std::ranges::sort(candidates_);
  if (!watch || !watch->watches()) return;
  watch->sweep(world);
  if (watch->honest().empty()) return;
  candidates_.insert(candidates_.end(), watch->honest().begin(), watch->honest().end());
  std::ranges::sort(candidates_);
}

const ContactSet& Detection::detect(const World& world, const DetectionReach& reach, int threads, StageTimes& seconds,
                                    ImpactWatch* watch) {
  Clock clock;
  reach_ = reach;
  update_proxies(world, reach, watch);
  find_candidates(world, watch);
  watch_ = watch && watch->nears() ? watch : nullptr;
  seconds.broad += clock.lap();

  of_meshes_.clear();
  const auto is_mesh = [&](std::uint32_t i) {
    return std::holds_alternative<Mesh>(world.colliders()[i].shape) && !world.colliders()[i].deforms;
  };
  for (const ProxyPair& pair : candidates_)
    if (is_mesh(pair.a) && is_mesh(pair.b)) of_meshes_.push_back(pair);
  memories_.keep(of_meshes_);
  if (threads == 1) collide_pairs(world, candidates_, sink_, volumes_, set_);
  else collide_in_parallel(world, threads);
  seconds.narrow += clock.lap();
  return set_;
}

std::span<const SelfCrossing> Detection::self_crossings() {
  crossings_.clear();
  for (const ProxyPair& pair : candidates_) {
    if (pair.a != pair.b) continue;
    if (const double depth = self_crossing_depth(surfaces_[pair.a]->now); depth > 0) crossings_.push_back({pair.a, depth});
  }
  return crossings_;
}

namespace {

/// Whether the two share a volume that stands for their contact.
bool has_patch(const ContactSet& set, const ProxyPair& pair) {
  const auto key = [](const ContactPatch& p) { return std::pair(p.a, p.b); };
  return std::ranges::binary_search(set.patches, std::pair(pair.a, pair.b), {}, key);
}

/// Bound of the speed of a collider's points about its body's centre of mass [m/s].
double turning_speed(const Collider& c, const Twist& motion) {
  return motion.angular.isZero(0) || !std::isfinite(c.reach) ? 0 : motion.angular.norm() * c.reach;
}

/// Bound of the speed of a soft body's nodes against its mean [m/s].
double spread(const World& world, const Collider& c, std::span<const Twist> motion) {
  const NodalBody& nodes = world.nodal_bodies()[world.bodies()[c.body].place];
  const auto of_nodes = motion.subspan(world.bodies().size() + nodes.first_node, nodes.size());
  double fastest = 0;
  for (const Twist& u : of_nodes) fastest = std::max(fastest, (u.linear - motion[c.body].linear).norm());
  return fastest;
}

}   // namespace

double closing_speed(const Collider& a, const Twist& of_a, const Collider& b, const Twist& of_b) {
  return (of_b.linear - of_a.linear).norm() + turning_speed(a, of_a) + turning_speed(b, of_b);
}

/// The same of a pair in a motion, whether or not they deform.
double Detection::closing_speed(const World& world, const ProxyPair& pair, std::span<const Twist> motion) const {
  const Collider &a = world.colliders()[pair.a], &b = world.colliders()[pair.b];
  double speed = stickslip::closing_speed(a, motion[world.mover_of(a)], b, motion[world.mover_of(b)]);
  for (const Collider* c : {&a, &b})
    if (c->deforms) speed += spread(world, *c, motion);
  return speed;
}

bool Detection::outrun(const World& world, std::span<const Twist> motion, const DetectionReach& reach) {
  const auto colliders = world.colliders();
  outrun_.assign(colliders.size(), false);
  bool any = false;
  for (std::uint32_t i = 0; i < colliders.size(); ++i) {
    if (!colliders[i].alive) continue;
    const Twist& m = motion[world.mover_of(colliders[i])];
    const double deforming = surfaces_[i] ? spread(world, colliders[i], motion) : 0;
    if (flies(i)) outrun_[i] = reach.time * (m.linear - flights_[i].velocity).norm() > flights_[i].slack;
    else
      outrun_[i] = reach.time * (m.linear.norm() + turning_speed(colliders[i], m) + deforming) > margins_[i] &&
                   world.bodies()[colliders[i].body].continuous != Continuous::off;
    any = any || outrun_[i];
  }
  const auto is_mesh = [&](std::uint32_t i) { return std::holds_alternative<Mesh>(colliders[i].shape); };
  for (const ProxyPair& pair : candidates_) {
    if (!is_mesh(pair.a) && !is_mesh(pair.b)) continue;
    if (reach.time * closing_speed(world, pair, motion) <= margin_of(world, pair)) continue;
    outrun_[pair.a] = outrun_[pair.b] = any = true;
  }
  for (const ProxyPair& pair : apart_)
    if (!stay_apart(world, pair, motion, reach)) outrun_[pair.a] = outrun_[pair.b] = any = true;
  return any;
}

const ContactSet& Detection::detect_again(const World& world, std::span<const Twist> motion, const DetectionReach& reach,
                                          StageTimes& seconds, ImpactWatch& watch) {
  Clock clock;
  const auto colliders = world.colliders();
  const auto bodies = world.bodies();
  for (std::uint32_t i = 0; i < colliders.size(); ++i) {
    if (!outrun_[i]) continue;
    const Twist& m = motion[world.mover_of(colliders[i])];
    const double deforming = surfaces_[i] ? spread(world, colliders[i], motion) : 0;
    const double travel = reach.time * (m.linear.norm() + turning_speed(colliders[i], m) + deforming);
    const Aabb box = flies(i) ? way_of(world, i, m.linear, reach.time) : box_of(world, i).grown(travel);
    broad_.set(i, box, is_passive(bodies[colliders[i].body]));
  }
  std::span<const ProxyPair> pairs = broad_.pairs(pair_limit(world));
  if (const auto of_one = [](const ProxyPair& p) { return p.a == p.b; }; std::ranges::any_of(candidates_, of_one)) {
    pairs_again_.assign(pairs.begin(), pairs.end());
    std::ranges::copy_if(candidates_, std::back_inserter(pairs_again_), of_one);
    std::ranges::sort(pairs_again_);
    pairs = pairs_again_;
  }
  seconds.broad += clock.lap();

  again_.clear();
  Expectation expectation(world.memory);
  for (const ProxyPair& pair : pairs) {
    if (!(outrun_[pair.a] || outrun_[pair.b]) || !is_candidate(world, pair)) continue;
    const Collider &a = colliders[pair.a], &b = colliders[pair.b];
    const Twist &of_a = motion[world.mover_of(a)], &of_b = motion[world.mover_of(b)];
    const double travel = reach.time * closing_speed(world, pair, motion);
    if (stay_apart(world, pair, motion, reach)) continue;
    const bool looked_at =
        !flies(pair.a) && !flies(pair.b) && travel <= margin_of(world, pair) && !std::ranges::binary_search(apart_, pair);
    if (looked_at || has_patch(set_, pair) || watch.takes(world, pair, of_a, of_b)) continue;
    expectation.tell(pair, sink_);
    sink_.remember_in(memories_.of(pair));
    meet(world, pair, travel, sink_);
    append_contacts(world, pair, sink_, again_);
  }
  seconds.narrow += clock.lap();
  return again_;
}

}   // namespace stickslip
