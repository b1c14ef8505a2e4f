#include "step/detection.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "step/clock.h"
#include "step/impact_watch.h"
#include "stickslip/collide/collide.h"
#include "stickslip/math/error.h"
#include "stickslip/step/stepper.h"

namespace stickslip {

namespace {

constexpr std::size_t kChunkSize = 256;

/// Far above any real heap (a dense one has about ten per body), and still small enough for memory.
std::size_t pair_limit(const World& world) { return std::min<std::size_t>(1'000'000 + 100 * world.body_count(), 32'000'000); }

void append_manifolds(const ProxyPair& pair, const ContactSink& sink, ContactSet& out) {
  const auto append = [&](std::uint64_t parts, std::span<const ContactPoint> points) {
    if (points.empty()) return;
    out.manifolds.push_back(
        {{pair.a, pair.b, parts}, static_cast<std::uint32_t>(out.points.size()), static_cast<std::uint32_t>(points.size())});
    out.points.insert(out.points.end(), points.begin(), points.end());
  };
  if (sink.parts().empty()) append(0, sink.points());
  for (const ContactSink::Part& part : sink.parts()) append(part.parts, sink.points_of(part.parts));
}

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
    memories_.keep({});   // meshes may be others, at the same places
    structure_version_ = world.structure_version();
  }
  for (std::uint32_t i = 0; i < colliders.size(); ++i) {
    const Collider& c = colliders[i];
    if (!c.alive) continue;
    const Body& b = bodies[c.body];
    const Motion motion = motion_of(world, c);
    poses_[i] = motion.pose * c.local;
    const double thin = 0.5 * reach.margin * c.characteristic_length;
    double margin = thin, pushed = 0;
    if (!is_passive(b) && b.continuous != Continuous::off) {
      margin += reach.time * motion.velocity.norm();
      if (!motion.angular_velocity.isZero(0) && std::isfinite(c.reach))
        margin += reach.time * motion.angular_velocity.norm() * c.reach;
      if (b.motion == MotionType::dynamic) pushed = reach.time * reach.h * (world.gravity + b.inverse_mass * b.force).norm();
      margin += pushed;
    }
    margins_[i] = margin;
    if (const auto velocity = watch && margin > c.reach ? watch->flight(world, c) : std::nullopt) {
      flights_.resize(colliders.size());
      flights_[i] = {*velocity, thin + pushed};
      broad_.set(i, way_of(world, i, *velocity, reach.time), false);
    } else {
      broad_.set(i, bounding_box(c.shape, poses_[i]).grown(margin), is_passive(b));
    }
    known_[i] = true;
  }
}

/// How far ahead to look for contacts of a pair. Meshes that fly side by side would cost much if their speeds were added up,
/// so what counts of them is how fast they can approach each other; `outrun` compares with the same.
double Detection::margin_of(const World& world, const ProxyPair& pair) const {
  const Collider &a = world.colliders()[pair.a], &b = world.colliders()[pair.b];
  const double both = margins_[pair.a] + margins_[pair.b];
  if (!std::holds_alternative<Mesh>(a.shape) && !std::holds_alternative<Mesh>(b.shape)) return both;
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
  const double approach = closing_speed(a, twist_of(a), b, twist_of(b)) + reach_.h * (pull_on(b) - pull_on(a)).norm();
  return std::min(both, still + reach_.time * approach);
}

void Detection::collide_pairs(const World& world, std::span<const ProxyPair> pairs, ContactSink& sink, VolumeContacts& volumes,
                              ContactSet& out) {
  out.clear();
  sink.points().reserve(64);   // more than any pair gives before reduction, except hulls with huge faces
  const auto colliders = world.colliders();
  Expectation expectation(world.memory);
  for (const ProxyPair& pair : pairs) {
    if (const double target = target_overlap(world, pair.a, pair.b, reach_.contact, reach_.overlap);
        target > 0 && volumes.find(world, pair, poses_[pair.a], poses_[pair.b], target, out))
      continue;
    sink.clear();
    expectation.tell(pair, sink);
    double margin = margin_of(world, pair);
    if (watch_) margin = std::min(margin, watch_->margin_of(pair));
    sink.remember_in(memories_.of(pair));
    collide(colliders[pair.a].shape, poses_[pair.a], colliders[pair.b].shape, poses_[pair.b], margin, sink);
    append_manifolds(pair, sink, out);
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

void Detection::find_candidates(const World& world, ImpactWatch* watch) {
  candidates_.clear();
  for (const ProxyPair& pair : broad_.pairs(pair_limit(world)))
    if (is_candidate(world, pair) && !(watch && watch->takes(world, pair, margins_[pair.a] + margins_[pair.b])))
      candidates_.push_back(pair);
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
  const auto is_mesh = [&](std::uint32_t i) { return std::holds_alternative<Mesh>(world.colliders()[i].shape); };
  for (const ProxyPair& pair : candidates_)
    if (is_mesh(pair.a) && is_mesh(pair.b)) of_meshes_.push_back(pair);
  memories_.keep(of_meshes_);
  if (threads == 1) collide_pairs(world, candidates_, sink_, volumes_, set_);
  else collide_in_parallel(world, threads);
  seconds.narrow += clock.lap();
  return set_;
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

}   // namespace

double closing_speed(const Collider& a, const Twist& of_a, const Collider& b, const Twist& of_b) {
  return (of_b.linear - of_a.linear).norm() + turning_speed(a, of_a) + turning_speed(b, of_b);
}

bool Detection::outrun(const World& world, std::span<const Twist> motion, const DetectionReach& reach) {
  const auto colliders = world.colliders();
  outrun_.assign(colliders.size(), false);
  bool any = false;
  for (std::uint32_t i = 0; i < colliders.size(); ++i) {
    if (!colliders[i].alive) continue;
    const Twist& m = motion[world.mover_of(colliders[i])];
    if (flies(i)) outrun_[i] = reach.time * (m.linear - flights_[i].velocity).norm() > flights_[i].slack;
    else
      outrun_[i] = reach.time * (m.linear.norm() + turning_speed(colliders[i], m)) > margins_[i] &&
                   world.bodies()[colliders[i].body].continuous != Continuous::off;
    any = any || outrun_[i];
  }
  const auto is_mesh = [&](std::uint32_t i) { return std::holds_alternative<Mesh>(colliders[i].shape); };
  for (const ProxyPair& pair : candidates_) {
    if (!is_mesh(pair.a) && !is_mesh(pair.b)) continue;
    const Collider &a = colliders[pair.a], &b = colliders[pair.b];
    const double travel = reach.time * closing_speed(a, motion[world.mover_of(a)], b, motion[world.mover_of(b)]);
    if (travel <= margin_of(world, pair)) continue;
    outrun_[pair.a] = outrun_[pair.b] = any = true;
  }
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
    const double travel = reach.time * (m.linear.norm() + turning_speed(colliders[i], m));
    const Aabb box =
        flies(i) ? way_of(world, i, m.linear, reach.time) : bounding_box(colliders[i].shape, poses_[i]).grown(travel);
    broad_.set(i, box, is_passive(bodies[colliders[i].body]));
  }
  const std::span<const ProxyPair> pairs = broad_.pairs(pair_limit(world));
  seconds.broad += clock.lap();

  again_.clear();
  Expectation expectation(world.memory);
  for (const ProxyPair& pair : pairs) {
    if (!(outrun_[pair.a] || outrun_[pair.b]) || !is_candidate(world, pair)) continue;
    const Collider &a = colliders[pair.a], &b = colliders[pair.b];
    const Twist &of_a = motion[world.mover_of(a)], &of_b = motion[world.mover_of(b)];
    const double travel = reach.time * closing_speed(a, of_a, b, of_b);
    const bool looked_at = !flies(pair.a) && !flies(pair.b) && travel <= margin_of(world, pair);
    if (looked_at || has_patch(set_, pair) || watch.takes(world, pair, of_a, of_b)) continue;
    expectation.tell(pair, sink_);
    sink_.remember_in(memories_.of(pair));
    collide(a.shape, poses_[pair.a], b.shape, poses_[pair.b], travel, sink_);
    append_manifolds(pair, sink_, again_);
  }
  seconds.narrow += clock.lap();
  return again_;
}

}   // namespace stickslip
