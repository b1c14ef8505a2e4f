#include "step/soft/rigid_trial.h"

#include "step/soft/mean_motion.h"
#include "stickslip/soft/elastic_solid.h"

namespace stickslip {

namespace {

constexpr double kMovesAlong = 0.1;   ///< of the fastest node: by so much what holds a body may move otherwise

void find_rigid_trial(const NodalBody& nodes, double h, std::vector<Vec3>& trial) {
  const MeanMotion mean(nodes);
  const Vec3 spin = mean.spin_of(mean.angular_momentum);
  const double angle = h * spin.norm();
  const Mat3 turn = angle > 0 ? Eigen::AngleAxisd(angle, spin.normalized()).toRotationMatrix() : Mat3::Identity();
  trial.resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Vec3 arm = nodes.positions[i] - mean.center;
    trial[i] = mean.velocity + (turn * arm - arm) / h;
  }
}

bool moves_along(const NodalBody& nodes, const std::vector<Vec3>& trial) {
  double fastest = 0, off = 0;
  for (const Vec3& v : trial) fastest = std::max(fastest, v.norm());
  for (const HeldNode& held : nodes.held) off = std::max(off, (trial[held.node] - nodes.velocities[held.node]).norm());
  return off <= kMovesAlong * fastest;
}

}   // namespace

void find_first_trial(const NodalBody& nodes, double h, std::vector<Vec3>& trial) {
  if (nodes.solid->material().model != SoftModel::linear) {
    find_rigid_trial(nodes, h, trial);
    if (nodes.held.empty() || moves_along(nodes, trial)) return;
  }
  trial.assign(nodes.size(), Vec3::Zero());
}

}   // namespace stickslip
