// Bodies come and go; ids, names, materials and masses stay right.
#include "stickslip/world/world.h"

#include <gtest/gtest.h>

#include "error_message.h"

namespace stickslip::testing {
namespace {

BodyDescription ball(const std::string& name = "", const Vec3& position = Vec3::Zero()) {
  BodyDescription d;
  d.name = name;
  d.parts = {{Sphere{0.5}, {}, {}}};
  d.pose.position = position;
  return d;
}

TEST(World, a_removed_body_leaves_a_stale_id_even_when_its_slot_is_used_again) {
  World world;
  const BodyId first = world.add(ball("a"));
  world.remove(first);
  const BodyId second = world.add(ball("a"));
  EXPECT_EQ(first.index, second.index);
  EXPECT_FALSE(world.contains(first));
  EXPECT_TRUE(world.contains(second));
  EXPECT_THROW(world.body(first), Error);
  EXPECT_THROW(world.remove(first), Error);
  EXPECT_EQ(world.find("a"), second);
  EXPECT_EQ(world.body_count(), 1u);
}

TEST(World, removing_a_body_forgets_its_impulses_and_wakes_its_neighbours) {
  World world;
  const BodyId a = world.add(ball("a")), b = world.add(ball("b")), c = world.add(ball("c"));
  for (Body& body : world.mutable_bodies()) body.asleep = true;
  world.memory.impulses = {{{{0, 1}, 0}, Vec3::UnitZ(), Vec3::Zero()}, {{{1, 2}, 0}, Vec3::UnitZ(), Vec3::Zero()}};
  world.remove(a);
  EXPECT_EQ(world.memory.impulses.size(), 1u);
  EXPECT_FALSE(world.body(b).asleep);
  EXPECT_TRUE(world.body(c).asleep);
}

TEST(World, refuses_what_cannot_be_simulated_and_says_why) {
  World world;
  world.add(ball("a"));
  EXPECT_EQ(message_of([&] { world.add(ball("a")); }), "/name: There is already a body 'a'. Body names must differ.");
  EXPECT_EQ(message_of([&] { world.add({}); }),
            "/parts: A body needs at least one part. Only a dynamic body with mass_properties can do without.");
  EXPECT_NE(message_of([&] {
              BodyDescription d = ball();
              d.parts[0].shape = HalfSpace{};
              world.add(d);
            }).find("half-space"),
            std::string::npos);
  EXPECT_NE(message_of([&] { world.add(ball("n", {std::nan(""), 0, 0})); }).find("/position"), std::string::npos);
  EXPECT_NE(message_of([&] {
              BodyDescription d = ball();
              d.mass = -2;
              world.add(d);
            }).find("-2 is not a mass"),
            std::string::npos);
  EXPECT_EQ(message_of([&] { world.find("b"); }), "There is no body 'b'. Did you mean 'a'?");
  EXPECT_EQ(world.body_count(), 1u) << "a refused body leaves nothing behind";
  EXPECT_EQ(world.colliders().size(), 1u);
}

TEST(World, a_body_of_two_parts_has_their_common_centre_of_mass) {
  World world;
  BodyDescription d;
  d.parts = {{Sphere{0.5}, {{-1, 0, 0}, Quat::Identity()}, {}}, {Sphere{0.5}, {{3, 0, 0}, Quat::Identity()}, {}}};
  d.pose = {{10, 0, 0}, Quat(Eigen::AngleAxisd(M_PI / 2, Vec3::UnitZ()))};
  const BodyId id = world.add(d);
  const Body& b = world.body(id);
  EXPECT_LT((b.mass.center - Vec3(1, 0, 0)).norm(), 1e-15);
  EXPECT_LT((b.position - Vec3(10, 1, 0)).norm(), 1e-15);
  EXPECT_LT((b.frame().position - Vec3(10, 0, 0)).norm(), 1e-15);
  // Parallel axes: two balls of mass m at ±2 m from the common centre.
  const double m = b.mass.mass / 2, ball_inertia = 0.4 * m * 0.25;
  EXPECT_NEAR(b.mass.inertia(1, 1), 2 * (ball_inertia + 4 * m), 1e-9 * m);
}

TEST(World, an_impulse_off_centre_changes_momentum_by_exactly_itself) {
  World world;
  const BodyId id = world.add(ball("a", {1, 2, 3}));
  const Vec3 impulse(3, -1, 2), point(1.5, 2, 3);
  world.apply_impulse(id, impulse, point);
  EXPECT_LT((world.linear_momentum() - impulse).norm(), 1e-12);
  EXPECT_LT((world.angular_momentum() - point.cross(impulse)).norm(), 1e-12);
}

TEST(World, the_state_hash_sees_every_bit_of_the_state) {
  World world;
  const BodyId id = world.add(ball());
  const std::uint64_t before = world.state_hash();
  EXPECT_EQ(world.state_hash(), before);
  world.mutable_bodies()[0].velocity.x() = std::numeric_limits<double>::denorm_min();
  EXPECT_NE(world.state_hash(), before);
  world.set_velocity(id, Vec3::Zero(), Vec3::Zero());
  EXPECT_EQ(world.state_hash(), before);
  world.memory.impulses.push_back({{{0, 1}, 2}, Vec3::Zero(), Vec3::Zero()});
  EXPECT_NE(world.state_hash(), before);
}

TEST(World, the_state_hash_sees_masses_shapes_materials_scripts_and_joints) {
  World world;
  const BodyId a = world.add(ball("a")), b = world.add(ball("b", {2, 0, 0}));
  BodyDescription moved = ball("c", {4, 0, 0});
  moved.motion = MotionType::kinematic;
  moved.script = Oscillation{{0.1, 0, 0}, Vec3::Zero(), 1, 0};
  world.add(moved);
  JointDescription hinge;
  hinge.type = JointType::hinge;
  hinge.a = a, hinge.b = b;
  hinge.axes[joint_turn_z].motor = JointMotor{1, 10};
  const JointId joint = world.add(hinge);
  const std::uint64_t before = world.state_hash();
  const auto changes = [&](auto&& change) {
    World other = world;
    change(other);
    return other.state_hash() != before;
  };
  EXPECT_FALSE(changes([](World&) {}));
  EXPECT_TRUE(changes([](World& w) { w.mutable_bodies()[0].mass.mass *= 2; }));
  EXPECT_TRUE(changes([](World& w) { w.mutable_bodies()[0].mass.inertia(0, 0) *= 2; }));
  EXPECT_TRUE(changes([](World& w) { w.mutable_bodies()[0].can_sleep = false; }));
  EXPECT_TRUE(changes([](World& w) { w.mutable_bodies()[0].continuous = Continuous::impact; }));
  EXPECT_TRUE(changes([](World& w) { std::get<Oscillation>(w.mutable_bodies()[2].script).phase = 1; }));
  EXPECT_TRUE(changes([](World& w) { std::get<Sphere>(w.mutable_colliders()[0].shape).radius *= 2; }));
  EXPECT_TRUE(changes([](World& w) { w.mutable_colliders()[1].local.position.x() += 1; }));
  EXPECT_TRUE(changes([](World& w) {
    Material m = w.materials[MaterialId{}];
    m.friction += 0.1;
    w.materials.set(MaterialId{}, m);
  }));
  EXPECT_TRUE(changes([](World& w) { w.materials.set_pair(MaterialId{}, MaterialId{}, {0.3, 0}); }));
  EXPECT_TRUE(changes([](World& w) { w.materials.friction_rule = CombineRule::minimum; }));
  EXPECT_TRUE(changes([&](World& w) {
    JointAxis axis = w.joint(joint).description.axes[joint_turn_z];
    axis.motor->speed = 2;
    w.set_joint_axis(joint, joint_turn_z, axis);
  }));
  EXPECT_TRUE(changes([](World& w) { w.mutable_joints()[0].description.break_force = 1; }));
  EXPECT_TRUE(changes([&](World& w) { w.ignore_contacts(a, w.find("c")); }));
}

TEST(Materials, the_pair_table_wins_over_the_combine_rule) {
  MaterialTable table;
  const MaterialId ice = table.add({"ice", 917, 0.04, 0.1}), rubber = table.add({"rubber", 1100, 1.0, 0.8});
  EXPECT_NEAR(table.between(ice, rubber).friction, std::sqrt(0.04), 1e-15);
  EXPECT_EQ(table.between(ice, rubber).restitution, 0.8);
  table.friction_rule = CombineRule::minimum;
  EXPECT_EQ(table.between(rubber, ice).friction, 0.04);
  table.set_pair(rubber, ice, {0.15, 0.3});
  EXPECT_EQ(table.between(ice, rubber).friction, 0.15);
  EXPECT_EQ(table.between(rubber, ice).restitution, 0.3);
}

TEST(Materials, laws_combine_coefficient_by_coefficient) {
  const auto law = [](std::string_view name, std::vector<std::pair<std::string, double>> numbers) {
    return std::make_shared<const SurfaceLaw>(make_surface_law(name, numbers));
  };
  MaterialTable table;
  const MaterialId wood =
      table.add({"wood", 700, 0.5, 0, law("contensou", {{"along", 0.1}, {"across", 0.4}, {"torsion", 0.01}}), {}});
  const MaterialId pine =
      table.add({"pine", 700, 0.5, 0, law("contensou", {{"along", 0.4}, {"across", 0.4}, {"torsion", 0.04}}), {}});
  const MaterialId ball = table.add({"ball", 700, 0.5, 0, law("rolling", {{"friction", 0.4}, {"rolling", 0.04}}), {}});
  const MaterialId steel = table.add({"steel", 7800, 0.4, 0, nullptr, {}});
  // With a plain material: the coefficients of the law, but not its lengths.
  const SurfacePair plain = table.between(steel, wood);
  EXPECT_EQ(plain.fixed_to, wood);
  EXPECT_DOUBLE_EQ(plain.law->numbers[0], 0.2);
  EXPECT_DOUBLE_EQ(plain.law->numbers[1], 0.4);
  EXPECT_DOUBLE_EQ(plain.law->numbers[2], 0.01);
  const SurfacePair both = table.between(pine, wood);
  EXPECT_EQ(both.fixed_to, wood);
  EXPECT_DOUBLE_EQ(both.law->numbers[0], 0.2);
  EXPECT_DOUBLE_EQ(both.law->numbers[2], 0.02);
  EXPECT_EQ(*table.between(wood, wood).law, *table[wood].law);
  EXPECT_THROW(table.between(wood, ball), Error);
  table.set_pair(ball, wood, {0.3, 0, nullptr, ball});
  EXPECT_EQ(table.between(wood, ball).friction, 0.3);
  EXPECT_EQ(table.between(wood, ball).law, nullptr);
  EXPECT_THROW(table.add({"bad", 1, 0.5, 0, std::make_shared<const SurfaceLaw>(SurfaceLaw{"ellipse", {-1, 0.2}, {}}), {}}),
               Error);
}

TEST(Materials, refuse_numbers_out_of_range) {
  MaterialTable table;
  EXPECT_THROW(table.add({"a", 1000, -0.1, 0}), Error);
  EXPECT_THROW(table.add({"a", 1000, 0.1, 1.5}), Error);
  EXPECT_THROW(table.add({"a", 0, 0.1, 0}), Error);
  EXPECT_THROW(table.add({"default", 1000, 0.1, 0}), Error);
  EXPECT_THROW(table.set_pair({0}, {0}, {std::nan(""), 0}), Error);
  EXPECT_EQ(message_of([] { combine_rule_from_name("averge"); }), "'averge' is not a combine rule. Did you mean 'average'?");
}

TEST(Script, keyframes_pass_through_their_poses_and_rest_outside) {
  const Quat quarter(Eigen::AngleAxisd(M_PI / 2, Vec3::UnitZ()));
  const MotionScript script = Keyframes{{{1, {{0, 0, 0}, Quat::Identity()}}, {3, {{4, 0, 0}, quarter}}}};
  validate(script);
  EXPECT_LT(scripted_pose(script, {}, 0.5).position.norm(), 1e-15);
  EXPECT_LT((scripted_pose(script, {}, 2).position - Vec3(2, 0, 0)).norm(), 1e-15);
  EXPECT_NEAR(scripted_pose(script, {}, 2).orientation.angularDistance(Quat::Identity()), M_PI / 4, 1e-12);
  EXPECT_LT((scripted_pose(script, {}, 9).position - Vec3(4, 0, 0)).norm(), 1e-15);
  EXPECT_THROW(validate(MotionScript{Keyframes{{{1, {}}, {1, {}}}}}), Error);
  EXPECT_THROW(validate(MotionScript{Oscillation{.frequency = 0}}), Error);
}

}   // namespace
}   // namespace stickslip::testing
