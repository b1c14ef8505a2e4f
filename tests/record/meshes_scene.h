// Meshes with looks and scenes of them, for the tests of records.
#pragma once

#include "geometry/triangle_meshes.h"
#include "record_scenes.h"
#include "stickslip/geometry/mesh_solid.h"

namespace stickslip::test {

/// Two pixels, red and green: the smallest picture that a browser shows.
inline std::string two_pixels() {
  constexpr unsigned char bytes[] = {0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44,
                                     0x52, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x01, 0x08, 0x02, 0x00, 0x00, 0x00, 0x7b,
                                     0x40, 0xe8, 0xdd, 0x00, 0x00, 0x00, 0x0f, 0x49, 0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0xf8,
                                     0xcf, 0xc0, 0xc0, 0xf0, 0x9f, 0x01, 0x00, 0x07, 0xff, 0x01, 0xff, 0xb8, 0x04, 0x35, 0xe0,
                                     0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
  return {reinterpret_cast<const char*>(bytes), sizeof bytes};
}

/// A look for any mesh: every triangle in a colour of its own, every other one with the picture.
inline MeshLook bright_look(const TriangleMesh& mesh) {
  MeshLook look;
  look.pictures = {two_pixels()};
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    look.picture_of.push_back(t % 2);
    for (int k = 0; k < 3; ++k) {
      look.colours.push_back({static_cast<float>(t % 5) / 4, 0.5f, 1, 1});
      look.on_picture.push_back({k == 1 ? 1.0f : 0.0f, k == 2 ? 1.0f : 0.0f});
    }
  }
  return look;
}

/// Two Ls that share a mesh, one with an equal mesh of its own, one of the same surface in colours, a ball in two parts.
inline Scene meshes() {
  Scene scene;
  scene.name = "meshes";
  scene.document = "{}";
  scene.world.add(ground());
  const Mesh shared = make_mesh(l_mesh(), "angle");
  scene.world.add(body_of(shared, {0, 0, 0.2}, "first"));
  scene.world.add(body_of(shared, {3, 0, 1}, "second"));
  scene.world.add(body_of(make_mesh(l_mesh(), "angle"), {6, 0, 1}, "third"));
  scene.world.add(body_of(make_mesh(l_mesh(), "angle", bright_look(l_mesh())), {9, 0, 1}, "bright"));
  BodyDescription ball = body_of(make_mesh(sphere_mesh(0.5, 16), "ball"), {0, 4, 0.5}, "ball");
  ball.parts.push_back({Box{Vec3::Constant(0.2)}, {{0, 0, 0.6}}, {}});
  ball.angular_velocity = {0.3, 0.2, 1};
  scene.world.add(ball);
  return scene;
}

inline const MeshSolid& mesh_of(const World& world, const std::string& body) {
  return *std::get<Mesh>(world.colliders()[world.body(world.find(body)).colliders.front()].shape).solid;
}

}   // namespace stickslip::test
