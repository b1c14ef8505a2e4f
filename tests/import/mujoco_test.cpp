// MuJoCo as the oracle: models that come with it and our own, read by both.
#include <gmock/gmock.h>

#include <random>

#include "imported.h"
#include "stickslip/world/joint.h"

namespace stickslip {
namespace {

using test::example;
using test::model;
using test::Mujoco;
using test::sample;
using test::scene_of;

/// What makes a coordinate of a scene out of a joint of the model: its name stands in the name of the scene's joint.
struct Coordinate {
  const Joint* joint;
  int coordinate;
  double sign;
};

/// Finds the joint of the scene whose name has `name` as one of its parts, and the coordinate whose axis is the joint's at the
/// start.
std::optional<Coordinate> coordinate_of(const Scene& scene, const std::string& name, const Vec3& axis, bool turns) {
  for (const Joint& joint : scene.world.joints()) {
    const std::string padded = "+" + joint.description.name + "+";
    if (joint.description.type == JointType::gear || padded.find("+" + name + "+") == padded.npos) continue;
    const JointPlace place = locate(scene.world, joint);
    for (int c = turns ? joint_turn_x : joint_x; c <= (turns ? joint_turn_z : joint_z); ++c) {
      if (joint.description.axes[static_cast<std::size_t>(c)].locked) continue;
      const double along = place.frame_a.rotation().col(c % 3).dot(axis);
      if (std::abs(along) > 1 - 1e-9) return Coordinate{&joint, c, along > 0 ? 1.0 : -1.0};
    }
  }
  return std::nullopt;
}

/// Names of bodies in the scene: MuJoCo leaves out names that the file does not give.
std::string scene_name(const Mujoco& mujoco, const Scene& scene, int i) {
  const std::string name = mujoco.body_name(i);
  if (!name.empty()) return name;
  const auto bodies = scene.world.bodies();
  const auto nearest = std::min_element(bodies.begin(), bodies.end(), [&](const Body& a, const Body& b) {
    const auto distance = [&](const Body& body) {
      return body.name.starts_with("body-") ? (body.frame().position - mujoco.body_pose(i).position).norm() : 1e9;
    };
    return distance(a) < distance(b);
  });
  return nearest->name;
}

/// Mass properties in the world of a body together with the small ones that stand between its joints.
MassProperties mass_with_between(const Scene& scene, const Body& body) {
  MassProperties sum = body.mass.placed(body.frame());
  for (const Body& other : scene.world.bodies())
    if (other.name.starts_with(body.name + "-between")) sum += other.mass.placed(other.frame());
  return sum;
}

/// Files that both can read in full.
std::vector<std::filesystem::path> files() {
  return {sample("humanoid/humanoid.xml"),
          sample("humanoid/22_humanoids.xml"),
          sample("slider_crank/slider_crank.xml"),
          sample("tendon_arm/arm26.xml"),
          model("classes.xml"),
          example("walker.xml")};
}

TEST(MujocoModels, bodies_stand_where_mujoco_puts_them_and_weigh_the_same) {
  for (const auto& file : files()) {
    const Mujoco mujoco(file);
    const Scene scene = scene_of(import_mjcf(file));
    std::size_t dynamic = 0;
    for (int i = 1; i < mujoco.model->nbody; ++i) {
      const std::string name = scene_name(mujoco, scene, i);
      const Body& body = scene.world.body(scene.world.find(name));
      test::expect_pose(body.frame(), mujoco.body_pose(i), file.filename().string() + ": " + name, 1e-12);
      if (body.motion != MotionType::dynamic) continue;
      ++dynamic;
      const MassProperties expected = mujoco.body_mass(i).placed(mujoco.body_pose(i)), got = mass_with_between(scene, body);
      EXPECT_NEAR(got.mass, expected.mass, 1e-12 * expected.mass) << name;
      EXPECT_LT((got.center - expected.center).norm(), 1e-12) << name;
      // MuJoCo diagonalises a fullinertia to 5e-7 only; mjcf_test compares that one with the numbers of the file.
      EXPECT_LT((got.inertia - expected.inertia).norm(), (name == "shin" ? 1e-6 : 1e-10) * expected.inertia.norm()) << name;
    }
    EXPECT_GE(dynamic, 2u) << file;
  }
}

TEST(MujocoModels, joints_have_the_same_axes_anchors_ranges_springs_and_dampers) {
  for (const auto& file : files()) {
    const Mujoco mujoco(file);
    const mjModel& m = *mujoco.model;
    const Scene scene = scene_of(import_mjcf(file));
    for (int i = 0; i < m.njnt; ++i) {
      const std::string name = mujoco.joint_name(i);
      if (name.empty() || m.jnt_type[i] == mjJNT_FREE || m.jnt_type[i] == mjJNT_BALL) continue;
      const bool turns = m.jnt_type[i] == mjJNT_HINGE;
      const Vec3 axis(mujoco.data->xaxis + 3 * i), anchor(mujoco.data->xanchor + 3 * i);
      const auto found = coordinate_of(scene, name, axis, turns);
      ASSERT_TRUE(found) << file << " " << name;
      const JointAxis& settings = found->joint->description.axes[static_cast<std::size_t>(found->coordinate)];
      const Pose frame = locate(scene.world, *found->joint).frame_a;
      if (turns) {
        EXPECT_LT((anchor - frame.position).norm(), 1e-12) << name;
      }
      const double s = found->sign, start = m.qpos0[m.jnt_qposadr[i]], infinity = std::numeric_limits<double>::infinity();
      const double low = m.jnt_limited[i] ? m.jnt_range[2 * i] - start : -infinity,
                   high = m.jnt_limited[i] ? m.jnt_range[2 * i + 1] - start : infinity;
      const auto same = [](double a, double b) { return a == b || std::abs(a - b) < 1e-12; };
      EXPECT_TRUE(same(settings.lower, s > 0 ? low : -high) && same(settings.upper, s > 0 ? high : -low))
          << name << " " << settings.lower << " " << settings.upper;
      const double damping = m.dof_damping[m.jnt_dofadr[i]];
      EXPECT_EQ(settings.spring ? settings.spring->stiffness : 0, m.jnt_stiffness[i]) << name;
      EXPECT_EQ(settings.spring ? settings.spring->damping : 0, damping) << name;
      if (m.jnt_stiffness[i] > 0) {
        EXPECT_NEAR(settings.spring->rest, s * (m.qpos_spring[m.jnt_qposadr[i]] - start), 1e-12) << name;
      }
      EXPECT_EQ(settings.friction, m.dof_frictionloss[m.jnt_dofadr[i]]) << name;
    }
  }
}

/// The strongest test of joint frames: bodies are put where MuJoCo moves them for random values of its joints; then the
/// coordinates of the scene's joints must be these values, and what is locked must not have moved.
TEST(MujocoModels, coordinates_are_the_values_of_the_joints_in_any_pose) {
  std::mt19937 random(7);
  for (const auto& file : files()) {
    Mujoco mujoco(file);
    const mjModel& m = *mujoco.model;
    Scene scene = scene_of(import_mjcf(file));
    std::vector<std::pair<int, Coordinate>> pairs;
    for (int i = 0; i < m.njnt; ++i) {
      const std::string name = mujoco.joint_name(i);
      if (name.empty() || m.jnt_type[i] == mjJNT_FREE || m.jnt_type[i] == mjJNT_BALL) continue;
      const auto found = coordinate_of(scene, name, Vec3(mujoco.data->xaxis + 3 * i), m.jnt_type[i] == mjJNT_HINGE);
      ASSERT_TRUE(found) << name;
      pairs.emplace_back(i, *found);
    }
    const std::vector<double> start(m.qpos0, m.qpos0 + m.nq);
    std::vector<BodyId> body_of = {{}};
    for (int i = 1; i < m.nbody; ++i) body_of.push_back(scene.world.find(scene_name(mujoco, scene, i)));
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < m.njnt; ++i) {
        if (m.jnt_type[i] == mjJNT_FREE || m.jnt_type[i] == mjJNT_BALL) continue;
        const bool limited = m.jnt_limited[i];
        std::uniform_real_distribution<double> value(limited ? m.jnt_range[2 * i] : -1.2,
                                                     limited ? m.jnt_range[2 * i + 1] : 1.2);
        mujoco.data->qpos[m.jnt_qposadr[i]] = value(random);
      }
      mj_kinematics(mujoco.model, mujoco.data);
      for (int i = 1; i < m.nbody; ++i)
        if (const BodyId id = body_of[static_cast<std::size_t>(i)]; scene.world.body(id).motion == MotionType::dynamic)
          scene.world.set_frame(id, mujoco.body_pose(i));
      std::size_t compared = 0;
      for (const auto& [i, c] : pairs) {
        const auto touches_between = [&](BodyId id) {
          return id != BodyId{} && scene.world.body(id).name.find("-between") != std::string::npos;
        };
        if (touches_between(c.joint->description.a) || touches_between(c.joint->description.b))
          continue;   // MuJoCo has no such body
        const JointPlace place = locate(scene.world, *c.joint);
        const double wanted =
            c.sign * (mujoco.data->qpos[m.jnt_qposadr[i]] - start[static_cast<std::size_t>(m.jnt_qposadr[i])]);
        const double off = place.position[static_cast<std::size_t>(c.coordinate)] - wanted;
        EXPECT_NEAR(std::remainder(off, 2 * EIGEN_PI), 0, 1e-9) << mujoco.joint_name(i);
        for (std::size_t k = 0; k < kJointCoordinates; ++k)
          if (c.joint->description.axes[k].locked) {
            EXPECT_NEAR(place.position[k], 0, 1e-9) << c.joint->description.name << " " << k;
          }
        ++compared;
      }
      if (!pairs.empty()) {
        EXPECT_GT(compared, 0u) << file;
      }
    }
  }
}

TEST(MujocoModels, servos_push_as_the_actuators_do) {
  for (const auto& file : {model("classes.xml"), example("walker.xml")}) {
    Mujoco mujoco(file);
    const mjModel& m = *mujoco.model;
    const Scene scene = scene_of(import_mjcf(file));
    for (int i = 0; i < m.nv; ++i) mujoco.data->qvel[i] = 0.1 * (i % 5) - 0.2;
    for (int i = 0; i < m.njnt; ++i)
      if (m.jnt_type[i] == mjJNT_HINGE || m.jnt_type[i] == mjJNT_SLIDE)
        mujoco.data->qpos[m.jnt_qposadr[i]] += 0.03 * (i % 3) - 0.02;
    mj_forward(mujoco.model, mujoco.data);
    std::size_t driven = 0;
    mj_kinematics(mujoco.model, mujoco.data);
    for (int i = 0; i < m.njnt; ++i) {
      if (m.jnt_type[i] != mjJNT_HINGE && m.jnt_type[i] != mjJNT_SLIDE) continue;
      Mujoco start(file);
      const auto c = coordinate_of(scene, mujoco.joint_name(i), Vec3(start.data->xaxis + 3 * i), m.jnt_type[i] == mjJNT_HINGE);
      ASSERT_TRUE(c);
      const JointAxis& axis = c->joint->description.axes[static_cast<std::size_t>(c->coordinate)];
      const int at = m.jnt_qposadr[i], dof = m.jnt_dofadr[i];
      const double value = c->sign * (mujoco.data->qpos[at] - m.qpos0[at]), speed = c->sign * mujoco.data->qvel[dof];
      const double force = axis.servo ? axis.servo->stiffness * (axis.servo->target - value) - axis.servo->damping * speed : 0;
      EXPECT_NEAR(force, c->sign * mujoco.data->qfrc_actuator[dof], 1e-9) << mujoco.joint_name(i);
      driven += axis.servo.has_value();
    }
    EXPECT_EQ(driven, 2u);
  }
}

/// Pairs of geoms that MuJoCo's filters let through are those that the scene lets touch, apart from overlaps at the start,
/// which are named.
TEST(MujocoModels, the_same_pairs_of_bodies_may_touch) {
  for (const auto& file : {sample("humanoid/humanoid.xml"), model("classes.xml"), example("walker.xml")}) {
    const Mujoco mujoco(file);
    const mjModel& m = *mujoco.model;
    const ImportedScene imported = import_mjcf(file);
    const Scene scene = scene_of(imported);
    std::size_t yes = 0, no = 0;
    for (int i = 1; i < m.nbody; ++i)
      for (int j = i + 1; j < m.nbody; ++j) {
        const Body &a = scene.world.body(scene.world.find(mujoco.body_name(i))),
                   &b = scene.world.body(scene.world.find(mujoco.body_name(j)));
        if (a.colliders.empty() || b.colliders.empty() || (a.motion != MotionType::dynamic && b.motion != MotionType::dynamic))
          continue;
        const int wi = m.body_weldid[i], wj = m.body_weldid[j], pi = m.body_weldid[m.body_parentid[wi]],
                  pj = m.body_weldid[m.body_parentid[wj]];
        bool may = wi != wj && !(wi != 0 && wj != 0 && (pi == wj || pj == wi));
        for (int e = 0; e < m.nexclude; ++e)   // signature: bodies counted from 1
          if (m.exclude_signature[e] == ((i + 1) << 16) + j + 1 || m.exclude_signature[e] == ((j + 1) << 16) + i + 1)
            may = false;
        bool masks = false;
        for (int g = m.body_geomadr[i]; g < m.body_geomadr[i] + m.body_geomnum[i]; ++g)
          for (int h = m.body_geomadr[j]; h < m.body_geomadr[j] + m.body_geomnum[j]; ++h)
            masks = masks || (m.geom_contype[g] & m.geom_conaffinity[h]) || (m.geom_contype[h] & m.geom_conaffinity[g]);
        const bool said =
            test::found(imported, ImportFinding::Kind::approximated, "", fmt::format("'{}' and '{}' overlap", a.name, b.name));
        EXPECT_EQ(scene.world.may_touch(scene.world.find(a.name).index, scene.world.find(b.name).index), may && masks && !said)
            << a.name << " " << b.name;
        (may && masks ? yes : no) += 1;
      }
    EXPECT_GT(yes, 0u);
    EXPECT_GT(no, 0u);
  }
}

TEST(MujocoModels, an_included_humanoid_is_the_same_as_one_written_out) {
  const Scene plain = scene_of(import_mjcf(sample("humanoid/humanoid.xml")));
  const ImportedScene hammock = import_mjcf(sample("hammock/hammock.xml"));
  const Scene lying = scene_of(hammock);
  for (const Body& body : plain.world.bodies()) {
    if (body.motion != MotionType::dynamic) continue;
    const Body& other = lying.world.body(lying.world.find(body.name));
    test::expect_pose(other.frame(), body.frame(), body.name);
    EXPECT_EQ(other.mass.mass, body.mass.mass) << body.name;
  }
  EXPECT_TRUE(test::found(hammock, ImportFinding::Kind::not_supported, "line", "<composite> and what is in it"));
  EXPECT_TRUE(test::found(hammock, ImportFinding::Kind::ignored, "humanoid_body.xml", "only looks"));
}

TEST(MujocoModels, every_file_that_comes_with_mujoco_is_read_or_refused_with_a_reason) {
  std::size_t read = 0, refused = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(sample(""))) {
    if (entry.path().extension() != ".xml" || entry.path().filename().string().find("humanoid100") == 0) continue;
    ImportOptions options;
    options.meshes = MeshImport::hull;
    try {
      parse_scene(import_mjcf(entry.path(), options).document, entry.path());   // files are named from its folder
      ++read;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("line "), std::string::npos) << e.what();
      ++refused;
    }
  }
  EXPECT_GE(read, 12u);
  EXPECT_LE(refused, 4u);
}

}   // namespace
}   // namespace stickslip
