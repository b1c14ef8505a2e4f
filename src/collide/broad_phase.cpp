#include "stickslip/collide/broad_phase.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "collide/aabb_tree.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

/// Part of the thinnest side of a box by which it is fattened on every side, and steps of motion that it is fattened ahead.
constexpr double kMargin = 0.05;
constexpr double kStepsAhead = 4;
/// A fattened box with more surface than this times what it would get now is replaced: its proxy slowed down.
constexpr double kTooFat = 1.5;
/// Above this part of moved proxies, building the tree anew is faster than moving leaves one by one.
constexpr double kRebuildPart = 0.1;

enum class Place : std::uint8_t {
  absent,      ///< no such proxy
  tree,        ///< a finite box
  unbounded,   ///< in the list of those that pair with (nearly) everything
  nowhere,     ///< an empty box, or numbers that are none: pairs with nothing
};

Place place_of(const Aabb& box) {
  if (!(box.lower.array() <= box.upper.array()).all()) return Place::nowhere;
  // Beyond this the surface area overflows; such a box may as well be infinite.
  constexpr double kHuge = 1e150;
  return (box.lower.array() > -kHuge).all() && (box.upper.array() < kHuge).all() ? Place::tree : Place::unbounded;
}

/// @param motion displacement of the box in the last step [m]
Aabb fattened(const Aabb& box, const Vec3& motion) {
  const Vec3 size = box.upper - box.lower;
  const Vec3 ahead = (kStepsAhead * motion).cwiseMax(-size).cwiseMin(size);
  const Aabb fat = box.grown(kMargin * size.minCoeff());
  return {fat.lower + ahead.cwiseMin(0), fat.upper + ahead.cwiseMax(0)};
}

struct Proxy {
  Aabb box;
  Place place = Place::absent;
  bool passive = false;
  bool moved = false;    ///< its candidates must be found again
  bool placed = false;   ///< the tree holds its fattened box
};

}   // namespace

struct BroadPhase::Impl {
  std::vector<Proxy> proxies;             ///< by key
  std::vector<Aabb> fat;                  ///< by key; what the tree holds, or will once it is placed
  std::vector<std::uint32_t> moved;       ///< keys with `moved`, in any order
  std::vector<std::uint32_t> unbounded;   ///< keys, sorted
  AabbTree tree;
  std::vector<ProxyPair> candidates;   ///< pairs of overlapping fattened boxes, sorted
  std::vector<ProxyPair> next_candidates, found, scratch, reported;
  std::vector<std::uint32_t> counts, keys;

  void leave(std::uint32_t key);
  void mark_moved(std::uint32_t key);
  void place_moved();
  void find_candidates(std::size_t max_pairs);
  void sort_found();
  void report(std::size_t max_pairs);
  bool reportable(std::uint32_t a, std::uint32_t b) const {
    const Proxy &p = proxies[a], &q = proxies[b];
    return !(p.passive & q.passive) & AabbTree::overlap(p.box, q.box);
  }
  [[noreturn]] void refuse(std::span<const ProxyPair> pairs, std::size_t max_pairs) const;
};

BroadPhase::BroadPhase() : impl_(std::make_unique<Impl>()) {}
BroadPhase::~BroadPhase() = default;
BroadPhase::BroadPhase(BroadPhase&&) noexcept = default;
BroadPhase& BroadPhase::operator=(BroadPhase&&) noexcept = default;

void BroadPhase::clear() { *impl_ = {}; }

void BroadPhase::Impl::mark_moved(std::uint32_t key) {
  if (proxies[key].moved) return;
  proxies[key].moved = true;
  moved.push_back(key);
}

/// Takes a proxy out of the place where it is.
void BroadPhase::Impl::leave(std::uint32_t key) {
  Proxy& proxy = proxies[key];
  if (proxy.place == Place::tree) tree.remove(key);
  if (proxy.place == Place::unbounded) unbounded.erase(std::lower_bound(unbounded.begin(), unbounded.end(), key));
  proxy.place = Place::absent;
  proxy.placed = false;
}

void BroadPhase::set(std::uint32_t key, const Aabb& box, bool passive) {
  Impl& m = *impl_;
  if (key >= m.proxies.size()) {
    m.proxies.resize(key + 1);
    m.fat.resize(key + 1);
  }
  Proxy& proxy = m.proxies[key];
  const Place place = place_of(box);
  const Aabb before = proxy.box;
  const Place place_before = proxy.place;
  // Pairs of two passive proxies are not candidates, so a proxy that becomes active has some to find.
  const bool awakened = place_before == Place::tree && proxy.passive && !passive;
  proxy.box = box;
  proxy.passive = passive;
  if (place != place_before) {
    m.leave(key);
    proxy.place = place;
    if (place == Place::unbounded) m.unbounded.insert(std::lower_bound(m.unbounded.begin(), m.unbounded.end(), key), key);
  }
  if (place != Place::tree) return;
  const Vec3 motion = place_before == Place::tree ? Vec3(0.5 * (box.lower - before.lower) + 0.5 * (box.upper - before.upper))
                                                  : Vec3(Vec3::Zero());
  const Aabb wanted = fattened(box, motion);
  const bool fits =
      place_before == Place::tree && m.fat[key].contains(box) && m.fat[key].half_area() <= kTooFat * wanted.half_area();
  if (!fits) {
    m.fat[key] = wanted;
    proxy.placed = false;
  }
  if (!fits || awakened) m.mark_moved(key);
}

void BroadPhase::remove(std::uint32_t key) {
  if (key < impl_->proxies.size()) impl_->leave(key);
}

/// Brings the tree up to date with the fattened boxes.
void BroadPhase::Impl::place_moved() {
  if (moved.size() > kRebuildPart * static_cast<double>(tree.size())) {
    keys.clear();
    for (std::uint32_t key = 0; key < proxies.size(); ++key)
      if (proxies[key].place == Place::tree) keys.push_back(key), proxies[key].placed = true;
    tree.build(keys, fat);
    return;
  }
  for (std::uint32_t key : moved) {
    Proxy& proxy = proxies[key];
    if (proxy.place != Place::tree || proxy.placed) continue;
    tree.set(key, fat[key]);
    proxy.placed = true;
  }
}

/// All pairs of fattened boxes with a moved one among them. Pairs that will be reported are counted on the way, so that
/// bodies piled into one spot are refused before they fill the memory.
void BroadPhase::Impl::find_candidates(std::size_t max_pairs) {
  found.clear();
  std::size_t to_report = 0;
  for (std::uint32_t key : moved) {
    const Proxy& proxy = proxies[key];
    if (proxy.place != Place::tree) continue;
    tree.query(fat[key], [&](std::uint32_t other) {
      const Proxy& neighbour = proxies[other];
      // Two moved ones find each other twice: the smaller key speaks.
      if (other == key || (neighbour.moved && other < key) || (proxy.passive && neighbour.passive)) return true;
      found.push_back({std::min(key, other), std::max(key, other)});
      to_report += AabbTree::overlap(proxy.box, neighbour.box);
      return to_report <= max_pairs;
    });
    if (to_report > max_pairs) refuse(found, max_pairs);
  }
}

/// Counting sort by the second key, then by the first: linear in pairs and keys.
void BroadPhase::Impl::sort_found() {
  scratch.resize(found.size());
  const auto pass = [&](std::uint32_t ProxyPair::*digit) {
    counts.assign(proxies.size() + 1, 0);
    for (const ProxyPair& pair : found) ++counts[pair.*digit + 1];
    for (std::size_t i = 1; i < counts.size(); ++i) counts[i] += counts[i - 1];
    for (const ProxyPair& pair : found) scratch[counts[pair.*digit]++] = pair;
    found.swap(scratch);
  };
  pass(&ProxyPair::b);
  pass(&ProxyPair::a);
}

/// One walk over the keys merges, in order: candidates that stay (nothing moved), candidates just found, and pairs with
/// unbounded proxies, which are never stored.
void BroadPhase::Impl::report(std::size_t max_pairs) {
  next_candidates.clear();
  reported.clear();
  const ProxyPair *old = candidates.data(), *old_end = old + candidates.size();
  const ProxyPair *fresh = found.data(), *fresh_end = fresh + found.size();
  const std::uint32_t *unbounded_end = unbounded.data() + unbounded.size(), *first_later = unbounded.data();
  const std::uint32_t* next_unbounded = first_later;   // the next one to pair with the current key
  const auto stays = [&](std::uint32_t key) { return proxies[key].place == Place::tree && !proxies[key].moved; };
  const auto consider = [&](std::uint32_t a, std::uint32_t b) {
    if (reportable(a, b)) reported.push_back({a, b});
  };
  const auto keep = [&](const ProxyPair& pair) {
    next_candidates.push_back(pair);
    while (next_unbounded != unbounded_end && *next_unbounded < pair.b) consider(pair.a, *next_unbounded++);
    consider(pair.a, pair.b);
  };

  const auto count = static_cast<std::uint32_t>(proxies.size());
  for (std::uint32_t a = 0; a < count; ++a) {
    while (first_later != unbounded_end && *first_later <= a) ++first_later;
    next_unbounded = first_later;
    const bool a_stays = stays(a);
    for (; old != old_end && old->a == a; ++old) {
      if (!a_stays || !stays(old->b)) continue;
      while (fresh != fresh_end && *fresh < *old) keep(*fresh++);
      keep(*old);
    }
    while (fresh != fresh_end && fresh->a == a) keep(*fresh++);
    if (proxies[a].place == Place::tree)
      while (next_unbounded != unbounded_end) consider(a, *next_unbounded++);
    if (proxies[a].place == Place::unbounded)
      for (std::uint32_t b = a + 1; b < count; ++b)
        if (proxies[b].place == Place::tree || proxies[b].place == Place::unbounded) consider(a, b);
    if (reported.size() > max_pairs) refuse(reported, max_pairs);
  }
}

std::span<const ProxyPair> BroadPhase::pairs(std::size_t max_pairs) {
  Impl& m = *impl_;
  m.place_moved();
  m.find_candidates(max_pairs);
  m.sort_found();
  m.report(max_pairs);
  // Only now is anything forgotten, so that a call after an error starts from the same knowledge.
  m.candidates.swap(m.next_candidates);
  for (std::uint32_t key : m.moved) m.proxies[key].moved = false;
  m.moved.clear();
  return m.reported;
}

/// Names the proxy that overlaps most others, because that is where the user has to look.
void BroadPhase::Impl::refuse(std::span<const ProxyPair> pairs, std::size_t max_pairs) const {
  std::vector<std::size_t> overlaps(proxies.size(), 0);
  for (const ProxyPair& pair : pairs)
    if (reportable(pair.a, pair.b)) ++overlaps[pair.a], ++overlaps[pair.b];
  // An unbounded proxy overlaps everything by nature: it is named only if there is no other.
  const auto weight = [&](std::size_t key) { return proxies[key].place == Place::tree ? overlaps[key] + 1 : 0; };
  std::size_t worst = 0;
  for (std::size_t key = 1; key < overlaps.size(); ++key)
    if (weight(key) > weight(worst)) worst = key;
  const auto present = std::count_if(proxies.begin(), proxies.end(), [](const Proxy& p) { return p.place != Place::absent; });
  const Vec3 at = 0.5 * proxies[worst].box.lower + 0.5 * proxies[worst].box.upper;
  throw Error(
      fmt::format("More than {} pairs of shapes overlap: {} of the {} shapes overlap the one around "
                  "({:.4g}, {:.4g}, {:.4g}) m. Too many bodies are piled into one spot; move them apart.",
                  max_pairs, overlaps[worst], present, at.x(), at.y(), at.z()));
}

}   // namespace stickslip
