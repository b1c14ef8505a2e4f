#include "mesh/files/builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "mesh/files/text.h"
#include "mesh/polygon.h"
#include "mesh/weld.h"
#include "stickslip/math/error.h"

namespace stickslip::mesh_file {

std::string not_a_point(const Vec3& p) {
  return fmt::format("({}, {}, {}) is not a point. Coordinates must be finite: mend the file, or export it again.", p.x(),
                     p.y(), p.z());
}

void Builder::add_vertex(const Vec3& p) {
  if (!p.allFinite()) throw Error(not_a_point(p));
  if (vertices.size() >= 3 * options_.max_elements) check_count(vertices.size() / 3 + 1);
  vertices.push_back(p);
}

void Builder::check_count(std::uint64_t triangles) const {
  if (triangles > options_.max_elements)
    throw Error(
        fmt::format("The file has {} triangles or more; the limit is {}. Simplify it first, or raise the limit (max_elements).",
                    triangles, options_.max_elements));
}

std::uint32_t Builder::checked_vertex(std::uint64_t index, std::uint64_t first) const {
  if (index < first || index - first >= vertices.size())
    throw Error(
        fmt::format("There is no vertex {}: there are {}, counted from {}. The file is damaged or cut off: get it again.",
                    static_cast<std::int64_t>(index), vertices.size(), first));
  return static_cast<std::uint32_t>(index - first);
}

void Builder::add_look(const Corner& corner) {
  has_normals_ = has_normals_ && corner.normal >= 0;
  if (has_normals_) look_.normals.push_back(normals[static_cast<std::size_t>(corner.normal)]);
  // Lists begin with the first entry: most files have none, and may be large.
  if (corner.colour >= 0 || !look_.colours.empty()) {
    constexpr std::array<float, 4> white = {1, 1, 1, 1};
    look_.colours.resize(corners_, white);
    look_.colours.push_back(corner.colour >= 0 ? colours[static_cast<std::size_t>(corner.colour)] : white);
  }
  if (corner.on_picture >= 0 || !look_.on_picture.empty()) {
    look_.on_picture.resize(corners_);
    look_.on_picture.push_back(corner.on_picture >= 0 ? on_picture[static_cast<std::size_t>(corner.on_picture)]
                                                      : std::array<float, 2>{});
  }
  ++corners_;
}

std::uint32_t Builder::add_picture(const std::string& name, std::string bytes) {
  const auto [place, is_new] = number_of_picture_.try_emplace(name, 0);
  if (!is_new) return place->second;
  if (!bytes.starts_with("\x89PNG") && !bytes.starts_with("\xff\xd8\xff")) {
    add_note(fmt::format("the picture '{}' is neither PNG nor JPEG, and is not shown", name));
    return 0;
  }
  look_.pictures.push_back(std::move(bytes));
  return place->second = static_cast<std::uint32_t>(look_.pictures.size());
}

std::uint32_t Builder::add_picture(const std::filesystem::path& path) {
  if (const auto known = number_of_picture_.find(path.string()); known != number_of_picture_.end()) return known->second;
  try {
    return add_picture(path.string(), content(path));
  } catch (const Error&) {
    add_note(fmt::format("the picture '{}' cannot be read, and is not shown", path.string()));
    return number_of_picture_[path.string()] = 0;
  }
}

void Builder::add_triangle(const Corner& a, const Corner& b, const Corner& c) {
  check_count(triangles_.size() + 1);
  triangles_.push_back({a.vertex, b.vertex, c.vertex});
  if (!options_.look) return;
  for (const Corner* corner : {&a, &b, &c}) add_look(*corner);
  const bool shows = picture > 0 && std::min({a.on_picture, b.on_picture, c.on_picture}) >= 0;
  if (!shows && look_.picture_of.empty()) return;
  look_.picture_of.resize(triangles_.size() - 1);
  look_.picture_of.push_back(shows ? picture : 0);
}

void Builder::add_polygon(std::span<const Corner> corners) {
  if (corners.size() < 3) return;
  if (corners.size() == 3) return add_triangle(corners[0], corners[1], corners[2]);
  if (corners.size() > kMostCorners)
    throw Error(fmt::format("A face has {} corners; the limit is {}. Cut it into triangles where the file is made.",
                            corners.size(), kMostCorners));
  ++polygons_;
  std::vector<Vec3> loop;
  for (const Corner& corner : corners) loop.push_back(vertices[corner.vertex]);
  for (const auto& [a, b, c] : triangulated(loop)) add_triangle(corners[a], corners[b], corners[c]);
}

ImportedMesh Builder::finish(bool merge) {
  if (triangles_.empty())
    throw Error(
        fmt::format("The file holds no triangles ({} vertices). A mesh needs faces: export it as a surface.", vertices.size()));
  ImportedMesh result;
  result.mesh.vertices = std::move(vertices);
  result.mesh.triangles = std::move(triangles_);
  if (options_.look) {
    if (has_normals_) result.look.normals = std::move(look_.normals);
    result.look.colours = std::move(look_.colours);
    result.look.on_picture = std::move(look_.on_picture);   // without pictures too: the scene may say one
    if (!look_.picture_of.empty()) {
      result.look.picture_of = std::move(look_.picture_of);
      result.look.pictures = std::move(look_.pictures);
    }
    result.notes = std::move(notes_);
  }
  if (polygons_ > 0)
    result.notes.push_back(fmt::format("{} polygons of more than three corners were cut into triangles", polygons_));
  if (merge) {
    const std::size_t before = result.mesh.vertices.size();
    weld(result.mesh, 0);
    if (result.mesh.vertices.size() < before)
      result.notes.push_back(
          fmt::format("vertices at equal places became one: {} of {} stay", result.mesh.vertices.size(), before));
  }
  return result;
}

}   // namespace stickslip::mesh_file
