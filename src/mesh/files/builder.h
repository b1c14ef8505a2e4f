// A mesh while it is read: places, normals, colours and places on pictures with indices of their own, polygons cut into
// triangles.
#pragma once

#include <map>
#include <span>
#include <string>

#include "stickslip/mesh/read_mesh.h"

namespace stickslip::mesh_file {

constexpr std::size_t kMostCorners = 4096;   ///< of a polygon: clipping ears takes the square of their number

struct Corner {
  std::uint32_t vertex = 0;
  std::int64_t normal = -1, colour = -1, on_picture = -1;   ///< −1: none
};

class Builder {
 public:
  explicit Builder(const MeshFileOptions& options) : options_(options) {}

  std::vector<Vec3> vertices;
  std::vector<std::array<float, 3>> normals;
  std::vector<std::array<float, 4>> colours;
  std::vector<std::array<float, 2>> on_picture;
  std::uint32_t picture = 0;   ///< of the triangles that are added next; 0: none

  bool wants_look() const { return options_.look; }

  /// @throws Error without a place if the vertex is not finite or there are too many
  void add_vertex(const Vec3&);

  /// A polygon whose corners go round counter-clockwise; fewer than three corners are nothing. Triangles of a polygon that is
  /// not convex stay
  /// inside it. @pre the vertices exist
  void add_polygon(std::span<const Corner>);
  void add_triangle(const Corner&, const Corner&, const Corner&);

  /// A picture that triangles may show: a PNG or JPEG file. What cannot be read becomes a note, not an error: it is for the
  /// eye only. @returns its number, from 1; 0: none
  std::uint32_t add_picture(const std::filesystem::path&);
  /// The same of bytes within the file of the mesh. @param name for notes, and to tell equal ones
  std::uint32_t add_picture(const std::string& name, std::string bytes);
  void add_note(std::string note) { notes_.push_back(std::move(note)); }

  /// @throws Error if there are too many
  void check_count(std::uint64_t triangles) const;

  /// @throws Error without a place: "There is no vertex 12: …"
  std::uint32_t checked_vertex(std::uint64_t index, std::uint64_t first = 0) const;

  std::size_t triangle_count() const { return triangles_.size(); }
  std::size_t polygon_count() const { return polygons_; }

  /// Hands over what was read. @param merge vertices at bit-equal places become one. @throws Error if there are no triangles
  ImportedMesh finish(bool merge);

 private:
  void add_look(const Corner&);

  MeshFileOptions options_;
  std::vector<std::array<std::uint32_t, 3>> triangles_;
  MeshLook look_;
  std::map<std::string, std::uint32_t> number_of_picture_;
  std::vector<std::string> notes_;
  std::size_t polygons_ = 0;   ///< with more than three corners
  bool has_normals_ = true;    ///< so far at every corner
  std::size_t corners_ = 0;    ///< whose look was added
};

/// "(1, nan, 3) is not a point. …"
std::string not_a_point(const Vec3&);

}   // namespace stickslip::mesh_file
