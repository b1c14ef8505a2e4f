#include "record/gltf_forms.h"

#include <algorithm>

#include "record/gltf_materials.h"

namespace stickslip::glb {

std::size_t add_positions(Binary& binary, std::span<const float> values) {
  const Eigen::Map<const Eigen::Matrix3Xf> points(values.data(), 3, static_cast<Eigen::Index>(values.size() / 3));
  const Eigen::Vector3f low = points.rowwise().minCoeff(), high = points.rowwise().maxCoeff();
  return binary.add(values, "VEC3", 3, {{"min", {low.x(), low.y(), low.z()}}, {"max", {high.x(), high.y(), high.z()}}});
}

namespace {

template <class Vectors>
void append_floats(std::vector<float>& to, const Vectors& vectors) {
  for (const auto& v : vectors)
    for (const auto x : v) to.push_back(static_cast<float>(x));
}

/// Indices of the triangles of each picture; those without one come first.
std::vector<std::vector<std::uint32_t>> indices_by_picture(const DrawnMesh& mesh) {
  std::vector<std::vector<std::uint32_t>> indices(1 + mesh.pictures.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    std::vector<std::uint32_t>& to = indices[mesh.picture_of.empty() ? 0 : mesh.picture_of[t]];
    to.insert(to.end(), mesh.triangles[t].begin(), mesh.triangles[t].end());
  }
  return indices;
}

}   // namespace

void Forms::add_all(const MeshLibrary& library, double square_side, Binary& binary) {
  forms_.resize(library.meshes().size());
  for (std::size_t m = 0; m < forms_.size(); ++m) {
    const DrawnMesh& mesh = library.meshes()[m];
    Form& form = forms_[m];
    append_floats(form.positions, mesh.vertices);
    append_floats(form.normals, mesh.normals);
    if (std::ranges::any_of(mesh.shades, [](double shade) { return shade != 1; }))
      for (const double shade : mesh.shades) form.shades.insert(form.shades.end(), 3, static_cast<float>(shade));
    for (const auto& [red, green, blue, opacity] : mesh.colours) {
      for (const float x : {red, green, blue}) form.colours.push_back(linear_light(x));
      form.colours.push_back(opacity);
      form.clear = form.clear || opacity < 1;
    }
    const float copies = mesh.unbounded ? static_cast<float>(square_side) : 1;
    for (const auto& [right, up] : mesh.on_picture)
      form.on_picture.push_back(copies * right), form.on_picture.push_back(1 - copies * up);
    form.own_colours = mesh.has_own_colours();
    form.open = mesh.open;
    form.indices = indices_by_picture(mesh);
  }
  add_attributes(binary);
  add_pieces(library, binary);
}

void Forms::add_attributes(Binary& binary) {
  const auto add = [&](const char* name, std::vector<float> Form::*values, const char* type, std::size_t numbers) {
    binary.begin_view({{"target", array_buffer}, {"byteStride", 4 * numbers}});
    for (Form& form : forms_)
      if (!(form.*values).empty()) form.attributes[name] = binary.add(std::span<const float>(form.*values), type, numbers);
  };
  binary.begin_view({{"target", array_buffer}, {"byteStride", 12}});
  for (Form& form : forms_) form.attributes["POSITION"] = add_positions(binary, form.positions);
  add("NORMAL", &Form::normals, "VEC3", 3);
  add("COLOR_0", &Form::shades, "VEC3", 3);
  add("COLOR_0", &Form::colours, "VEC4", 4);
  add("TEXCOORD_0", &Form::on_picture, "VEC2", 2);
}

std::size_t Forms::image_of(const std::string& file, Binary& binary) {
  const auto [place, is_new] = image_of_file_.try_emplace(file, images_.size());
  if (is_new)
    images_.push_back(
        {{"bufferView", binary.add_bytes(file)}, {"mimeType", file.starts_with("\x89PNG") ? "image/png" : "image/jpeg"}});
  return place->second;
}

void Forms::add_pieces(const MeshLibrary& library, Binary& binary) {
  binary.begin_view({{"target", element_array_buffer}});
  for (Form& form : forms_)
    for (std::size_t picture = 0; picture < form.indices.size(); ++picture) {
      const std::vector<std::uint32_t>& indices = form.indices[picture];
      if (indices.empty()) continue;
      Json attributes = form.attributes;
      if (picture == 0) attributes.erase("TEXCOORD_0");
      form.pieces.push_back({{{"attributes", std::move(attributes)},
                              {"indices", binary.add(std::span<const std::uint32_t>(indices), "SCALAR", 1)}},
                             std::nullopt});
    }
  for (std::size_t m = 0; m < forms_.size(); ++m) {
    auto piece = forms_[m].pieces.begin();
    for (std::size_t picture = 0; picture < forms_[m].indices.size(); ++picture) {
      if (forms_[m].indices[picture].empty()) continue;
      if (picture > 0) piece->image = image_of(library.meshes()[m].pictures[picture - 1], binary);
      ++piece;
    }
  }
}

}   // namespace stickslip::glb
