// Bodies of nodes in a glTF file: a node of the file for every bead, morph targets for surfaces.
#pragma once

#include <map>
#include <vector>

#include "record/glb.h"
#include "record/textured_mesh.h"

namespace stickslip::glb {

constexpr std::size_t kMostBeads = 10'000;   ///< of a file: each is a node with a channel of its own
constexpr std::size_t kMostMorphs = 1'000;   ///< of a surface: weights are as many numbers as frames squared

/// One body of nodes, where its nodes were in the frames that it was there.
class NodalTrack {
 public:
  /// @param bead form of a ball @param material of beads
  NodalTrack(const NodalBody&, MeshLibrary::Entry bead, std::uint32_t material);

  /// How its surface looks, which is seen from both sides: a material of the file, or a picture and what tints it.
  void set_sheet(std::uint32_t material) { sheet_ = material; }
  void set_sheet(const NodalBody&, SharedTexture, std::optional<Colour> tint);
  const SharedTexture& texture() const { return texture_; }   ///< null: none
  std::optional<Colour> tint() const { return tint_; }

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
  /// Three numbers of every node as three of every vertex of the surface.
  std::vector<float> at_vertices(std::span<const float> of_nodes) const;

  std::size_t width_;   ///< numbers of a frame
  MeshLibrary::Entry bead_;
  std::uint32_t material_, sheet_ = 0;
  SharedTexture texture_;
  std::optional<Colour> tint_;
  std::vector<std::uint32_t> node_of_;   ///< vertex of the surface; without a picture those are the nodes
  std::vector<std::uint32_t> beads_;     ///< nodes
  std::vector<std::array<std::uint32_t, 3>> triangles_;
  std::vector<float> places_;   ///< frame by frame, node by node [m]

  // What the binary part refers to.
  std::vector<std::uint32_t> indices_;
  std::vector<float> on_picture_;
  std::vector<std::vector<float>> attributes_;
  std::map<std::size_t, std::vector<float>> of_bead_;
  std::vector<float> weights_;
};

Error too_many_beads(std::size_t count);
Error too_many_morphs();

}   // namespace stickslip::glb
