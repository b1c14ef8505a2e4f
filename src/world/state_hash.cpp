// The hash of everything that determines the motion of a world.
#include <array>
#include <bit>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>

#include "stickslip/geometry/mesh_solid.h"
#include "stickslip/geometry/shape_fields.h"
#include "stickslip/soft/elastic_solid.h"
#include "stickslip/world/world.h"

namespace stickslip {

namespace {

/// FNV-1a over the bits of 64-bit words. `add` takes everything that a world is made of, with numbers of items before lists, so
/// that no two worlds are the same sequence of words.
class Hash {
 public:
  std::uint64_t value() const { return value_; }

  void add(std::uint64_t word) {
    for (int i = 0; i < 8; ++i) value_ = (value_ ^ ((word >> (8 * i)) & 0xff)) * 0x100000001b3ull;
  }
  void add(double x) { add(std::bit_cast<std::uint64_t>(x)); }
  void add(bool x) { add(std::uint64_t{x}); }
  template <class Enumeration>
  requires std::is_enum_v<Enumeration>
  void add(Enumeration x) { add(static_cast<std::uint64_t>(x)); }
  template <int Rows, int Columns>
  void add(const Eigen::Matrix<double, Rows, Columns>& numbers) {
    for (const double x : numbers.reshaped()) add(x);
  }
  void add(const Quat& q) { add(q.w()), add(q.x()), add(q.y()), add(q.z()); }
  void add(const Pose& pose) { add(pose.position), add(pose.orientation); }
  template <class Item>
  void add(const std::vector<Item>& items) {
    add(std::uint64_t{items.size()});
    for (const Item& item : items) add(item);
  }
  template <class First, class Second>
  void add(const std::pair<First, Second>& pair) {
    add(pair.first), add(pair.second);
  }
  template <class Item, std::size_t Size>
  void add(const std::array<Item, Size>& items) {
    for (const Item& item : items) add(item);
  }
  template <class Item>
  void add(const std::optional<Item>& item) {
    add(item.has_value());
    if (item) add(*item);
  }
  template <class Item>
  void add(const std::shared_ptr<const Item>& item) {
    add(item != nullptr);
    if (item) add(*item);
  }
  template <class... Kinds>
  void add(const std::variant<Kinds...>& item) {
    add(std::uint64_t{item.index()});
    std::visit([this](const auto& kind) { add(kind); }, item);
  }
  void add(const std::string& text) {
    add(std::uint64_t{text.size()});
    for (const char c : text) add(std::uint64_t{static_cast<unsigned char>(c)});
  }

  // Shapes.
  void add(const Shape& shape) {
    add(std::uint64_t{shape.index()});
    std::visit([this](const auto& s) { for_each_field(s, [this](std::string_view, const auto& x) { add(x); }); }, shape);
    if (const auto* hull = std::get_if<ConvexHull>(&shape)) add(hull->polytope->vertices);
    if (const auto* mesh = std::get_if<Mesh>(&shape)) add(mesh->solid->checksum());
  }

  // Scripts.
  void add(const ConstantVelocity&) {}
  void add(const Oscillation& s) { add(s.translation), add(s.rotation), add(s.frequency), add(s.phase); }
  void add(const Keyframes& s) { add(s.keys); }
  void add(const Keyframes::Key& key) { add(key.time), add(key.pose); }

  // Materials. A density has done its work when the masses are known.
  void add(const SurfaceLaw& law) { add(law.name), add(law.numbers), add(law.points); }
  void add(const FixedStructure& s) { add(s.direction); }
  void add(const CircularStructure& s) { add(s.center), add(s.axis); }
  void add(const RadialStructure& s) { add(s.center), add(s.axis); }
  void add(const FlowStructure& s) { add(s.center), add(s.radius), add(s.direction); }
  void add(const PictureStructure& s) { add(s.picture), add(s.size); }
  void add(const FunctionStructure&) {}   // a function has no bits to show
  void add(const Picture& picture) {
    add(static_cast<std::uint64_t>(picture.width())), add(static_cast<std::uint64_t>(picture.height()));
    for (const float x : picture.rgb()) add(std::uint64_t{std::bit_cast<std::uint32_t>(x)});
  }
  void add(const Material& m) {
    add(m.friction), add(m.restitution), add(m.law);
    add(m.surface.structure), add(m.surface.tensor), add(m.surface.normal_map.picture), add(m.surface.normal_map.size);
    if (m.tangential_restitution != 0) add(m.tangential_restitution);
  }
  void add(const SurfacePair& pair) {
    add(pair.friction), add(pair.restitution), add(pair.law), add(std::uint64_t{pair.fixed_to.index});
    if (pair.contact != ContactForm::automatic) add(pair.contact);
    if (pair.tangential_restitution != 0) add(pair.tangential_restitution);
  }
  void add(const MaterialTable& table) {
    add(table.friction_rule), add(table.restitution_rule);
    add(std::uint64_t{table.size()});
    for (std::uint32_t i = 0; i < table.size(); ++i) add(table[MaterialId{i}]);
    add(std::uint64_t{table.pairs().size()});
    for (const auto& [materials, pair] : table.pairs()) add(std::uint64_t{materials.first} << 32 | materials.second), add(pair);
  }

  // Bodies.
  void add(const MassProperties& m) { add(m.mass), add(m.center), add(m.inertia); }
  void add(const Collider& c) { add(c.shape), add(c.local), add(std::uint64_t{c.material.index}); }
  void add(const Body& b) {
    add(std::uint64_t{b.generation});
    add(b.motion), add(b.asleep), add(b.can_sleep);
    if (b.continuous != Continuous::automatic) add(b.continuous);
    if (b.contact != ContactForm::automatic) add(b.contact);
    if (b.overlap != 0) add(b.overlap);
    add(b.quiet.time), add(b.quiet.moved), add(b.quiet.turned), add(b.quiet.early), add(b.quiet.far);
    add(b.position), add(b.orientation), add(b.velocity), add(b.angular_velocity);
    add(b.force), add(b.torque), add(b.mass);
    add(b.script), add(b.script_start);
  }
  void add(const SoftMaterial& m) {
    add(m.model);
    for (const double x : {m.young, m.poisson, m.density, m.mass_damping, m.stiffness_damping, m.viscosity}) add(x);
  }
  void add(const NodalBody& nodes) {
    add(nodes.positions), add(nodes.velocities), add(nodes.masses);
    if (!nodes.is_soft()) return;
    add(nodes.solid->material()), add(nodes.solid->rest());
    for (const Tetrahedron& t : nodes.solid->tetrahedra())
      for (const std::uint32_t node : t) add(std::uint64_t{node});
    for (const HeldNode& h : nodes.held) add(std::uint64_t{h.node} << 32 | h.body), add(h.local);
    for (const AttachedNode& a : nodes.attached) add(std::uint64_t{a.node} << 32 | a.body), add(a.local), add(a.impulse);
    add(nodes.pressure), add(nodes.self_contact);
    if (nodes.memory.places.empty()) return;
    add(nodes.memory.places), add(nodes.memory.kick), add(nodes.memory.h);
    for (const std::uint32_t node : nodes.memory.touched) add(std::uint64_t{node});
  }
  void add(const RememberedImpulse& r) {
    add(std::uint64_t{r.key.a} << 32 | r.key.b);
    if (r.key.parts != 0) add(r.key.parts);
    add(r.key.feature);
    add(r.impulse), add(r.angular_impulse), add(r.position);
  }

  // Joints.
  void add(BodyId id) { add(std::uint64_t{id.index} << 32 | id.generation); }
  void add(JointId id) { add(std::uint64_t{id.index} << 32 | id.generation); }
  void add(const JointEffort& e) { add(e.force), add(e.max_force), add(e.path); }
  void add(const JointMotor& m) {
    add(m.speed), add(m.max_force);
    if (!m.path.empty()) add(m.path);
  }
  void add(const JointServo& s) { add(s.target), add(s.stiffness), add(s.damping), add(s.max_force), add(s.path); }
  void add(const JointSpring& s) { add(s.rest), add(s.stiffness), add(s.damping); }
  void add(const JointAxis& a) {
    add(a.locked), add(a.lower), add(a.upper), add(a.limit_stiffness), add(a.limit_damping), add(a.friction);
    add(a.motor), add(a.servo), add(a.spring);
    if (a.armature != 0) add(a.armature);
    if (a.effort) add(*a.effort);
  }
  void add(const GearSide& side) { add(side.joint), add(static_cast<std::uint64_t>(side.coordinate)); }
  /// −0 counts as 0: the same axis, written or computed, gives one or the other.
  void add_frame(const Pose& frame) {
    for (const double x : frame.position) add(x + 0.0);
    for (const double x : frame.orientation.coeffs()) add(x + 0.0);
  }
  void add(const JointDescription& d) {
    add(d.type), add(d.a), add(d.b), add_frame(d.frame_a), add_frame(d.frame_b), add(d.axes);
    add(d.swing_limit), add(d.length), add(d.pitch), add(d.first), add(d.second), add(d.ratio);
    add(d.collide), add(d.break_force), add(d.break_torque);
  }
  void add(const JointMemory& m) {
    for (const auto* list : {&m.locked, &m.motor, &m.servo, &m.spring, &m.friction, &m.lower, &m.upper}) add(*list);
    add(m.coupling), add(m.swing), add(m.force);
    if (m.armature != decltype(m.armature){}) add(m.armature);
  }
  void add(const Joint& j) {
    add(std::uint64_t{j.generation});
    add(j.broken), add(j.row_length), add(j.coupling_start), add(j.turns);
    add(j.description), add(j.memory);
  }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ull;
};

}   // namespace

std::uint64_t World::state_hash() const {
  Hash hash;
  hash.add(time);
  hash.add(step_count);
  hash.add(gravity);
  hash.add(materials);
  for (std::uint64_t i = 0; i < bodies_.size(); ++i) {
    if (!bodies_[i].alive) continue;
    hash.add(i);
    hash.add(bodies_[i]);
    for (const std::uint32_t collider : bodies_[i].colliders) hash.add(std::uint64_t{collider}), hash.add(colliders_[collider]);
  }
  for (const NodalBody& nodes : nodal_bodies_) hash.add(nodes);
  hash.add(std::uint64_t{ignored_pairs_.size()});
  for (const auto& [a, b] : ignored_pairs_) hash.add(std::uint64_t{a} << 32 | b);
  hash.add(memory.h);
  hash.add(memory.impulses);
  for (std::uint64_t i = 0; i < joints_.size(); ++i) {
    if (!joints_[i].alive) continue;
    hash.add(i);
    hash.add(joints_[i]);
  }
  return hash.value();
}

}   // namespace stickslip
