#include "record/gltf_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "record/gltf_forms.h"
#include "record/nodal_mesh.h"

namespace stickslip::glb {

namespace {

std::vector<float> difference(std::span<const float> a, std::span<const float> b) {
  std::vector<float> result(a.size());
  std::transform(a.begin(), a.end(), b.begin(), result.begin(), std::minus<>());
  return result;
}

}   // namespace

NodalTrack::NodalTrack(const NodalBody& nodes, MeshLibrary::Entry bead, std::uint32_t material)
    : width_(3 * nodes.size()), bead_(bead), material_(material), beads_(bare_nodes(nodes)), triangles_(nodes.triangles) {
  for (const auto& triangle : triangles_) indices_.insert(indices_.end(), triangle.begin(), triangle.end());
}

void NodalTrack::set_sheet(const NodalBody& nodes, SharedTexture texture, std::optional<Colour> tint) {
  LaidSurface laid = lay_on_rest_surface(*texture, nodes);
  indices_.clear();
  for (const auto& triangle : laid.triangles) indices_.insert(indices_.end(), triangle.begin(), triangle.end());
  for (const auto& [right, up] : laid.on_picture) on_picture_.push_back(right), on_picture_.push_back(1 - up);
  node_of_ = std::move(laid.node);
  texture_ = std::move(texture);
  tint_ = tint;
}

std::vector<float> NodalTrack::at_vertices(std::span<const float> of_nodes) const {
  if (node_of_.empty()) return {of_nodes.begin(), of_nodes.end()};
  std::vector<float> result;
  result.reserve(3 * node_of_.size());
  for (const std::uint32_t node : node_of_)
    result.insert(result.end(), of_nodes.begin() + 3 * node, of_nodes.begin() + 3 * node + 3);
  return result;
}

void NodalTrack::add_frame(const NodalBody& nodes) {
  const std::size_t before = places_.size();
  for (const Vec3& position : nodes.positions) {
    const bool finite = position.cast<float>().allFinite();
    for (const double x : position)
      places_.push_back(finite ? static_cast<float>(x) : before > 0 ? places_[places_.size() - width_] : 0.0f);
  }
}

bool NodalTrack::moves() const {
  for (std::size_t i = width_; i < places_.size(); ++i)
    if (places_[i] != places_[i - width_]) return true;
  return false;
}

Json NodalTrack::first_place(std::size_t bead) const {
  const float* at = places_.data() + 3 * beads_[bead];
  return {at[0], at[1], at[2]};
}

Json NodalTrack::surface_mesh(Binary& binary) {
  const std::size_t targets = moves() ? frame_count() - 1 : 0;
  attributes_.reserve(2 * (targets + 1));   // what was added stays where it is
  attributes_.push_back(at_vertices(frame(0)));
  attributes_.push_back(at_vertices(corner_normals(frame(0), triangles_)));
  binary.begin_view({{"target", array_buffer}, {"byteStride", 12}});
  Json primitive = {{"attributes",
                     {{"POSITION", add_positions(binary, attributes_[0])},
                      {"NORMAL", binary.add(std::span<const float>(attributes_[1]), "VEC3", 3)}}},
                    {"material", sheet_}};
  for (std::size_t i = 1; i <= targets; ++i) {
    attributes_.push_back(difference(at_vertices(frame(i)), attributes_[0]));
    const std::size_t position = add_positions(binary, attributes_.back());
    attributes_.push_back(difference(at_vertices(corner_normals(frame(i), triangles_)), attributes_[1]));
    const std::size_t normal = binary.add(std::span<const float>(attributes_.back()), "VEC3", 3);
    primitive["targets"].push_back({{"POSITION", position}, {"NORMAL", normal}});
  }
  if (!on_picture_.empty()) {
    binary.begin_view({{"target", array_buffer}, {"byteStride", 8}});
    primitive["attributes"]["TEXCOORD_0"] = binary.add(std::span<const float>(on_picture_), "VEC2", 2);
  }
  binary.begin_view({{"target", element_array_buffer}});
  primitive["indices"] = binary.add(std::span<const std::uint32_t>(indices_), "SCALAR", 1);
  return {{"primitives", Json::array({std::move(primitive)})}};
}

std::span<const float> NodalTrack::places_of(std::size_t bead, std::size_t frames_before, std::size_t frames_after) {
  std::vector<float>& values = of_bead_[bead];
  const std::size_t here = frame_count();
  for (std::size_t n = 0; n < frames_before + here + frames_after; ++n) {
    const std::size_t i = std::min(n - std::min(n, frames_before), here - 1);
    const auto at = frame(i).subspan(3 * beads_[bead], 3);
    values.insert(values.end(), at.begin(), at.end());
  }
  return values;
}

std::span<const float> NodalTrack::weights(std::size_t frames_before, std::size_t frames_after) {
  if (!has_surface() || !moves()) return {};
  const std::size_t here = frame_count(), targets = here - 1, frames = frames_before + here + frames_after;
  weights_.assign(frames * targets, 0.0f);
  for (std::size_t n = 0; n < frames; ++n) {
    const std::size_t i = std::min(n - std::min(n, frames_before), here - 1);
    if (i > 0) weights_[n * targets + i - 1] = 1;
  }
  return weights_;
}

Error too_many_beads(std::size_t count) {
  return Error(
      fmt::format("A glTF file has a node for every bead, and {} are more than the {} that viewers bear. Record a .html "
                  "replay, a .pvd or a .h5 trajectory instead.",
                  count, kMostBeads));
}

Error too_many_morphs() {
  return Error(
      fmt::format("A glTF file holds at most {} frames of a surface of nodes, one morph target each. Give a lower "
                  "--frames-per-second, or record a .html replay, a .pvd or a .h5 trajectory.",
                  kMostMorphs + 1));
}

}   // namespace stickslip::glb
