#include "stickslip/solve/splitting/six_d.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "solve/exact/small_system.h"
#include "solve/rules.h"
#include "stickslip/friction/cone.h"
#include "stickslip/math/error.h"
#include "stickslip/solve/monitor.h"

namespace stickslip {

namespace {

using WrenchMatrix = Eigen::Matrix<double, 6, 6>;

/// Where pressure (n, m) acts once it is brought to the patch: at the nearest place to m/n, or by mass, where the nearest point
/// of K_P in the metric S of the unilateral rows is. With S = RᵀR and R = (α 0; r L), R takes K_P to the cone of (r + L P̃)/α.
struct PressureProjection {
  PressurePatch patch;   ///< by mass, in those coordinates
  bool by_mass = false;
  double alpha = 1;
  Vec2 r = Vec2::Zero();
  Mat2 l = Mat2::Identity();

  Vec2 operator()(const Vec3& pressure) const {
    const Vec2 center = pressure.tail<2>() / pressure[0];
    if (!by_mass) return patch.project(1, center);
    const Vec2 mapped = (r + l * center) / alpha;
    const Vec3 closest = patch.project_on_cone(Vec3(1, mapped.x(), mapped.y()));
    // a cone that it is beyond all reach of leaves only the way of the crow
    const Vec2 place = closest[0] > 0 ? Vec2(closest.tail<2>() / closest[0]) : patch.project(1, mapped);
    return place == mapped ? center : Vec2(l.inverse() * (alpha * place - r));
  }
};

/// The patch moved.
PressurePatch shifted(const PressurePatch& patch, const Vec2& by) {
  std::vector<double> numbers = patch.parameters();
  const std::size_t places = patch.is_ellipse() ? 1 : patch.corners().size();
  for (std::size_t i = 0; i < places; ++i) numbers[1 + 2 * i] += by.x(), numbers[2 + 2 * i] += by.y();
  return PressurePatch::of_parameters(numbers);
}

PressureProjection mass_projection(const PressurePatch& patch, const PatchMap& s) {
  PressureProjection nearest{patch};
  const double last = std::sqrt(s(5, 5)), beside = s(4, 5) / last, first_squared = s(4, 4) - beside * beside;
  if (!(last > 0 && first_squared > 0)) return nearest;
  nearest.l << std::sqrt(first_squared), 0, beside, last;   // LᵀL = S_rr
  nearest.r = nearest.l.transpose().inverse() * Vec2(s(4, 0), s(5, 0));
  const double alpha_squared = s(0, 0) - nearest.r.squaredNorm();
  if (!(alpha_squared > 0)) return {patch};
  nearest.by_mass = true;
  nearest.alpha = std::sqrt(alpha_squared);
  nearest.patch = shifted(patch.mapped(nearest.l / nearest.alpha), nearest.r / nearest.alpha);
  return nearest;
}

/// One visit; see the header for its steps.
class WrenchProjection {
 public:
  WrenchProjection(const PatchFriction& law, const PressureProjection& nearest, const PatchMap& s, const PatchBlock& e)
      : law_(law), nearest_(nearest), s_(s), e_(e), cone_{law.friction().mu_t, law.friction().mu_b} {}

  PatchBlock solve() const {
    PatchBlock wrench = solve_small<6>(WrenchMatrix(s_ / size()), PatchBlock(-e_ / size()));
    if (!holds(wrench.head<3>()) && !slide(wrench)) return PatchBlock::Zero();
    if (!(wrench[0] > 0)) return PatchBlock::Zero();
    const Vec2 center = wrench.tail<2>() / wrench[0], place = nearest_(PatchFriction::unilateral(wrench));
    if ((center - place).norm() > 1e-12 * (center.norm() + place.norm())) return point_contact(place);
    clamp_spin(place, wrench);
    return wrench;
  }

 private:
  double size() const { return s_.cwiseAbs().maxCoeff(); }   ///< that makes the numbers of a system about 1

  bool holds(const Vec3& force) const {
    return force[0] >= 0 && cone_.implicit(force[0], force.tail<2>()).value <= 1e-14 * force[0];
  }

  /// The force keeps the direction of its projection on the cone, and its size and the three torques stop the normal velocity
  /// and all turning. False: it pulls.
  bool slide(PatchBlock& wrench) const {
    const Vec3 direction = project_on_cone(cone_, Vec3(wrench.head<3>()));
    if (!(direction[0] > 0)) return false;
    Eigen::Matrix<double, 6, 4> q = Eigen::Matrix<double, 6, 4>::Zero();
    q.block<3, 1>(0, 0) = direction / direction[0];
    q.block<3, 3>(3, 1).setIdentity();
    Eigen::Matrix<double, 4, 6> r = Eigen::Matrix<double, 4, 6>::Zero();
    r(0, 0) = 1;
    r.block<3, 3>(1, 3).setIdentity();
    const Eigen::Matrix<double, 4, 4> system = r * s_ * q / size();
    wrench = q * solve_small<4>(system, Vec4(-(r * e_) / size()));
    return true;
  }

  /// Three rows at a place of the patch: the wrench there is a force alone.
  PatchBlock point_contact(const Vec2& place) const {
    WrenchMatrix x = WrenchMatrix::Identity();   // takes velocities to the place
    x(0, 4) = place[0], x(0, 5) = place[1];
    x(1, 3) = -place[0], x(2, 3) = -place[1];
    const WrenchMatrix there = x * s_ * x.transpose();
    const PatchBlock velocity = x * e_;
    Vec3 force = solve_small<3>(Mat3(there.topLeftCorner<3, 3>() / size()), Vec3(-velocity.head<3>() / size()));
    if (!holds(force)) {
      const Vec3 direction = project_on_cone(cone_, force);
      const double push = direction.dot(there.block<1, 3>(0, 0).transpose());
      force = direction[0] > 0 && push > 0 ? Vec3(std::max(0.0, -velocity[0] / push) * direction) : Vec3::Zero();
    }
    return x.transpose() * PatchFriction::block({force[0], 0, 0}, {force[1], force[2], 0});
  }

  /// Cuts the torsion about the centre of pressure.
  void clamp_spin(const Vec2& place, PatchBlock& wrench) const {
    const std::vector<Vec2> corners = law_.patch().rectangle();
    const Vec2 u = corners[1] - corners[0], w = corners[3] - corners[0], from = place - corners[0];
    const double a = u.squaredNorm() > 0 ? from.dot(u) / u.squaredNorm() : 0;
    const double b = w.squaredNorm() > 0 ? from.dot(w) / w.squaredNorm() : 0;
    const double weight[4] = {(1 - a) * (1 - b), a * (1 - b), a * b, (1 - a) * b};
    double arm = 0;
    for (int i = 0; i < 4; ++i) arm += std::max(0.0, weight[i]) * (corners[static_cast<std::size_t>(i)] - place).norm();
    const double bound = std::max(cone_.mu_t, cone_.mu_b) * wrench[0] * arm, shear = place.dot(Vec2(wrench.segment<2>(1)));
    wrench[3] = std::clamp(wrench[3] + shear, -bound, bound) - shear;
  }

  const PatchFriction& law_;
  const PressureProjection& nearest_;
  PatchMap s_;
  PatchBlock e_;
  EllipseFriction cone_;
};

struct SixDRule : ProxRule {
  const std::vector<PressureProjection>& projections;
  const std::vector<std::uint32_t>& place;   ///< per block: which of them is its own

  double patch(const PatchFriction& law, const BlockView<6>& block, const PatchBlock& v, PatchBlock& impulse) const {
    const PatchMap s(block.w);
    const PatchBlock before = impulse;
    if (!(s(0, 0) > 0)) return 0;
    const PressureProjection& nearest = projections[place[block.index]];
    impulse = WrenchProjection(law, nearest, s, v - s * impulse).solve();
    return patch_moved(problem.scales[block.index], before, impulse);
  }
};

}   // namespace

SixD::SixD(Options options) : options_(std::move(options)), by_mass_(options_.metric == "mass") {
  if (!by_mass_ && options_.metric != "euclidean")
    throw Error(fmt::format("There is no metric '{}'. {}", options_.metric,
                            suggest(options_.metric, std::array<std::string, 2>{"euclidean", "mass"})))
        .at("metric");
}

void SixD::iterate(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace,
                   SolveMonitor& monitor) const {
  constexpr double still = 1e-13;   // of the velocities of the problem: what moves less has arrived
  std::vector<PressureProjection> projections;
  std::vector<std::uint32_t> place(problem.blocks.size(), 0);
  for (std::size_t i = 0; i < problem.blocks.size(); ++i) {
    const auto* law = std::get_if<PatchFriction>(&problem.laws[i]);
    if (problem.blocks[i].kind != BlockKind::contact || problem.blocks[i].dim == 1 || law == nullptr) continue;
    place[i] = static_cast<std::uint32_t>(projections.size());
    const PatchMap s(problem.diagonal_values.data() + problem.blocks[i].diagonal);
    projections.push_back(by_mass_ ? mass_projection(law->patch(), s) : PressureProjection{law->patch()});
  }
  double fastest = 0;
  for (const double number : problem.b) fastest = std::max(fastest, std::abs(number));
  Acceleration acceleration(problem, impulses, workspace, false);
  const SixDRule rule{{problem, 1.0}, projections, place};
  for (int k = 1;; ++k) {
    const double change = gauss_seidel_sweep(problem, impulses, workspace.velocity, acceleration.next(), rule);
    if (monitor.done(k, impulses, change)) return;
    if (change > still * fastest) continue;
    return monitor.give_up(impulses, SolveStatus::stalled,
                           "The projections of wrenches stand still where the law does not hold.");
  }
}

}   // namespace stickslip
