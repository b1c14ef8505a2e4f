#include "record/vtk_bodies.h"

#include <fmt/format.h>

#include <cmath>

#include "record/output_file.h"
#include "record/vtk_file.h"

namespace stickslip {

namespace {

constexpr std::uint8_t kTriangle = 5;   // VTK_TRIANGLE

void push_floats(std::vector<float>& to, const Vec3& v) {
  for (const double x : v) to.push_back(static_cast<float>(x));
}

}   // namespace

std::int32_t VtkPictures::first_of(std::uint32_t mesh, const DrawnMesh& drawn) {
  if (drawn.textured) return of_texture(drawn.pictures.front());
  const auto [place, is_new] = first_.try_emplace(mesh, count_ + 1);
  if (is_new)
    for (const std::string& picture : drawn.pictures) write(picture);
  return place->second;
}

std::int32_t VtkPictures::of_texture(const std::string& picture) {
  const auto [place, is_new] = of_texture_.try_emplace(picture, count_ + 1);
  if (is_new) write(picture);
  return place->second;
}

void VtkPictures::write(const std::string& picture) {
  OutputFile file(directory_ / fmt::format("picture_{}.{}", ++count_, picture.starts_with("\x89PNG") ? "png" : "jpg"));
  file.write(picture);
  file.commit();
}

void VtkBodies::add(const Body& body, std::uint32_t number, const Pose& pose, const Vec3& scale, const DrawnMesh& mesh,
                    std::int32_t first_picture, std::optional<Colour> colour) {
  const auto first = static_cast<std::int32_t>(points_.size() / 3);
  has_colours_ = has_colours_ || colour || !mesh.colours.empty();
  has_pictures_ = has_pictures_ || !mesh.pictures.empty();
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    const Vec3 point = pose * scale.cwiseProduct(mesh.vertices[i]), point_velocity = body.velocity_at(point);
    push_floats(points_, point);
    push_floats(normals_, pose.orientation * mesh.normals[i].cwiseQuotient(scale).normalized());
    push_floats(velocity_, point_velocity);
    push_floats(angular_velocity_, body.angular_velocity);
    speed_.push_back(static_cast<float>(point_velocity.norm()));
    mass_.push_back(static_cast<float>(body.mass.mass));
    numbers_.push_back(static_cast<std::int32_t>(number));
    asleep_.push_back(body.asleep);
    const Colour whole = colour.value_or(Colour{255, 255, 255});
    const std::uint8_t parts[3] = {whole.red, whole.green, whole.blue};
    for (int k = 0; k < 3; ++k)
      colours_.push_back(colour || mesh.colours.empty() ? parts[k]
                                                        : static_cast<std::uint8_t>(std::lround(255 * mesh.colours[i][k])));
    const float copies = mesh.unbounded ? static_cast<float>(scale.x()) : 1;
    for (int k = 0; k < 2; ++k) on_picture_.push_back(mesh.on_picture.empty() ? 0 : copies * mesh.on_picture[i][k]);
  }
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (const std::uint32_t corner : mesh.triangles[t]) corners_.push_back(first + static_cast<std::int32_t>(corner));
    const std::uint32_t own = mesh.picture_of.empty() ? 0 : mesh.picture_of[t];
    picture_.push_back(own == 0 ? 0 : first_picture + static_cast<std::int32_t>(own) - 1);
  }
}

void VtkBodies::write(const std::filesystem::path& path, double time, bool with_normals) const {
  std::vector<std::int32_t> offsets(picture_.size());
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<std::int32_t>(3 * i + 3);
  VtkFile file("UnstructuredGrid", time);
  file.open(fmt::format("Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\"", numbers_.size(), offsets.size()));
  file.open(
      fmt::format("PointData{}{}", with_normals ? " Normals=\"normal\"" : "", has_pictures_ ? " TCoords=\"on_picture\"" : ""));
  file.array<std::int32_t>("body", 1, numbers_);
  file.array<float>("mass_kg", 1, mass_);
  file.array<float>("velocity_m_per_s", 3, velocity_);
  file.array<float>("angular_velocity_rad_per_s", 3, angular_velocity_);
  file.array<float>("speed_m_per_s", 1, speed_);
  file.array<std::uint8_t>("asleep", 1, asleep_);
  if (with_normals) file.array<float>("normal", 3, normals_);
  if (has_colours_) file.array<std::uint8_t>("colour", 3, colours_);
  if (has_pictures_) file.array<float>("on_picture", 2, on_picture_);
  file.close("PointData");
  if (has_pictures_) {
    file.open("CellData");
    file.array<std::int32_t>("picture", 1, picture_);
    file.close("CellData");
  }
  file.open("Points");
  file.array<float>("position_m", 3, points_);
  file.close("Points");
  file.open("Cells");
  file.array<std::int32_t>("connectivity", 1, corners_);
  file.array<std::int32_t>("offsets", 1, offsets);
  file.array<std::uint8_t>("types", 1, std::vector<std::uint8_t>(offsets.size(), kTriangle));
  file.close("Cells");
  file.close("Piece");
  file.write(path);
}

}   // namespace stickslip
