#include "record/trajectory_nodes.h"

#include <algorithm>
#include <limits>

namespace stickslip {

using h5::GrowingDataset;

void NodeDatasets::create(hid_t file, const World& world, std::vector<GrowingDataset*>& all) {
  const h5::Handle group = h5::create_group(file, "nodes");
  const auto add = [&](GrowingDataset& dataset, const char* name, hid_t type, GrowingDataset::Layout layout,
                       std::string_view unit = "") {
    dataset = GrowingDataset(group.get(), name, type, std::move(layout));
    if (!unit.empty()) h5::write_attribute(dataset.id(), "unit", unit);
    all.push_back(&dataset);
  };
  const GrowingDataset::Layout scalar{{}, 256}, many{{}, 8192}, corners{{3}, 8192};
  add(body_, "body", H5T_NATIVE_UINT32, scalar);
  add(radius_, "radius", H5T_NATIVE_DOUBLE, scalar, "m");
  add(first_node_, "first_node", H5T_NATIVE_UINT64, scalar);
  add(first_triangle_, "first_triangle", H5T_NATIVE_UINT64, scalar);
  add(mass_, "mass", H5T_NATIVE_DOUBLE, many, "kg");
  add(triangles_, "triangles", H5T_NATIVE_UINT32, corners);
  first_node_.push(std::uint64_t{0});
  first_triangle_.push(std::uint64_t{0});

  // Of those that come later one knows nothing: a middling width serves few and many.
  const hsize_t columns = world.node_count() > 0 ? std::min<hsize_t>(world.node_count(), 8192) : 1024;
  const hsize_t rows = std::clamp<hsize_t>((256 << 10) / (columns * 3 * sizeof(double)), 1, 64);
  const GrowingDataset::Layout vector{{3}, rows, columns};
  add(position_, "position", H5T_NATIVE_DOUBLE, vector, "m");
  add(velocity_, "velocity", H5T_NATIVE_DOUBLE, vector, "m/s");
}

void NodeDatasets::add_body(const World& world, BodyId id, std::uint32_t column) {
  const NodalBody& nodes = world.nodal_body(id);
  known_.push_back({id, nodes.size()});
  node_count_ += nodes.size();
  triangle_count_ += nodes.triangles.size();
  body_.push(column);
  radius_.push(nodes.radius);
  first_node_.push(std::uint64_t{node_count_});
  first_triangle_.push(std::uint64_t{triangle_count_});
  for (const double mass : nodes.masses) mass_.push(mass);
  for (const auto& triangle : nodes.triangles) triangles_.push(triangle.data(), sizeof triangle);
}

void NodeDatasets::write_frame(const World& world) {
  if (node_count_ == 0) {
    position_.skip_row();
    velocity_.skip_row();
    return;
  }
  position_.set_columns(node_count_);
  velocity_.set_columns(node_count_);
  const Vec3 absent = Vec3::Constant(std::numeric_limits<double>::quiet_NaN());
  for (const Known& body : known_) {
    const NodalBody* nodes = world.contains(body.id) ? &world.nodal_body(body.id) : nullptr;
    for (std::size_t i = 0; i < body.nodes; ++i) {
      position_.push(nodes ? nodes->positions[i] : absent);
      velocity_.push(nodes ? nodes->velocities[i] : absent);
    }
  }
}

}   // namespace stickslip
