#include "record/gltf_forms.h"

#include <algorithm>

namespace stickslip::glb {

std::size_t add_positions(Binary& binary, std::span<const float> values) {
  const Eigen::Map<const Eigen::Matrix3Xf> points(values.data(), 3, static_cast<Eigen::Index>(values.size() / 3));
  const Eigen::Vector3f low = points.rowwise().minCoeff(), high = points.rowwise().maxCoeff();
  return binary.add(values, "VEC3", 3, {{"min", {low.x(), low.y(), low.z()}}, {"max", {high.x(), high.y(), high.z()}}});
}

void Forms::add_all(const MeshLibrary& library, Binary& binary) {
  forms_.resize(library.meshes().size());
  for (std::size_t m = 0; m < forms_.size(); ++m) {
    const DrawnMesh& mesh = library.meshes()[m];
    Form& form = forms_[m];
    for (const Vec3& vertex : mesh.vertices)
      for (const double x : vertex) form.positions.push_back(static_cast<float>(x));
    for (const Vec3& normal : mesh.normals)
      for (const double x : normal) form.normals.push_back(static_cast<float>(x));
    if (std::ranges::any_of(mesh.shades, [](double shade) { return shade != 1; }))
      for (const double shade : mesh.shades) form.colours.insert(form.colours.end(), 3, static_cast<float>(shade));
    for (const auto& triangle : mesh.triangles) form.indices.insert(form.indices.end(), triangle.begin(), triangle.end());
  }
  const Json vectors = {{"target", array_buffer}, {"byteStride", 12}};
  binary.begin_view(vectors);
  for (Form& form : forms_) form.attributes["POSITION"] = add_positions(binary, form.positions);
  binary.begin_view(vectors);
  for (Form& form : forms_) form.attributes["NORMAL"] = binary.add(std::span<const float>(form.normals), "VEC3", 3);
  binary.begin_view(vectors);
  for (Form& form : forms_)
    if (!form.colours.empty()) form.attributes["COLOR_0"] = binary.add(std::span<const float>(form.colours), "VEC3", 3);
  binary.begin_view({{"target", element_array_buffer}});
  for (Form& form : forms_) form.index_accessor = binary.add(std::span<const std::uint32_t>(form.indices), "SCALAR", 1);
}

Json Forms::primitive(std::size_t mesh) const {
  return {{"attributes", forms_[mesh].attributes}, {"indices", forms_[mesh].index_accessor}};
}

}   // namespace stickslip::glb
