#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <cstring>
#include <stdexcept>

#include "bench/peers/peer.h"

namespace stickslip::bench {

namespace {

constexpr std::size_t kMostForNewton = 50;   // bodies: its matrix is dense in this version

Vec3 from_mujoco(const mjtNum* v) { return {v[0], v[1], v[2]}; }

std::string numbers(const Vec3& v) { return fmt::format("{:.17g} {:.17g} {:.17g}", v.x(), v.y(), v.z()); }

std::string geom(const Shape& shape) {
  if (const auto* s = std::get_if<Sphere>(&shape)) return fmt::format("type='sphere' size='{:.17g}'", s->radius);
  if (const auto* b = std::get_if<Box>(&shape)) return fmt::format("type='box' size='{}'", numbers(b->half_extents));
  if (std::holds_alternative<HalfSpace>(shape)) return "type='plane' size='0 0 1'";
  unknown_shape(shape, "MuJoCo");
}

class MujocoPeer final : public Peer {
 public:
  MujocoPeer(const World& source, const PeerSettings& s) : settings_(s) {
    std::size_t moving = 0;
    for (const Body& body : source.bodies()) moving += body.motion == MotionType::dynamic;
    const char* solver = moving > kMostForNewton ? "CG" : "Newton";
    name = fmt::format("MuJoCo {}", solver);
    settings = fmt::format(
        "solver {}, elliptic cones, its default tolerance 1e-8 and at most 100 iterations, its default softness", solver);
    mju_user_error = [](const char* text) { throw std::runtime_error(fmt::format("MuJoCo: {}", text)); };
    load(document(source, solver, moving));
    for (const Body& body : source.bodies()) {
      const PeerShape own = shape_of(source, body, "MuJoCo");
      fixed_.push_back({own.pose.position, Vec3::Zero(), Vec3::Zero(), own.pose.orientation});
      const bool dynamic = body.motion == MotionType::dynamic;
      joint_.push_back(dynamic ? joints_++ : -1);
      mass_.push_back(body.mass.mass);
      moments_.push_back(body.mass.inertia.diagonal());
      if (!dynamic) continue;
      const Vec3 spin = own.pose.orientation.conjugate() * body.angular_velocity;
      for (int k = 0; k < 3; ++k) {
        data_->qvel[6 * joint_.back() + k] = body.velocity[k];
        data_->qvel[6 * joint_.back() + 3 + k] = spin[k];
      }
    }
  }
  ~MujocoPeer() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }

  void step() override {
    mj_step(model_, data_);
    for (const int full : {mjWARN_CONTACTFULL, mjWARN_CNSTRFULL})
      if (data_->warning[full].number > 0) throw std::runtime_error("MuJoCo: more contacts than its arrays hold");
  }
  void remember() override {
    before_ = states();
    segments_.clear();
    for (std::size_t i = 0; i < joint_.size(); ++i) {
      VelocitySegment segment;
      if (joint_[i] >= 0) {
        const Mat3 R = before_[i].orientation.toRotationMatrix();
        segment.inverse_mass = 1 / mass_[i];
        segment.inverse_inertia = R * moments_[i].cwiseInverse().asDiagonal() * R.transpose();
      }
      segments_.push_back(segment);
    }
  }
  /// MuJoCo asks for accelerations: J a + R f = a_ref where a contact acts, a the acceleration of the bodies. In velocities and
  /// impulses: b is h (J a_free − a_ref), which replaces J u, and R is the compliance.
  Answer answer() override {
    AnswerMaker maker(before_, segments_, from_mujoco(model_->opt.gravity), settings_.h);
    const double h = settings_.h;
    for (int i = 0; i < data_->ncon; ++i) {
      const mjContact& c = data_->contact[i];
      if (c.efc_address < 0) continue;
      AnswerMaker::Point point;
      point.a = slot_of(c.geom1), point.b = slot_of(c.geom2);
      point.on_a = point.on_b = from_mujoco(c.pos);
      point.frame = Eigen::Map<const Eigen::Matrix<mjtNum, 3, 3, Eigen::RowMajor>>(c.frame).transpose();
      point.normal = point.frame.col(0);
      const mjtNum *reference = data_->efc_aref + c.efc_address, *velocity = data_->efc_vel + c.efc_address;
      point.demand = -h * from_mujoco(reference) - from_mujoco(velocity);
      point.sigma = from_mujoco(data_->efc_R + c.efc_address);
      point.friction = c.friction[0];
      point.impulse = h * (point.frame * from_mujoco(data_->efc_force + c.efc_address));
      maker.add(point);
    }
    return maker.finish(states());
  }
  PeerState state(std::size_t slot) const override {
    if (joint_[slot] < 0) return fixed_[slot];
    const mjtNum *q = data_->qpos + 7 * joint_[slot], *u = data_->qvel + 6 * joint_[slot];
    const Quat turn(q[3], q[4], q[5], q[6]);
    return {from_mujoco(q), from_mujoco(u), turn * from_mujoco(u + 3), turn};
  }
  std::size_t contact_count() const override { return static_cast<std::size_t>(data_->ncon); }

 private:
  std::string document(const World& source, const char* solver, std::size_t moving) const {
    // Its arrays of rows × rows must stay below 2 GB.
    const std::size_t contacts = 8 * moving + 200;
    std::string xml = fmt::format(
        "<mujoco><option timestep='{:.17g}' gravity='{}' cone='elliptic' solver='{}'/>"
        "<size nconmax='{}' njmax='{}' nstack='{}'/><default><geom condim='3' friction='{:.17g} 0 0'/></default><worldbody>",
        settings_.h, numbers(source.gravity), solver, contacts, 3 * contacts, moving > kMostForNewton ? 60'000'000 : 20'000'000,
        settings_.friction);
    std::size_t slot = 0;
    for (const Body& body : source.bodies()) {
      const PeerShape own = shape_of(source, body, "MuJoCo");
      const Quat& q = own.pose.orientation;
      const std::string place = fmt::format("pos='{}' quat='{:.17g} {:.17g} {:.17g} {:.17g}'", numbers(own.pose.position),
                                            q.w(), q.x(), q.y(), q.z());
      if (body.motion == MotionType::dynamic)
        xml += fmt::format(
            "<body {}><freejoint/><inertial pos='0 0 0' mass='{:.17g}' diaginertia='{}'/><geom name='{}' {}/></body>", place,
            body.mass.mass, numbers(body.mass.inertia.diagonal()), slot, geom(own.shape));
      else xml += fmt::format("<geom name='{}' {} {}/>", slot, place, geom(own.shape));
      ++slot;
    }
    return xml + "</worldbody></mujoco>";
  }

  void load(const std::string& xml) {
    auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    const int size = static_cast<int>(xml.size()) + 1;
    mj_makeEmptyFileVFS(files.get(), "peer.xml", size);
    std::memcpy(files->filedata[mj_findFileVFS(files.get(), "peer.xml")], xml.c_str(), static_cast<std::size_t>(size));
    char error[1000] = "";
    model_ = mj_loadXML("peer.xml", files.get(), error, sizeof error);
    mj_deleteVFS(files.get());
    if (model_ == nullptr) throw std::runtime_error(fmt::format("MuJoCo: {}", error));
    data_ = mj_makeData(model_);
    if (data_ == nullptr) throw std::runtime_error("MuJoCo: not enough memory");
  }

  std::size_t slot_of(int geom) const {
    return static_cast<std::size_t>(std::stoul(model_->names + model_->name_geomadr[geom]));
  }
  std::vector<PeerState> states() const {
    std::vector<PeerState> all;
    for (std::size_t i = 0; i < joint_.size(); ++i) all.push_back(state(i));
    return all;
  }

  PeerSettings settings_;
  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
  std::vector<int> joint_;   // of each slot; −1: does not move
  int joints_ = 0;
  std::vector<PeerState> fixed_, before_;
  std::vector<VelocitySegment> segments_;
  std::vector<double> mass_;
  std::vector<Vec3> moments_;
};

}   // namespace

std::unique_ptr<Peer> make_mujoco(const World& world, const PeerSettings& s) { return std::make_unique<MujocoPeer>(world, s); }
std::string mujoco_version() { return fmt::format("MuJoCo {}", mj_versionString()); }

}   // namespace stickslip::bench
