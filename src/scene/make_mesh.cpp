#include "scene/make_mesh.h"

#include "stickslip/mesh/make_mesh.h"

namespace stickslip::document {

void read(const Place& place, Stick& stick) {
  read_object(place, "a stick", [&](Fields& fields) {
    stick.from = stick.to = fields.required<Vec3>("from");
    fields.optional("to", stick.to);
    stick.radius = fields.required<double>("radius");
  });
}

namespace {

/// Reading and making are apart: what cannot be read names its own place, what cannot be made gets that of the mesh.
using Making = std::function<TriangleMesh()>;

template <class T>
T read_or(Fields& fields, std::string_view key, T standard) {
  fields.optional(key, standard);
  return standard;
}

/// Bumps on a mesh, if it is to have any.
Making read_bumps(Fields& f, const Vec3& half_extents, Making smooth) {
  double height = 0;
  if (!f.optional("bumps", height)) return smooth;
  return [=, waves = read_or(f, "waves", 6.0)] { return with_bumps(smooth(), half_extents, height, waves); };
}

Making read_box(Fields& f) {
  const Box box{f.required<Vec3>("half_extents")};
  return read_bumps(f, box.half_extents, [box, n = read_or(f, "divisions", 1)] { return triangle_mesh(box, n); });
}

Making read_sphere(Fields& f) {
  const Sphere sphere{f.required<double>("radius")};
  return read_bumps(f, Vec3::Constant(sphere.radius),
                    [sphere, n = read_or(f, "divisions", 8)] { return triangle_mesh(sphere, n); });
}

/// A cylinder or a capsule.
template <class Upright>
Making read_upright(Fields& f) {
  const double radius = f.required<double>("radius"), half_height = f.required<double>("half_height");
  return [=, n = read_or(f, "segments", 32)] { return triangle_mesh(Upright{radius, half_height}, n); };
}

Making read_torus(Fields& f) {
  const double radius = f.required<double>("radius"), tube = f.required<double>("tube");
  const int segments = read_or(f, "segments", 32), around = read_or(f, "around", 16);
  return [=] { return torus(radius, tube, segments, around); };
}

Making read_revolved(Fields& f) {
  const auto profile = f.required<Polygon>("profile");
  return [profile, n = read_or(f, "segments", 32)] { return revolve(profile, n); };
}

Making read_extruded(Fields& f) {
  const auto outline = f.required<Polygon>("outline");
  const double half_height = f.required<double>("half_height");
  return [=, holes = read_or(f, "holes", std::vector<Polygon>())] { return extrude(outline, half_height, holes); };
}

Making read_gear(Fields& f) {
  Gear gear;
  gear.teeth = f.required<int>("teeth");
  gear.module = f.required<double>("module");
  f.optional("pressure_degrees", gear.pressure_degrees);
  f.optional("backlash", gear.backlash);
  f.optional("flank_points", gear.flank_points);
  const double half_height = f.required<double>("half_height"), bore = read_or(f, "bore", 0.0);
  return [=] {
    const Polygon outline = gear_outline(gear);
    const double foot = gear.module * (0.5 * gear.teeth - 1.25);
    if (!(bore >= 0 && bore < foot))
      throw Error(fmt::format("{} is no radius of a hole: the teeth stand on {:.6g} m. Give less, or 0 for none.", bore, foot))
          .at("bore");
    return extrude(outline, half_height, bore > 0 ? std::vector<Polygon>{circle(bore, 24)} : std::vector<Polygon>());
  };
}

Making read_swept(Fields& f) {
  const auto path = f.required<std::vector<Vec3>>("path");
  SweepOptions options;
  f.optional("closed", options.closed);
  if (const auto up = f.find("up")) read(*up, options.up.emplace());
  f.not_both("section", "radius");
  if (Polygon section; f.optional("section", section)) return [=] { return sweep(path, section, options); };
  const double radius = f.required<double>("radius");
  return [=, n = read_or(f, "segments", 16)] { return sweep(path, circle(radius, n), options); };
}

Thread read_thread(Fields& f) {
  Thread t;
  t.radius = f.required<double>("radius");
  t.pitch = f.required<double>("pitch");
  t.depth = f.required<double>("depth");
  t.clearance = f.required<double>("clearance");
  f.optional("flank_degrees", t.flank_degrees);
  f.optional("segments", t.segments);
  return t;
}

Making read_bolt(Fields& f) {
  Bolt bolt{.thread = read_thread(f)};
  bolt.length = f.required<double>("length");
  bolt.head_radius = f.required<double>("head_radius");
  bolt.head_height = f.required<double>("head_height");
  return [=] { return triangle_mesh(bolt); };
}

Making read_nut(Fields& f) {
  Nut nut{.thread = read_thread(f)};
  nut.half_height = f.required<double>("half_height");
  nut.outer_radius = f.required<double>("outer_radius");
  return [=] { return triangle_mesh(nut); };
}

Making read_sticks(Fields& f) {
  const auto sticks = f.required<std::vector<Stick>>("sticks");
  const double blend = read_or(f, "blend", 0.0), size = f.required<double>("size");
  return [=] { return joined_sticks(sticks, blend, size); };
}

/// Between eight corners, numbered by the bits x + 2y + 4z of the corners of a cube.
TriangleMesh straight_block(const std::vector<Vec3>& corners, int divisions) {
  if (corners.size() != 8)
    throw Error(fmt::format("{} corners make no block. Give 8: (−,−,−), (+,−,−), (−,+,−), (+,+,−), and the same for +z.",
                            corners.size()))
        .at("corners");
  const auto map = [&](const Vec3& p) {
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < 8; ++i)
      sum += (i & 1 ? p.x() : 1 - p.x()) * (i & 2 ? p.y() : 1 - p.y()) * (i & 4 ? p.z() : 1 - p.z()) * corners[i];
    return sum;
  };
  return block(map, {divisions, divisions, divisions});
}

Making read_block(Fields& f) {
  const auto corners = f.required<std::vector<Vec3>>("corners");
  return [=, n = read_or(f, "divisions", 1)] { return straight_block(corners, n); };
}

Making read_voussoir(Fields& f) {
  Voussoir v;
  v.inner = f.required<double>("inner");
  v.outer = f.required<double>("outer");
  v.from_degrees = f.required<double>("from_degrees");
  v.to_degrees = f.required<double>("to_degrees");
  v.half_depth = f.required<double>("half_depth");
  f.optional("divisions", v.divisions);
  return [=] { return triangle_mesh(v); };
}

Making read_wall_stone(Fields& f) {
  WallStone w;
  w.a = f.required<double>("a");
  w.b = f.required<double>("b");
  w.thickness = f.required<double>("thickness");
  w.lower = f.required<Polygon>("lower");
  w.upper = f.required<Polygon>("upper");
  f.optional("divisions", w.divisions);
  f.optional("origin", w.origin);
  return [=] { return triangle_mesh(w); };
}

struct Maker {
  std::string name;
  Making (*read)(Fields&);
};

const std::vector<Maker> kMakers = {{"box", read_box},
                                    {"sphere", read_sphere},
                                    {"cylinder", read_upright<Cylinder>},
                                    {"capsule", read_upright<Capsule>},
                                    {"torus", read_torus},
                                    {"revolve", read_revolved},
                                    {"extrude", read_extruded},
                                    {"gear", read_gear},
                                    {"sweep", read_swept},
                                    {"bolt", read_bolt},
                                    {"nut", read_nut},
                                    {"sticks", read_sticks},
                                    {"block", read_block},
                                    {"voussoir", read_voussoir},
                                    {"wall-stone", read_wall_stone}};

}   // namespace

TriangleMesh make_mesh(const Place& place, Fields& fields) {
  std::vector<std::string> names;
  for (const Maker& maker : kMakers) names.push_back(maker.name);
  const Making making = kMakers[read_choice(fields.get("make"), names)].read(fields);
  return place.within(making);
}

}   // namespace stickslip::document
