// Which bodies touch each other.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "import/document.h"
#include "stickslip/scene/scene.h"
#include "stickslip/step/stepper.h"

namespace stickslip::robot {

std::vector<StartOverlap> overlaps_at_start(const Json& bodies, const Json& meshes, const std::filesystem::path& folder,
                                            const std::map<std::string, int>& index_of) {
  Json scene = {{"allow_overlap", true}, {"meshes", meshes}, {"bodies", Json::array()}};
  for (const Json& body : bodies)
    if (!body.at("parts").empty()) {
      Json copy = body;
      for (Json& part : copy.at("parts")) part.erase("material");
      scene["bodies"].push_back(std::move(copy));
    }
  const Scene built = parse_scene(scene.dump(), (folder / "import").string());
  std::vector<StartOverlap> overlaps;
  for (const Overlap& o : find_overlaps(built.world)) {
    const auto a = index_of.find(built.world.body(o.a).name), b = index_of.find(built.world.body(o.b).name);
    if (a != index_of.end() && b != index_of.end())
      overlaps.push_back({std::min(a->second, b->second), std::max(a->second, b->second), o.depth});
  }
  std::sort(overlaps.begin(), overlaps.end(),
            [](const auto& x, const auto& y) { return std::pair(x.a, x.b) < std::pair(y.a, y.b); });
  return overlaps;
}

namespace {

bool masks_allow(const TreePart& a, const TreePart& b) {
  return (a.contact_type & b.contact_affinity) != 0 || (b.contact_type & a.contact_affinity) != 0;
}

}   // namespace

void keep_apart_as_mujoco(const Tree& tree, Pairs& apart, Findings& findings) {
  const int count = static_cast<int>(tree.bodies.size());
  const auto body = [&](int i) -> const TreeBody& { return tree.bodies[static_cast<std::size_t>(i)]; };
  // The body with joints that a rigidly connected one belongs to; the world for what it holds.
  const auto group_of = [&](int i) {
    if (tree.is_static(i)) return kWorld;
    while (body(i).joints.empty()) i = body(i).parent;
    return i;
  };
  std::set<std::pair<std::uint32_t, std::uint32_t>> masks;
  std::vector<int> with_parts, group(static_cast<std::size_t>(count), kWorld);
  for (int i = 0; i < count; ++i) {
    if (!body(i).alive || body(i).parts.empty()) continue;
    with_parts.push_back(i);
    group[static_cast<std::size_t>(i)] = group_of(i);
    for (const TreePart& part : body(i).parts) masks.emplace(part.contact_type, part.contact_affinity);
  }
  const bool all_touch = std::all_of(masks.begin(), masks.end(), [&](const auto& m) {
    return std::all_of(masks.begin(), masks.end(),
                       [&](const auto& n) { return (m.first & n.second) != 0 || (n.first & m.second) != 0; });
  });
  for (const int i : with_parts)
    for (const int j : with_parts) {
      const int gi = group[static_cast<std::size_t>(i)], gj = group[static_cast<std::size_t>(j)];
      if (i >= j || (gi == kWorld && gj == kWorld)) continue;
      const auto parent_group = [&](int g) { return g == kWorld ? kWorld : group_of(body(g).parent); };
      if (gi == gj || (gi != kWorld && gj != kWorld && (parent_group(gi) == gj || parent_group(gj) == gi))) {
        apart.emplace(i, j);
        continue;
      }
      if (all_touch) continue;
      std::size_t touch = 0;
      for (const TreePart& a : body(i).parts)
        for (const TreePart& b : body(j).parts) touch += masks_allow(a, b);
      if (touch == 0) apart.emplace(i, j);
      else if (touch < body(i).parts.size() * body(j).parts.size())
        findings.add(
            Kind::approximated, body(j).source.line, body(j).source.place,
            fmt::format("contype and conaffinity let some shapes of '{}' and '{}' touch and others not: all of them do.",
                        body(i).name, body(j).name));
    }
}

}   // namespace stickslip::robot
