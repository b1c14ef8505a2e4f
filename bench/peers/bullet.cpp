#include <btBulletDynamicsCommon.h>
#include <fmt/format.h>

#include "bench/peers/peer.h"

namespace stickslip::bench {

namespace {

/// Half edge of the box that stands for a half-space [m], as in Bullet's own examples: a box on btStaticPlaneShape gets one new
/// contact a step, and sinks on a slope.
constexpr double kBulletGround = 50;

btVector3 to_bullet(const Vec3& v) {
  return {static_cast<btScalar>(v.x()), static_cast<btScalar>(v.y()), static_cast<btScalar>(v.z())};
}
Vec3 from_bullet(const btVector3& v) { return {v.x(), v.y(), v.z()}; }

Mat3 from_bullet(const btMatrix3x3& m) {
  Mat3 result;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) result(i, j) = m[i][j];
  return result;
}

std::unique_ptr<btCollisionShape> make_shape(const Shape& shape) {
  if (const auto* s = std::get_if<Sphere>(&shape)) return std::make_unique<btSphereShape>(static_cast<btScalar>(s->radius));
  if (const auto* b = std::get_if<Box>(&shape)) return std::make_unique<btBoxShape>(to_bullet(b->half_extents));
  if (std::holds_alternative<HalfSpace>(shape)) return std::make_unique<btBoxShape>(to_bullet(Vec3::Constant(kBulletGround)));
  unknown_shape(shape, "Bullet");
}

class BulletPeer final : public Peer {
 public:
  BulletPeer(const World& source, const PeerSettings& s, int directions) : settings_(s), directions_(directions) {
    name = fmt::format("Bullet, {} friction direction{}", directions, directions == 1 ? "" : "s");
    settings = fmt::format(
        "{}-byte numbers, sequential impulses, {} iterations, {}, warm start, dynamic tree, split impulses, ground a box",
        sizeof(btScalar), s.sweeps, directions == 1 ? "default friction" : "SOLVER_USE_2_FRICTION_DIRECTIONS");
    // Pools large enough that Bullet never falls back to single allocations.
    btDefaultCollisionConstructionInfo pools;
    pools.m_defaultMaxPersistentManifoldPoolSize = pools.m_defaultMaxCollisionAlgorithmPoolSize =
        static_cast<int>(16 * source.body_count() + 4096);
    configuration_ = std::make_unique<btDefaultCollisionConfiguration>(pools);
    dispatcher_ = std::make_unique<btCollisionDispatcher>(configuration_.get());
    world_ = std::make_unique<btDiscreteDynamicsWorld>(dispatcher_.get(), &broad_phase_, &solver_, configuration_.get());
    world_->setGravity(to_bullet(source.gravity));
    btContactSolverInfo& info = world_->getSolverInfo();
    info.m_numIterations = s.sweeps;
    info.m_solverMode |= SOLVER_USE_WARMSTARTING;
    if (directions == 2) info.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    for (const Body& body : source.bodies()) add(source, body);
  }
  ~BulletPeer() override {
    for (auto& body : bodies_) world_->removeRigidBody(body.get());
  }

  void step() override { world_->stepSimulation(static_cast<btScalar>(settings_.h), 0); }   // exactly h, no interpolation

  void remember() override {
    before_ = states();
    segments_.clear();
    for (const auto& body : bodies_) segments_.push_back({body->getInvMass(), from_bullet(body->getInvInertiaTensorWorld())});
  }

  Answer answer() override {
    AnswerMaker maker(before_, segments_, from_bullet(world_->getGravity()), settings_.h);
    for (int i = 0; i < dispatcher_->getNumManifolds(); ++i) {
      const btPersistentManifold& manifold = *dispatcher_->getManifoldByIndexInternal(i);
      for (int k = 0; k < manifold.getNumContacts(); ++k) maker.add(point_of(manifold, manifold.getContactPoint(k)));
    }
    return maker.finish(states());
  }

  PeerState state(std::size_t slot) const override {
    const btRigidBody& body = *bodies_[slot];
    const btQuaternion q = body.getOrientation();
    return {from_bullet(body.getCenterOfMassPosition()), from_bullet(body.getLinearVelocity()),
            from_bullet(body.getAngularVelocity()), Quat(q.w(), q.x(), q.y(), q.z())};
  }
  std::size_t contact_count() const override {
    std::size_t count = 0;
    for (int i = 0; i < dispatcher_->getNumManifolds(); ++i)
      count += static_cast<std::size_t>(dispatcher_->getManifoldByIndexInternal(i)->getNumContacts());
    return count;
  }

 private:
  void add(const World& source, const Body& body) {
    const PeerShape own = shape_of(source, body, "Bullet");
    shapes_.push_back(make_shape(own.shape));
    const Quat& q = own.pose.orientation;
    Vec3 place = own.pose.position;
    if (std::holds_alternative<HalfSpace>(own.shape)) place -= q * Vec3(0, 0, kBulletGround);
    const btVector3 axis = to_bullet(q.vec());
    const btQuaternion turn(axis.x(), axis.y(), axis.z(), static_cast<btScalar>(q.w()));
    motion_states_.push_back(std::make_unique<btDefaultMotionState>(btTransform(turn, to_bullet(place))));
    const bool dynamic = body.motion == MotionType::dynamic;
    const Vec3 inertia = dynamic ? Vec3(body.mass.inertia.diagonal()) : Vec3(Vec3::Zero());
    btRigidBody::btRigidBodyConstructionInfo construction(static_cast<btScalar>(dynamic ? body.mass.mass : 0),
                                                          motion_states_.back().get(), shapes_.back().get(),
                                                          to_bullet(inertia));
    construction.m_friction =
        static_cast<btScalar>(std::sqrt(settings_.friction));   // Bullet multiplies those of the two bodies
    construction.m_restitution = 0;
    auto bullet = std::make_unique<btRigidBody>(construction);
    bullet->setLinearVelocity(to_bullet(body.velocity));
    bullet->setAngularVelocity(to_bullet(body.angular_velocity));
    bullet->setActivationState(DISABLE_DEACTIVATION);
    bullet->setUserIndex(static_cast<int>(bodies_.size()));
    world_->addRigidBody(bullet.get());
    bodies_.push_back(std::move(bullet));
  }

  std::vector<PeerState> states() const {
    std::vector<PeerState> all;
    for (std::size_t i = 0; i < bodies_.size(); ++i) all.push_back(state(i));
    return all;
  }

  AnswerMaker::Point point_of(const btPersistentManifold& manifold, const btManifoldPoint& p) const {
    const btContactSolverInfo& info = world_->getSolverInfo();
    AnswerMaker::Point point;
    point.a = static_cast<std::size_t>(manifold.getBody0()->getUserIndex());
    point.b = static_cast<std::size_t>(manifold.getBody1()->getUserIndex());
    point.on_a = from_bullet(p.getPositionWorldOnA());
    point.on_b = from_bullet(p.getPositionWorldOnB());
    point.normal = -from_bullet(p.m_normalWorldOnB).normalized();   // ours points from A to B
    point.frame = frame_from_normal(point.normal);
    // gap/h for points that are still apart; its error reduction for those that overlap, down to its split-impulse threshold,
    // below which it corrects positions apart from velocities.
    const double gap = p.getDistance() + info.m_linearSlop;
    if (gap > 0) point.demand[0] = gap / settings_.h;
    else if (!info.m_splitImpulse || gap > info.m_splitImpulsePenetrationThreshold)
      point.demand[0] = info.m_erp2 * gap / settings_.h;
    // Bullet's impulses act on A along its own directions; ours act on B.
    Vec3 impulse = p.m_appliedImpulse * from_bullet(p.m_normalWorldOnB) +
                   p.m_appliedImpulseLateral1 * from_bullet(p.m_lateralFrictionDir1);
    if (directions_ == 2) impulse += p.m_appliedImpulseLateral2 * from_bullet(p.m_lateralFrictionDir2);
    point.impulse = -impulse;
    point.friction = p.m_combinedFriction;
    return point;
  }

  PeerSettings settings_;
  int directions_;
  std::unique_ptr<btDefaultCollisionConfiguration> configuration_;
  std::unique_ptr<btCollisionDispatcher> dispatcher_;
  btDbvtBroadphase broad_phase_;
  btSequentialImpulseConstraintSolver solver_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btDefaultMotionState>> motion_states_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;   // by slots, which their user indices are too
  std::unique_ptr<btDiscreteDynamicsWorld> world_;     // last, so that it goes before what it refers to
  std::vector<PeerState> before_;
  std::vector<VelocitySegment> segments_;
};

}   // namespace

std::unique_ptr<Peer> make_bullet(const World& world, const PeerSettings& s, int directions) {
  return std::make_unique<BulletPeer>(world, s, directions);
}
std::string bullet_version() { return fmt::format("Bullet {}.{:02}", btGetVersion() / 100, btGetVersion() % 100); }

}   // namespace stickslip::bench
