#include "bench/bullet_peer.h"

#include <btBulletDynamicsCommon.h>
#include <fmt/format.h>

#include "stickslip/math/error.h"

namespace stickslip::bench {

namespace {

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
  if (std::holds_alternative<HalfSpace>(shape)) return std::make_unique<btStaticPlaneShape>(btVector3(0, 0, 1), btScalar(0));
  throw Error(fmt::format("The comparison with Bullet knows no {}. Use spheres, boxes and half-spaces.", shape_name(shape)));
}

/// Velocity of a body before a step, as a segment of our problem.
struct Before {
  Vec3 linear, angular;
};

}   // namespace

struct BulletPeer::Impl {
  BulletSettings settings;
  std::unique_ptr<btDefaultCollisionConfiguration> configuration;
  std::unique_ptr<btCollisionDispatcher> dispatcher;
  btDbvtBroadphase broad_phase;
  btSequentialImpulseConstraintSolver solver;
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btDefaultMotionState>> motion_states;
  std::vector<std::unique_ptr<btRigidBody>> bodies;
  std::unique_ptr<btDiscreteDynamicsWorld> world;   // last, so that it goes before what it refers to

  // State before the last step, per body; a dynamic body's user index is its segment.
  std::vector<Before> before;
  std::vector<VelocitySegment> segments;
  std::vector<Vec3> positions;

  ~Impl() {
    for (auto& body : bodies) world->removeRigidBody(body.get());
  }
};

BulletPeer::~BulletPeer() = default;
int BulletPeer::scalar_bytes() { return sizeof(btScalar); }

BulletPeer::BulletPeer(const World& source, const BulletSettings& settings) : impl_(std::make_unique<Impl>()) {
  Impl& m = *impl_;
  m.settings = settings;
  // Pools large enough that Bullet never falls back to single allocations.
  btDefaultCollisionConstructionInfo pools;
  pools.m_defaultMaxPersistentManifoldPoolSize = pools.m_defaultMaxCollisionAlgorithmPoolSize =
      static_cast<int>(16 * source.body_count() + 4096);
  m.configuration = std::make_unique<btDefaultCollisionConfiguration>(pools);
  m.dispatcher = std::make_unique<btCollisionDispatcher>(m.configuration.get());
  m.world = std::make_unique<btDiscreteDynamicsWorld>(m.dispatcher.get(), &m.broad_phase, &m.solver, m.configuration.get());
  m.world->setGravity(to_bullet(source.gravity));
  btContactSolverInfo& info = m.world->getSolverInfo();
  info.m_numIterations = settings.iterations;
  info.m_solverMode |= SOLVER_USE_WARMSTARTING;
  if (settings.friction_directions == 2) info.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;

  for (const Body& body : source.bodies()) {
    if (!body.alive) continue;
    if (body.colliders.size() != 1)
      throw Error(fmt::format("The comparison with Bullet knows no compound bodies such as '{}'.", body.name));
    const Collider& collider = source.colliders()[body.colliders[0]];
    const Pose pose = Pose{body.position, body.orientation} * collider.local;
    m.shapes.push_back(make_shape(collider.shape));
    const Quat& q = pose.orientation;
    const btVector3 axis = to_bullet(q.vec());
    const btQuaternion turn(axis.x(), axis.y(), axis.z(), static_cast<btScalar>(q.w()));
    const btTransform place(turn, to_bullet(pose.position));
    m.motion_states.push_back(std::make_unique<btDefaultMotionState>(place));
    const bool dynamic = body.motion == MotionType::dynamic;
    const Vec3 inertia = dynamic ? Vec3(body.mass.inertia.diagonal()) : Vec3(Vec3::Zero());
    const auto mass = static_cast<btScalar>(dynamic ? body.mass.mass : 0);
    btRigidBody::btRigidBodyConstructionInfo construction(mass, m.motion_states.back().get(), m.shapes.back().get(),
                                                          to_bullet(inertia));
    // Bullet multiplies the coefficients of the two bodies.
    construction.m_friction = static_cast<btScalar>(std::sqrt(settings.friction));
    construction.m_restitution = 0;
    auto bullet = std::make_unique<btRigidBody>(construction);
    bullet->setLinearVelocity(to_bullet(body.velocity));
    bullet->setAngularVelocity(to_bullet(body.angular_velocity));
    bullet->setActivationState(DISABLE_DEACTIVATION);
    bullet->setUserIndex(static_cast<int>(m.bodies.size()));
    m.world->addRigidBody(bullet.get());
    m.bodies.push_back(std::move(bullet));
  }
  m.before.resize(m.bodies.size());
  m.segments.resize(m.bodies.size());
  m.positions.resize(m.bodies.size());
}

void BulletPeer::step() {
  // One step of exactly h, without interpolation.
  impl_->world->stepSimulation(static_cast<btScalar>(impl_->settings.h), 0);
}

void BulletPeer::remember_state() {
  Impl& m = *impl_;
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    const btRigidBody& body = *m.bodies[i];
    m.before[i] = {from_bullet(body.getLinearVelocity()), from_bullet(body.getAngularVelocity())};
    m.segments[i] = {body.getInvMass(), from_bullet(body.getInvInertiaTensorWorld())};
    m.positions[i] = from_bullet(body.getCenterOfMassPosition());
  }
}

std::size_t BulletPeer::contact_count() const {
  std::size_t count = 0;
  for (int i = 0; i < impl_->dispatcher->getNumManifolds(); ++i)
    count += static_cast<std::size_t>(impl_->dispatcher->getManifoldByIndexInternal(i)->getNumContacts());
  return count;
}

BulletPeer::Answer BulletPeer::answer() const {
  const Impl& m = *impl_;
  const double h = m.settings.h;
  const Vec3 gravity = from_bullet(m.world->getGravity());
  const btContactSolverInfo& info = m.world->getSolverInfo();
  Answer result;
  ContactProblem& p = result.problem;
  p.h = h;
  p.segments = m.segments;

  const auto add_point = [&](const btPersistentManifold& manifold, const btManifoldPoint& point) {
    const Vec3 normal = -from_bullet(point.m_normalWorldOnB).normalized();   // ours points from A to B
    const Mat3 frame = frame_from_normal(normal);
    Block block;
    block.row = static_cast<std::uint32_t>(p.b.size());
    block.jacobian = static_cast<std::uint32_t>(p.jacobian_values.size());
    block.arity = 0;
    Vec3 b = Vec3::Zero();
    for (int side = 0; side < 2; ++side) {
      const int i = (side == 0 ? manifold.getBody0() : manifold.getBody1())->getUserIndex();
      if (m.segments[i].inverse_mass == 0) continue;
      const double sign = side == 0 ? -1 : 1;
      const Vec3 arm = from_bullet(side == 0 ? point.getPositionWorldOnA() : point.getPositionWorldOnB()) - m.positions[i];
      const Vec3 linear = m.before[i].linear + h * gravity, angular = m.before[i].angular;
      for (int k = 0; k < 3; ++k) {
        const Vec3 direction = sign * frame.col(k), moment = arm.cross(direction);
        p.jacobian_values.insert(p.jacobian_values.end(), direction.begin(), direction.end());
        p.jacobian_values.insert(p.jacobian_values.end(), moment.begin(), moment.end());
        b[k] += direction.dot(linear) + moment.dot(angular);
      }
      block.segment[block.arity++] = static_cast<std::uint32_t>(i);
    }
    const double gap = point.getDistance() + info.m_linearSlop;
    result.penetration_max = std::max<double>(result.penetration_max, -point.getDistance());
    if (gap > 0) b[0] += gap / h;
    else if (!info.m_splitImpulse || gap > info.m_splitImpulsePenetrationThreshold) b[0] += info.m_erp2 * gap / h;

    // Bullet's impulses act on A along its own directions; ours act on B.
    Vec3 impulse = point.m_appliedImpulse * from_bullet(point.m_normalWorldOnB) +
                   point.m_appliedImpulseLateral1 * from_bullet(point.m_lateralFrictionDir1);
    if (m.settings.friction_directions == 2)
      impulse += point.m_appliedImpulseLateral2 * from_bullet(point.m_lateralFrictionDir2);
    const Vec3 local = -(frame.transpose() * impulse);
    result.impulses.insert(result.impulses.end(), local.begin(), local.end());
    p.b.insert(p.b.end(), b.begin(), b.end());
    p.sigma.insert(p.sigma.end(), 3, 0.0);
    p.laws.emplace_back(CircularFriction{point.m_combinedFriction});
    p.blocks.push_back(block);
  };
  for (int i = 0; i < m.dispatcher->getNumManifolds(); ++i) {
    const btPersistentManifold& manifold = *m.dispatcher->getManifoldByIndexInternal(i);
    for (int k = 0; k < manifold.getNumContacts(); ++k) add_point(manifold, manifold.getContactPoint(k));
  }
  p.finalize();

  std::vector<double> velocity(6 * p.segments.size(), 0.0);
  p.add_velocity_change(result.impulses, velocity);
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    if (m.segments[i].inverse_mass == 0) continue;
    const Vec3 linear = m.before[i].linear + h * gravity + Eigen::Map<const Vec3>(velocity.data() + 6 * i);
    const double mismatch = (linear - from_bullet(m.bodies[i]->getLinearVelocity())).norm();
    result.velocity_mismatch = std::max(result.velocity_mismatch, mismatch);
  }
  return result;
}

}   // namespace stickslip::bench
