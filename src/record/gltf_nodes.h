// Bodies of nodes in a glTF file: a node of the file for every bead, morph targets for surfaces.
#pragma once

#include <map>
#include <vector>

#include "record/glb.h"
#include "record/shape_mesh.h"
#include "stickslip/world/nodal_body.h"

namespace stickslip::glb {

constexpr std::size_t kMostBeads = 10'000;   ///< of a file: each is a node with a channel of its own
constexpr std::size_t kMostMorphs = 1'000;   ///< of a surface: weights are as many numbers as frames squared

/// One body of nodes, where its nodes were in the frames that it was there.
class NodalTrack {
 public:
  /// @param bead form of a ball @param material of beads @param sheet of surfaces, which are seen from both sides
  NodalTrack(const NodalBody&, MeshLibrary::Entry bead, std::uint32_t material, std::uint32_t sheet);

  /// The next frame. A place that is not finite is replaced by the one before. @pre not full
  void add_frame(const NodalBody&);

  std::size_t frame_count() const { return places_.size() / width_; }
  std::size_t bead_count() const { return beads_.size(); }
  /// Whether no further frame has a place: see kMostMorphs.
  bool is_full() const { return has_surface() && frame_count() > kMostMorphs; }
  bool has_surface() const { return !triangles_.empty(); }
  MeshLibrary::Entry bead() const { return bead_; }
  std::uint32_t material() const { return material_; }

  /// Where a bead was first [m].
  Json first_place(std::size_t bead) const;
  std::uint32_t number_of_bead(std::size_t bead) const { return beads_[bead]; }

  /// The mesh of the surface, with its accessors in the binary part.
  Json surface_mesh(Binary&);
  /// Where a bead was in all frames of the file, which has some before the first and after the last of this one.
  std::span<const float> places_of(std::size_t bead, std::size_t frames_before, std::size_t frames_after);
  /// Weights of the morph targets in all frames of the file; empty if there are none.
  std::span<const float> weights(std::size_t frames_before, std::size_t frames_after);

 private:
  std::span<const float> frame(std::size_t i) const { return std::span(places_).subspan(i * width_, width_); }
  bool moves() const;

  std::size_t width_;   ///< numbers of a frame
  MeshLibrary::Entry bead_;
  std::uint32_t material_, sheet_;
  std::vector<std::uint32_t> beads_;   ///< nodes
  std::vector<std::array<std::uint32_t, 3>> triangles_;
  std::vector<float> places_;   ///< frame by frame, node by node [m]

  // What the binary part refers to.
  std::vector<std::uint32_t> indices_;
  std::vector<std::vector<float>> attributes_;
  std::map<std::size_t, std::vector<float>> of_bead_;
  std::vector<float> weights_;
};

Error too_many_beads(std::size_t count);
Error too_many_morphs();

}   // namespace stickslip::glb
