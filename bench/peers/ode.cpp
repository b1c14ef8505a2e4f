#include <fmt/format.h>
#include <ode/ode.h>

#include "bench/peers/peer.h"

namespace stickslip::bench {

namespace {

constexpr int kOdeContacts = 8;   // of a pair, as ODE's own demonstrations have it

Vec3 from_ode(const dReal* v) { return {v[0], v[1], v[2]}; }
void to_ode(const Quat& q, dQuaternion out) {
  const double wxyz[] = {q.w(), q.x(), q.y(), q.z()};
  for (int k = 0; k < 4; ++k) out[k] = static_cast<dReal>(wxyz[k]);
}

class OdePeer final : public Peer {
 public:
  OdePeer(const World& source, const PeerSettings& s) : settings_(s), gravity_(source.gravity) {
    name = "ODE QuickStep";
    settings =
        fmt::format("{}-byte numbers, dWorldQuickStep, {} iterations, dContactApprox1, up to {} contacts a pair, hash space",
                    sizeof(dReal), s.sweeps, kOdeContacts);
    static const bool ready = dInitODE2(0) != 0;
    if (!ready) throw std::runtime_error("ODE cannot be started.");
    dRandSetSeed(0);   // it sweeps in random orders
    world_ = dWorldCreate();
    space_ = dHashSpaceCreate(nullptr);
    group_ = dJointGroupCreate(0);
    dWorldSetGravity(world_, gravity_.x(), gravity_.y(), gravity_.z());
    dWorldSetQuickStepNumIterations(world_, s.sweeps);
    for (const Body& body : source.bodies()) add(source, body);
  }
  ~OdePeer() override {
    dJointGroupDestroy(group_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
  }

  void step() override {
    dJointGroupEmpty(group_);
    points_.clear();
    dSpaceCollide(space_, this, [](void* self, dGeomID a, dGeomID b) { static_cast<OdePeer*>(self)->touch(a, b); });
    contacts_ = static_cast<std::size_t>(counted_);
    counted_ = 0;
    feedback_.resize(points_.size());
    for (std::size_t i = 0; i < points_.size(); ++i) dJointSetFeedback(points_[i].joint, &feedback_[i]);
    dWorldQuickStep(world_, settings_.h);
    tell_ = false;
  }
  void remember() override {
    before_ = states();
    segments_.clear();
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      VelocitySegment segment;
      if (bodies_[i] != nullptr) {
        const Mat3 R = before_[i].orientation.toRotationMatrix();
        segment.inverse_mass = 1 / mass_[i];
        segment.inverse_inertia = R * moments_[i].cwiseInverse().asDiagonal() * R.transpose();
      }
      segments_.push_back(segment);
    }
    tell_ = true;
  }
  Answer answer() override {
    AnswerMaker maker(before_, segments_, gravity_, settings_.h);
    const double h = settings_.h;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const Touch& t = points_[i];
      AnswerMaker::Point point;
      point.a = t.a, point.b = t.b;
      point.on_a = point.on_b = from_ode(t.geom.pos);
      point.normal = -from_ode(t.geom.normal);   // ODE's points into its first body
      point.frame = frame_from_normal(point.normal);
      point.demand[0] = -dWorldGetERP(world_) * t.geom.depth / h;
      point.sigma.setConstant(dWorldGetCFM(world_) / h);
      point.friction = settings_.friction;
      // The first body of the joint is the one that is told of; it is `a` if that moves, else `b`.
      const Vec3 force = from_ode(feedback_[i].f1);
      point.impulse = (bodies_[t.a] != nullptr ? -h : h) * force;
      maker.add(point);
    }
    return maker.finish(states());
  }
  PeerState state(std::size_t slot) const override {
    dBodyID body = bodies_[slot];
    if (body == nullptr) return fixed_[slot];
    const dReal* q = dBodyGetQuaternion(body);
    return {from_ode(dBodyGetPosition(body)), from_ode(dBodyGetLinearVel(body)), from_ode(dBodyGetAngularVel(body)),
            Quat(q[0], q[1], q[2], q[3])};
  }
  std::size_t contact_count() const override { return contacts_; }

 private:
  struct Touch {
    std::size_t a, b;
    dContactGeom geom;
    dJointID joint;
  };

  dGeomID make_geom(const PeerShape& own) {
    if (const auto* s = std::get_if<Sphere>(&own.shape)) return dCreateSphere(space_, s->radius);
    if (const auto* b = std::get_if<Box>(&own.shape))
      return dCreateBox(space_, 2 * b->half_extents.x(), 2 * b->half_extents.y(), 2 * b->half_extents.z());
    if (std::holds_alternative<HalfSpace>(own.shape)) {
      const Vec3 n = own.pose.orientation * Vec3::UnitZ();
      return dCreatePlane(space_, n.x(), n.y(), n.z(), n.dot(own.pose.position));
    }
    unknown_shape(own.shape, "ODE");
  }

  void add(const World& source, const Body& body) {
    const PeerShape own = shape_of(source, body, "ODE");
    const dGeomID geom = make_geom(own);
    dGeomSetData(geom, reinterpret_cast<void*>(bodies_.size()));
    dQuaternion q;
    to_ode(own.pose.orientation, q);
    const Vec3& x = own.pose.position;
    dBodyID ode = nullptr;
    if (body.motion == MotionType::dynamic) {
      ode = dBodyCreate(world_);
      dMass mass;
      const Vec3 I = body.mass.inertia.diagonal();
      dMassSetParameters(&mass, body.mass.mass, 0, 0, 0, I.x(), I.y(), I.z(), 0, 0, 0);
      dBodySetMass(ode, &mass);
      dGeomSetBody(geom, ode);
      dBodySetPosition(ode, x.x(), x.y(), x.z());
      dBodySetQuaternion(ode, q);
      dBodySetLinearVel(ode, body.velocity.x(), body.velocity.y(), body.velocity.z());
      dBodySetAngularVel(ode, body.angular_velocity.x(), body.angular_velocity.y(), body.angular_velocity.z());
    } else if (!std::holds_alternative<HalfSpace>(own.shape)) {
      dGeomSetPosition(geom, x.x(), x.y(), x.z());
      dGeomSetQuaternion(geom, q);
    }
    bodies_.push_back(ode);
    fixed_.push_back({own.pose.position, Vec3::Zero(), Vec3::Zero(), own.pose.orientation});
    mass_.push_back(body.mass.mass);
    moments_.push_back(body.mass.inertia.diagonal());
  }

  void touch(dGeomID first, dGeomID second) {
    const dBodyID a = dGeomGetBody(first), b = dGeomGetBody(second);
    if (a == nullptr && b == nullptr) return;
    dContact contacts[kOdeContacts];
    const int count = dCollide(first, second, kOdeContacts, &contacts[0].geom, sizeof(dContact));
    counted_ += count;
    for (int i = 0; i < count; ++i) {
      contacts[i].surface.mode = dContactApprox1;
      contacts[i].surface.mu = settings_.friction;
      const dJointID joint = dJointCreateContact(world_, group_, &contacts[i]);
      dJointAttach(joint, a, b);
      if (tell_)
        points_.push_back({reinterpret_cast<std::size_t>(dGeomGetData(first)),
                           reinterpret_cast<std::size_t>(dGeomGetData(second)), contacts[i].geom, joint});
    }
  }

  std::vector<PeerState> states() const {
    std::vector<PeerState> all;
    for (std::size_t i = 0; i < bodies_.size(); ++i) all.push_back(state(i));
    return all;
  }

  PeerSettings settings_;
  Vec3 gravity_;
  dWorldID world_;
  dSpaceID space_;
  dJointGroupID group_;
  std::vector<dBodyID> bodies_;   // by slots; null: does not move
  std::vector<PeerState> fixed_, before_;
  std::vector<VelocitySegment> segments_;
  std::vector<double> mass_;
  std::vector<Vec3> moments_;
  std::vector<Touch> points_;   // of steps that are judged
  std::vector<dJointFeedback> feedback_;
  bool tell_ = false;
  int counted_ = 0;
  std::size_t contacts_ = 0;
};

}   // namespace

std::unique_ptr<Peer> make_ode(const World& world, const PeerSettings& s) { return std::make_unique<OdePeer>(world, s); }
std::string ode_version() { return "ODE 0.16"; }

}   // namespace stickslip::bench
