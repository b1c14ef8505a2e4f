#include "step/contact_bends.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "step/body_kinds.h"
#include "step/sizes.h"
#include "step/volumes.h"
#include "stickslip/collide/collide.h"

namespace stickslip {

namespace {

/// Part of the thinner body's thickness by which contacts may end inside, or off what carries them, before the step is solved
/// again; unless bodies touch by volume four times as much each time that it was, so that large heaps do not repeat steps for
/// one of their boxes.
constexpr double kTolerated = 0.005;

/// The same of bodies that touch by volume or turn far, from which on steps are taken in pieces: what is told of a motion
/// as too deep (docs/motion.md).
constexpr double kTooDeep = 0.01;

/// The same of meshes that touch in points: where parts that are not convex meet, five looks need not suffice, and what is
/// thin would be passed through.
constexpr double kMeshTooDeep = 0.1;

/// Part of the thinner body's thickness from which on meshes are followed on their way, and not looked at where it ends only:
/// what is thin may lie behind them then.
constexpr double kMayPass = 1;

/// Turn in a piece of a step from which on rows of points tell little too, and what comes deep has it taken in shorter ones;
/// and from one look at such a pair on its way to the next [rad].
constexpr double kTurnsFar = 0.25, kTurnsBetweenLooks = 0.1;
constexpr int kMostLooksOnTheWay = 64;

/// Part of what is tolerated by which velocities that bends are found with may be wrong.
constexpr double kRough = 0.1;

/// Part of the spin of a body that another one may have for the plane where they are nearest to stay a plane between them.
constexpr double kSteadier = 0.1;

/// Features of the middles of bodies A and B, which no pair of shapes has.
constexpr std::uint64_t kMiddleOfA = ~std::uint64_t{0x1f}, kMiddleOfB = kMiddleOfA + 1;

bool is_of_meshes(const Collider& a, const Collider& b) {
  return std::holds_alternative<Mesh>(a.shape) || std::holds_alternative<Mesh>(b.shape);
}

/// Whether a collider looks the same however its body turns.
bool turns_in_its_place(const Collider& c) { return std::holds_alternative<Sphere>(c.shape) && c.local.position.isZero(0); }

bool has_feature(std::span<const ContactPoint> points, std::uint64_t feature) {
  return std::any_of(points.begin(), points.end(), [&](const ContactPoint& p) { return p.feature == feature; });
}

/// Whether a point of the end is deep at the start already: it comes from beside what it ends in, or from the other side of
/// something thin, and no plane keeps it off that. @param lowest gap of what the pair has [m]
bool was_so_before(const ContactPoint& start, double lowest, double tolerated) { return start.gap < lowest - tolerated; }

}   // namespace

void ContactBends::begin_step() {
  bends_.clear();
  added_.clear();
  rounds_ = 0;
  next_corner_ = 0;
  judges_depth_ = false;
}

double ContactBends::speed_that_matters(const World& world, const ContactSet& set, double time) {
  const auto twist_of = [&](const Collider& c) {
    const Motion motion = motion_of(world, c);
    return Twist{motion.velocity, motion.angular_velocity};
  };
  bool moves = false;
  double least = std::numeric_limits<double>::infinity();
  for (const Manifold& m : set.manifolds) {
    const Collider &a = world.colliders()[m.a], &b = world.colliders()[m.b];
    const double tolerated = kTolerated * thinner(a, b);
    least = std::min(least, tolerated);
    moves = moves || time * closing_speed(a, twist_of(a), b, twist_of(b)) > tolerated;
  }
  return moves ? kRough * least / time : 0;
}

const Motion& ContactBends::end_of(const Solved& solved, std::uint32_t mover) {
  if (!known_[mover]) {
    ends_[mover] = drifted(solved.world, mover, solved.motion[mover], solved.gyroscopic, solved.time);
    known_[mover] = 1;
  }
  return ends_[mover];
}

bool ContactBends::find(const Solved& solved) {
  ends_.resize(solved.world.mover_count());
  known_.assign(solved.world.mover_count(), 0);
  collect_blows(solved);
  looked_at_ = measured_ = placed_ = followed_ = {~0u, ~0u};
  ends_deep_ = turns_deep_ = false;
  bool any = false;
  const std::vector<Manifold>& all = solved.set.manifolds;
  for (std::size_t first = 0, end = 0; first < all.size(); first = end) {
    while (end < all.size() && all[end].a == all[first].a && all[end].b == all[first].b) any = look(solved, all[end++]) || any;
    const auto of_pair = std::span(all).subspan(first, end - first);
    any = look_at_new_parts(solved, of_pair) || any;
    note_end_of_meshes(solved, of_pair);
  }
  for (const JoinedArea& joined : solved.joined) any = look_at_member(solved, joined) || any;
  if (any) ++rounds_;
  return any;
}

/// Only what moves strikes.
void ContactBends::collect_blows(const Solved& solved) {
  const auto bodies = solved.world.bodies();
  blows_.assign(bodies.size(), 0.0);
  for (const Manifold& m : solved.set.manifolds) {
    const std::uint32_t a = solved.world.colliders()[m.a].body, b = solved.world.colliders()[m.b].body;
    if (is_passive(bodies[a]) || is_passive(bodies[b])) continue;
    for (std::uint32_t i = m.first; i < m.first + m.count; ++i) {
      const BuiltContact& built = solved.builder.contacts()[i];
      if (!(solved.impulses[solved.builder.problem().blocks[built.block].row] > 0)) continue;
      blows_[a] = std::max(blows_[a], -built.before[0]);
      blows_[b] = std::max(blows_[b], -built.before[0]);
    }
  }
}

namespace {

/// Bound of the speed at which points of a body sink into a half-space by volume [m/s]: what slides along need not be measured
/// again. Infinite for other pairs.
double sinking_speed(const ContactBends::Solved& solved, const Manifold& m) {
  const Collider &ca = solved.world.colliders()[m.a], &cb = solved.world.colliders()[m.b];
  const bool is_a = std::holds_alternative<HalfSpace>(ca.shape);
  if (!(m.target > 0) || (!is_a && !std::holds_alternative<HalfSpace>(cb.shape)))
    return std::numeric_limits<double>::infinity();
  const Collider &ground = is_a ? ca : cb, &body = is_a ? cb : ca;
  const Twist &of_ground = solved.motion[solved.world.mover_of(ground)], &of_body = solved.motion[solved.world.mover_of(body)];
  const Vec3 up = motion_of(solved.world, ground).pose.orientation * (ground.local.orientation * Vec3::UnitZ());
  if (!of_ground.angular.isZero(0)) return std::numeric_limits<double>::infinity();
  return std::abs(up.dot(of_body.linear - of_ground.linear)) + of_body.angular.norm() * body.reach;
}

}   // namespace

/// Parts whose contacts are part of the area of others end where these do not tell.
bool ContactBends::look_at_member(const Solved& solved, const JoinedArea& joined) {
  const auto as_pair = [](const Manifold& m) -> const PartPair& { return m; };
  if (std::ranges::binary_search(solved.set.manifolds, joined.member, {}, as_pair)) return false;   // by points that were added
  const auto owner = std::ranges::lower_bound(solved.set.manifolds, joined.owner, {}, as_pair);
  if (owner == solved.set.manifolds.end() || as_pair(*owner) != joined.owner) return false;
  const bool by_volume = is_of_volume(solved.set, joined.owner);
  return look(solved, {joined.member, owner->first, by_volume ? 0 : owner->count, owner->target}, &joined.owner);
}

bool ContactBends::look(const Solved& solved, const Manifold& m, const PartPair* area) {
  const Collider &ca = solved.world.colliders()[m.a], &cb = solved.world.colliders()[m.b];
  if (ca.deforms || cb.deforms) return false;
  const std::uint32_t mover_a = solved.world.mover_of(ca), mover_b = solved.world.mover_of(cb);
  const Twist &of_a = solved.motion[mover_a], &of_b = solved.motion[mover_b];
  const bool by_volume = is_of_volume(solved.set, area ? *area : m);
  const double thickness = thinner(ca, cb), tolerated = kTolerated * std::ldexp(thickness, m.target > 0 ? 0 : 2 * rounds_);
  const double travel = solved.time * std::min(closing_speed(ca, of_a, cb, of_b), sinking_speed(solved, m));
  const auto points = std::span(solved.set.points).subspan(m.first, m.count);
  // However much is tolerated in a late round, what ends too deep is to be seen.
  if (!(travel > std::min(tolerated, kTooDeep * thickness))) return false;
  // How far paths can bend: towards the axis and by wandering of the spin, and along normals that turn.
  double bend = 0, turned = 0;
  for (const auto& [collider, motion] : {std::pair(&ca, &of_a), std::pair(&cb, &of_b)}) {
    const double turn = solved.time * motion->angular.norm();
    if (!turns_in_its_place(*collider)) turned += turn;
    if (turn > 0) bend += turn * (turn * collider->reach + solved.time * (of_b.linear - of_a.linear).norm());
  }
  const Motion a = motion_of(solved.world, mover_a), b = motion_of(solved.world, mover_b);
  const double blow = std::max(blows_[ca.body], blows_[cb.body]);
  choose_place(solved, m);
  const DriftingPair pair{m,         a,         b,    of_a,   of_b,          place_.a,   place_.b,
                          thickness, tolerated, blow, turned, place_.looked, solved.time};
  judges_depth_ = judges_depth_ || can_be_too_deep(pair);
  look_on_the_way(solved, pair);
  if (by_volume) return look_at_volume(solved, pair);
  look_at_end(ca, cb, pair, points.front().feature, std::min(bend, thickness));
  if (area) return look_at_new(solved, pair);
  bool any = look_at_known(solved, pair);
  any = look_at_new(solved, pair) || any;
  for (const bool second : {false, true}) any = look_at_middle(solved, pair, second) || any;
  return any;
}

/// Where a pair of colliders is looked at: where the drift ends, or where meshes are first deep in each other on their way.
void ContactBends::choose_place(const Solved& solved, const Manifold& pair) {
  const std::pair<std::uint32_t, std::uint32_t> colliders(pair.a, pair.b);
  if (colliders == placed_) return;
  placed_ = colliders;
  const std::uint32_t mover_a = solved.world.mover_of(solved.world.colliders()[pair.a]);
  const std::uint32_t mover_b = solved.world.mover_of(solved.world.colliders()[pair.b]);
  place_ = {end_of(solved, mover_a), end_of(solved, mover_b), solved.time};
  if (const double deep = deep_on_the_way(solved, pair); deep < solved.time) {
    ends_deep_ = true;
    place_ = {drifted(solved.world, mover_a, solved.motion[mover_a], solved.gyroscopic, deep),
              drifted(solved.world, mover_b, solved.motion[mover_b], solved.gyroscopic, deep), deep};
  }
}

/// When meshes that touch in points and move far against their thickness are first seen deep in each other; infinite if never
/// [s].
double ContactBends::deep_on_the_way(const Solved& solved, const Manifold& pair) {
  const Collider &a = solved.world.colliders()[pair.a], &b = solved.world.colliders()[pair.b];
  const Body &body_a = solved.world.bodies()[a.body], &body_b = solved.world.bodies()[b.body];
  const MovingPair moving{a,
                          b,
                          body_a,
                          body_b,
                          solved.motion[solved.world.mover_of(a)],
                          solved.motion[solved.world.mover_of(b)],
                          solved.gyroscopic};
  if (pair.target > 0 || !is_of_meshes(a, b) || !body_a.is_rigid() || !body_b.is_rigid() ||
      !(solved.time * moving.speed() > kMayPass * thinner(a, b)))
    return std::numeric_limits<double>::infinity();
  return follow_.follow(moving, solved.time, kMeshTooDeep, PairFollow::Sliding::short_steps).deep;
}

/// What turns far can strike and be past it again where the drift ends.
void ContactBends::look_on_the_way(const Solved& solved, const DriftingPair& pair) {
  const std::pair<std::uint32_t, std::uint32_t> colliders(pair.manifold.a, pair.manifold.b);
  if (!(pair.turned > kTurnsFar) || turns_deep_ || colliders == followed_) return;
  followed_ = colliders;
  const Collider &ca = solved.world.colliders()[colliders.first], &cb = solved.world.colliders()[colliders.second];
  if (is_of_meshes(ca, cb)) return;
  const std::uint32_t mover_a = solved.world.mover_of(ca), mover_b = solved.world.mover_of(cb);
  double kept = -pair.manifold.target;
  for (const ContactPoint& p : solved.set.points_of(pair.manifold)) kept = std::min(kept, p.gap);
  const double looks = std::min<double>(std::ceil(pair.turned / kTurnsBetweenLooks), kMostLooksOnTheWay);
  for (double k = 1; k < looks && !turns_deep_; ++k) {
    const auto pose_of = [&](const Collider& c, std::uint32_t mover) {
      const double time = k / looks * solved.time;
      return drifted(solved.world, mover, solved.motion[mover], solved.gyroscopic, time).pose * c.local;
    };
    on_the_way_.clear();
    on_the_way_.expect_nothing();
    collide(ca.shape, pose_of(ca, mover_a), cb.shape, pose_of(cb, mover_b), 0, on_the_way_);
    for (const ContactPoint& p : on_the_way_.points()) note_end(pair, kept, p.gap);
  }
}

/// Contacts where the drift ends; the manifolds of one pair of colliders, which come one after the other, share them.
void ContactBends::look_at_end(const Collider& ca, const Collider& cb, const DriftingPair& pair, std::uint64_t expected,
                               double reach) {
  const std::pair<std::uint32_t, std::uint32_t> colliders(pair.manifold.a, pair.manifold.b);
  if (colliders == looked_at_) return;
  looked_at_ = colliders;
  sink_.clear();
  sink_.expect(expected);
  collide(ca.shape, pair.end_a.pose * ca.local, cb.shape, pair.end_b.pose * cb.local, reach, sink_);
}

/// The centre of mass of a convex body, which lies inside it, against the other one where they are nearest: while corners fly
/// where no row can tell, it moves on a straight path. Between meshes that are not convex the plane where they are nearest does
/// not part them.
bool ContactBends::look_at_middle(const Solved& solved, const DriftingPair& pair, bool of_b) {
  const Motion &mine = of_b ? pair.b : pair.a, &other = of_b ? pair.a : pair.b;
  const Motion &my_end = of_b ? pair.end_b : pair.end_a, &other_end = of_b ? pair.end_a : pair.end_b;
  const Twist &my_motion = of_b ? pair.of_b : pair.of_a, &other_motion = of_b ? pair.of_a : pair.of_b;
  const Collider& collider = solved.world.colliders()[of_b ? pair.manifold.b : pair.manifold.a];
  const Collider& other_collider = solved.world.colliders()[of_b ? pair.manifold.a : pair.manifold.b];
  if (std::holds_alternative<Mesh>(collider.shape) || std::holds_alternative<Mesh>(other_collider.shape)) return false;
  if (solved.world.bodies()[collider.body].colliders.size() > 1 ||
      !(other_motion.angular.norm() < kSteadier * my_motion.angular.norm()))
    return false;
  const auto points = std::span(solved.set.points).subspan(pair.manifold.first, pair.manifold.count);
  const auto nearer = [](const ContactPoint& p, const ContactPoint& q) { return p.gap < q.gap; };
  const ContactPoint& nearest = *std::min_element(points.begin(), points.end(), nearer);
  const Vec3 out = of_b ? nearest.normal : Vec3(-nearest.normal);   // from the other to mine
  const Vec3 on_other = nearest.position - 0.5 * nearest.gap * out;
  const double gap = out.dot(mine.pose.position - on_other);
  const Vec3 out_at_end = other_end.pose.orientation * (other.pose.orientation.conjugate() * out);
  const double end = out_at_end.dot(my_end.pose.position - DriftingPair::forth(other, other_end, on_other));
  if (!(end < std::min(0.0, gap) - pair.tolerated)) return false;
  const ContactPoint start{mine.pose.position - 0.5 * gap * out, nearest.normal, gap, of_b ? kMiddleOfB : kMiddleOfA};
  if (has_feature(points, start.feature)) return false;
  add(pair.manifold, start);
  return true;
}

/// Bends the path of a contact of the problem so that it ends where it was found to. @returns whether that is news: what the
/// row let sink (a spring, a solve that ended early), or may not ask for, is no bend
bool ContactBends::bend_to(const Solved& solved, const DriftingPair& pair, std::uint32_t point, double end) {
  const BuiltContact& built = solved.builder.contacts()[point];
  const ContactPoint& p = solved.set.points[point];
  const double kappa = pair.kappa(p, end, -built.before[0]);
  if (!(solved.time * std::abs(kappa - built.turning[0]) > pair.tolerated)) return false;
  set_bend(pair.manifold.key(p), kappa);
  return true;
}

/// Contacts that the problem has.
bool ContactBends::look_at_known(const Solved& solved, const DriftingPair& pair) {
  bool any = false;
  const Manifold& m = pair.manifold;
  for (std::uint32_t i = m.first; i < m.first + m.count; ++i) {
    const ContactPoint& p = solved.set.points[i];
    const BuiltContact& built = solved.builder.contacts()[i];
    if (built.rebounds) continue;
    const auto ends = sink_.points_of(m.parts);
    const auto is_it = [&](const ContactPoint& e) { return e.feature == p.feature; };
    const auto same = std::find_if(ends.begin(), ends.end(), is_it);
    const bool found = same != ends.end() && same->normal.dot(p.normal) > 0;
    const double end = found ? same->gap : pair.end_of(p);
    const double kept = std::min(-m.target, p.gap), wanted = kept + solved.time * built.recovery_speed;
    note_end(pair, kept, end);
    const double load = solved.impulses[solved.builder.problem().blocks[built.block].row];
    const bool sinks = end < kept - pair.tolerated;
    const bool lifted = pair.at_end() && found && built.touching && load > 0 && end > wanted + pair.tolerated;
    if (!sinks && !lifted) continue;
    any = bend_to(solved, pair, i, end) || any;
  }
  return any;
}

/// Points inside at the end that the problem does not have, taken back to where they are at the start.
bool ContactBends::look_at_new(const Solved& solved, const DriftingPair& pair) {
  const Manifold& m = pair.manifold;
  const auto points = std::span(solved.set.points).subspan(m.first, m.count);
  const bool of_meshes = is_of_meshes(solved.world.colliders()[m.a], solved.world.colliders()[m.b]);
  double lowest = -m.target;
  for (const ContactPoint& p : points) lowest = std::min(lowest, p.gap);
  bool any = false;
  for (const ContactPoint& e : sink_.points_of(m.parts)) {
    if (!(e.gap < lowest - pair.tolerated)) continue;
    note_end(pair, lowest, e.gap);
    if (has_feature(points, e.feature)) continue;
    ContactPoint start = pair.start_of(e);
    if (of_meshes && was_so_before(start, lowest, pair.tolerated)) continue;
    // Two places of convex bodies that come to face each other by turning were never deep, whatever they are along the normal.
    start.gap = std::max(start.gap, lowest);
    const auto faces = [&](const ContactPoint& p) { return p.normal.dot(start.normal) > 0; };
    if (std::none_of(points.begin(), points.end(), faces)) continue;   // on the other side of a thin body
    add(m, start);
    set_bend(m.key(e), pair.kappa(start, e.gap, 0));
    any = true;
  }
  return any;
}

/// Pairs of parts that come to overlap within the step though none of their features was near enough to be known. Of meshes by
/// volume all parts: what rays do not see of them at the end is told by points.
bool ContactBends::look_at_new_parts(const Solved& solved, std::span<const Manifold> known) {
  const Manifold& first = known.front();
  if (looked_at_ != std::pair(first.a, first.b)) return false;
  const bool by_volume = is_of_volume(solved.set, first);
  if (sink_.parts().empty() && !by_volume) return false;
  const ContactSink::Part whole{0, 0, static_cast<std::uint32_t>(sink_.points().size())};
  const std::span<const ContactSink::Part> parts =
      sink_.parts().empty() ? std::span(&whole, 1) : std::span<const ContactSink::Part>(sink_.parts());
  const Collider &ca = solved.world.colliders()[first.a], &cb = solved.world.colliders()[first.b];
  const std::uint32_t mover_a = solved.world.mover_of(ca), mover_b = solved.world.mover_of(cb);
  const Motion a = motion_of(solved.world, mover_a), b = motion_of(solved.world, mover_b);
  const double tolerated = kTolerated * std::ldexp(thinner(ca, cb), first.target > 0 ? 0 : 2 * rounds_);
  double lowest = -first.target;
  for (const Manifold& m : known)
    for (const ContactPoint& p : solved.set.points_of(m)) lowest = std::min(lowest, p.gap);
  bool any = false;
  for (const ContactSink::Part& part : parts) {
    const auto same = std::ranges::lower_bound(known, part.parts, {}, [](const Manifold& m) { return m.parts; });
    const bool is_known = same != known.end() && same->parts == part.parts;
    if (is_known && !by_volume) continue;
    const Manifold fresh{{first.a, first.b, part.parts}, 0, 0, first.target};
    const DriftingPair pair{fresh,
                            a,
                            b,
                            solved.motion[mover_a],
                            solved.motion[mover_b],
                            place_.a,
                            place_.b,
                            thinner(ca, cb),
                            tolerated,
                            std::max(blows_[ca.body], blows_[cb.body]),
                            0,
                            place_.looked,
                            solved.time};
    for (const ContactPoint& e : sink_.points_of(part.parts)) {
      if (!(e.gap < lowest - tolerated) || is_measured(fresh, e)) continue;
      note_end(pair, lowest, e.gap);
      if (is_known && has_feature(solved.set.points_of(*same), e.feature)) continue;
      const ContactPoint start = pair.start_of(e);
      if (was_so_before(start, lowest, tolerated)) continue;
      add(fresh, start);
      set_bend(fresh.key(e), pair.kappa(start, e.gap, 0));
      any = true;
    }
  }
  return any;
}

/// Whether a pair that ends deep has the step taken in pieces: by volume, or because it turns far.
bool ContactBends::can_be_too_deep(const DriftingPair& pair) { return pair.manifold.target > 0 || pair.turned > kTurnsFar; }

/// Notes where a place of two bodies ends. @param kept gap that it was to have at least [m]
void ContactBends::note_end(const DriftingPair& pair, double kept, double end) {
  if (!can_be_too_deep(pair) || !(end < kept - kTooDeep * pair.thickness)) return;
  ends_deep_ = true;
  turns_deep_ = turns_deep_ || pair.turned > kTurnsBetweenLooks;
}

/// The same of meshes that touch in points, by all contacts that they have there.
void ContactBends::note_end_of_meshes(const Solved& solved, std::span<const Manifold> known) {
  const Manifold& first = known.front();
  if (looked_at_ != std::pair(first.a, first.b)) return;
  const Collider &ca = solved.world.colliders()[first.a], &cb = solved.world.colliders()[first.b];
  if (!is_of_meshes(ca, cb)) return;
  double kept = 0;
  for (const Manifold& m : known)
    for (const ContactPoint& p : solved.set.points_of(m)) kept = std::min(kept, p.gap);
  for (const ContactPoint& e : sink_.points()) ends_deep_ = ends_deep_ || e.gap < kept - kMeshTooDeep * thinner(ca, cb);
}

void ContactBends::add(const Manifold& m, const ContactPoint& point) {
  const auto key = [](const Added& x) { return std::pair(x.pair, x.point.feature); };
  const auto before = [&](const Added& x, const Added& y) { return key(x) < key(y); };
  const Added added{m, point};
  added_.insert(std::lower_bound(added_.begin(), added_.end(), added, before), added);
}

std::span<const ContactBends::Added> ContactBends::added_to(const PartPair& pair) const {
  const auto [first, last] = std::ranges::equal_range(added_, pair, {}, &Added::pair);
  return {first, last};
}

void ContactBends::set_bend(const ContactKey& key, double kappa) {
  const auto at = std::ranges::lower_bound(bends_, key, {}, &Bend::key);
  if (at == bends_.end() || at->key != key) bends_.insert(at, {key, kappa});
  else at->kappa = kappa;
}

void ContactBends::ask_for_no_more_than_approach(const Solved& solved) {
  for (const Manifold& m : solved.set.manifolds)
    for (std::uint32_t i = m.first; i < m.first + m.count; ++i) {
      const ContactPoint& p = solved.set.points[i];
      const ContactKey key = m.key(p);
      const auto bend = std::ranges::lower_bound(bends_, key, {}, &Bend::key);
      if (bend == bends_.end() || bend->key != key) continue;
      const double approach = -solved.builder.contacts()[i].before[0];
      bend->kappa = std::max(bend->kappa, -std::max(0.0, p.gap) / solved.time - std::max(0.0, approach));
    }
}

void ContactBends::apply(ProblemBuilder& builder, const ContactSet& set) const {
  auto bend = bends_.begin();
  for (const Manifold& m : set.manifolds)
    for (std::uint32_t i = m.first; i < m.first + m.count && bend != bends_.end(); ++i) {
      const ContactKey key = m.key(set.points[i]);
      while (bend != bends_.end() && bend->key < key) ++bend;
      if (bend != bends_.end() && bend->key == key) builder.bend(i, bend->kappa);
    }
}

}   // namespace stickslip
