// The matrices of a step by barriers: what pairs and friction are over points becomes what it is over unknowns.
#include <algorithm>

#include "step/barrier/barrier_system.h"

namespace stickslip {

namespace {

constexpr double kForeseen = 1e6;   ///< factor by which normal forces are taken to change in an iteration, at most

}   // namespace

/// What points of a pair move with. Of a rigid body x = c + exp(θ) r: dx = dc − [r]× dθ.
struct BarrierSystem::Movers {
  struct Mover {
    std::uint32_t block;
    bool is_rigid;   ///< two blocks
  };
  int count = 0;
  std::array<Mover, 4> movers;
  std::array<int, 4> mover_of;   ///< of each point; −1: nothing moves it
  std::array<Vec3, 4> arms;

  int take(std::uint32_t block, bool is_rigid) {
    for (int k = 0; k < count; ++k)
      if (movers[k].block == block) return k;
    movers[count] = {block, is_rigid};
    return count++;
  }
  bool any_rigid() const {
    return std::any_of(movers.begin(), movers.begin() + count, [](const Mover& m) { return m.is_rigid; });
  }
  bool same_blocks(const Movers& other) const {
    return count == other.count && std::equal(movers.begin(), movers.begin() + count, other.movers.begin(),
                                              [](const Mover& a, const Mover& b) { return a.block == b.block; });
  }
};

BarrierSystem::Movers BarrierSystem::movers_of(std::span<const std::uint32_t> points) const {
  Movers m;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const BarrierSurface::Owner& o = owner(points[i]);
    m.mover_of[i] = -1;
    if (o.node != kNoBlock) {
      if (const std::uint32_t at = bodies_.block_of_node(o.node); at != kNoBlock) m.mover_of[i] = m.take(at, false);
    } else if (const std::uint32_t r = bodies_.rigid_of(o.slot); r != kNoBlock) {
      m.mover_of[i] = m.take(2 * r, true);
      m.arms[i] = points_[points[i]] - bodies_.rigid()[r].now.position;
    }
  }
  return m;
}

void BarrierSystem::want_blocks(std::span<const std::uint32_t> points) {
  const Movers m = movers_of(points);
  for (int i = 0; i < m.count; ++i)
    for (int j = 0; j < i; ++j)
      for (std::uint32_t a = 0; a < (m.movers[i].is_rigid ? 2u : 1u); ++a)
        for (std::uint32_t b = 0; b < (m.movers[j].is_rigid ? 2u : 1u); ++b)
          assembly_.want(m.movers[i].block + a, m.movers[j].block + b);
}

/// The second derivative of exp adds to the blocks of turns. @param gradient of a pair
void BarrierSystem::add_to_turns(const Movers& m, std::size_t points, const Vec12& gradient) {
  for (std::size_t i = 0; i < points; ++i) {
    if (m.mover_of[i] < 0 || !m.movers[m.mover_of[i]].is_rigid) continue;
    const Vec3 g = gradient.segment<3>(3 * static_cast<Eigen::Index>(i));
    turns_[m.movers[m.mover_of[i]].block / 2] +=
        0.5 * (g * m.arms[i].transpose() + m.arms[i] * g.transpose()) - g.dot(m.arms[i]) * Mat3::Identity();
  }
}

std::array<std::array<Vec3, 2>, 4> BarrierSystem::gather(const Movers& m, std::size_t points, const Vec12& over_points) {
  std::array<std::array<Vec3, 2>, 4> v;
  for (int k = 0; k < m.count; ++k) v[k] = {Vec3::Zero(), Vec3::Zero()};
  for (std::size_t i = 0; i < points; ++i) {
    if (m.mover_of[i] < 0) continue;
    const Vec3 part = over_points.segment<3>(3 * static_cast<Eigen::Index>(i));
    v[m.mover_of[i]][0] += part;
    if (m.movers[m.mover_of[i]].is_rigid) v[m.mover_of[i]][1] += m.arms[i].cross(part);
  }
  return v;
}

/// Terms of a pair and of its friction, over the same movers.
struct BarrierSystem::MoverTerms {
  int count = 0;
  std::array<double, 7> factors;
  std::array<std::array<std::array<Vec3, 2>, 4>, 7> v;

  void add(const Movers& m, std::size_t points, const PairStiffness& stiffness) {
    for (int t = 0; t < stiffness.count; ++t) {
      factors[count] = stiffness.terms[t].factor;
      v[count++] = gather(m, points, stiffness.terms[t].v);
    }
  }
};

void BarrierSystem::scatter_terms(const Movers& m, const MoverTerms& terms) {
  for (int i = 0; i < m.count; ++i)
    for (std::uint32_t a = 0; a < (m.movers[i].is_rigid ? 2u : 1u); ++a)
      for (int j = 0; j < m.count; ++j)
        for (std::uint32_t b = 0; b < (m.movers[j].is_rigid ? 2u : 1u); ++b) {
          if (m.movers[i].block + a < m.movers[j].block + b) continue;
          Mat3 sum = Mat3::Zero();
          for (int t = 0; t < terms.count; ++t) sum += (terms.factors[t] * terms.v[t][i][a]) * terms.v[t][j][b].transpose();
          assembly_.add(m.movers[i].block + a, m.movers[j].block + b, sum);
        }
}

/// What friction adds, to terms of its pair if both are over the same movers.
void BarrierSystem::scatter_friction(const FrictionTerm& f, const Movers* of_pair, MoverTerms* terms) {
  const auto points = points_of_term(f);
  const Movers m = movers_of(points);
  if (m.any_rigid()) add_to_turns(m, points.size(), f.gradient(start_, points_));
  const PairStiffness stiffness = f.stiffness(start_, points_);
  if (of_pair && m.same_blocks(*of_pair)) {
    terms->add(m, points.size(), stiffness);
    return;
  }
  MoverTerms own;
  own.add(m, points.size(), stiffness);
  scatter_terms(m, own);
}

void BarrierSystem::scatter_pair(const ContactPair& p, const PairState& s, bool projected, const FrictionTerm* friction) {
  const auto points = points_of_pair(p);
  const Movers m = movers_of(points);
  if (m.any_rigid()) {
    add_to_turns(m, points.size(), p.push > 0 ? gradient_of_push(p, s) : gradient_of(p, s, points_));
  }
  const PairStiffness stiffness = stiffness_of(p, s, points_, projected);
  MoverTerms terms;
  terms.add(m, points.size(), stiffness);
  if (friction) scatter_friction(*friction, &m, &terms);
  if (terms.count > 0) scatter_terms(m, terms);
  if (stiffness.is_full) scatter_full(m, points.size(), stiffness.full);
}

void BarrierSystem::scatter_full(const Movers& m, std::size_t points, const Mat12& full) {
  const auto map = [&](std::size_t i, std::uint32_t part) {
    return part == 0 ? Mat3(Mat3::Identity()) : Mat3(-skew(m.arms[i]));
  };
  for (std::size_t i = 0; i < points; ++i)
    for (std::size_t j = 0; j < points; ++j) {
      if (m.mover_of[i] < 0 || m.mover_of[j] < 0) continue;
      const Movers::Mover &one = m.movers[m.mover_of[i]], &other = m.movers[m.mover_of[j]];
      const Mat3 h = full.block<3, 3>(3 * static_cast<Eigen::Index>(i), 3 * static_cast<Eigen::Index>(j));
      for (std::uint32_t a = 0; a < (one.is_rigid ? 2u : 1u); ++a)
        for (std::uint32_t b = 0; b < (other.is_rigid ? 2u : 1u); ++b)
          if (one.block + a >= other.block + b)
            assembly_.add(one.block + a, other.block + b, map(i, a).transpose() * h * map(j, b));
    }
}

const SparseFactor::Matrix& BarrierSystem::hessian(bool projected) {
  for (const ContactPair& p : pairs()) want_blocks(points_of_pair(p));
  for (const FrictionTerm& f : friction_) want_blocks(points_of_term(f));
  assembly_.clear();
  turns_.assign(bodies_.rigid().size(), Mat3::Zero());
  for (std::size_t k = 0; k < contacts_.pairs.size(); ++k) {
    const std::uint32_t term = friction_fits_ ? term_of_pair_[k] : kNoBlock;
    scatter_pair(contacts_.pairs[k], contacts_.states[k], projected, term != kNoBlock ? &friction_[term] : nullptr);
  }
  ways_.clear();
  for (const FrictionTerm& f : friction_) {
    if (!friction_fits_) scatter_friction(f, nullptr, nullptr);
    ways_.push_back(f.way(start_, points_));
  }
  coupling_known_ = false;
  attachments_.add_hessian(bodies_, turns_, assembly_);
  bodies_.add_hessian(projected, turns_, assembly_);
  joints_.add_hessian(bodies_, projected, assembly_);
  return assembly_.matrix();
}

/// Friction follows the normal forces: what a pair is pressed more changes the force along it.
void BarrierSystem::find_coupling() {
  if (coupling_known_) return;
  coupling_known_ = true;
  coupling_.clear();
  coupling_first_.clear();
  const auto add = [&](std::span<const std::uint32_t> points, const Vec12& over_points) {
    coupling_first_.push_back(coupling_.size());
    const Movers m = movers_of(points);
    const std::array<std::array<Vec3, 2>, 4> v = gather(m, points.size(), over_points);
    for (int i = 0; i < m.count; ++i)
      for (std::uint32_t a = 0; a < (m.movers[i].is_rigid ? 2u : 1u); ++a)
        coupling_.emplace_back(m.movers[i].block + a, v[i][a]);
  };
  for (std::size_t k = 0; k < friction_.size(); ++k) {
    const FrictionTerm& f = friction_[k];
    const ContactPair& p = friction_pairs_[k];
    add(points_of_term(f), f.gradient(start_, points_) / f.limit);
    add(points_of_pair(p), shares_[k] * gradient_of_force(p, state_of(p, points_)));
  }
  coupling_first_.push_back(coupling_.size());
}

void BarrierSystem::add_rank_one(Sparse row, Sparse column) {
  for (const auto& [column_block, c] : column)
    for (const auto& [row_block, r] : row)
      for (int k = 0; k < 3; ++k) {
        const int at_row = static_cast<int>(3 * row_block), at_column = static_cast<int>(3 * column_block) + k;
        const int *first = jacobian_.innerIndexPtr() + jacobian_.outerIndexPtr()[at_column],
                  *last = jacobian_.innerIndexPtr() + jacobian_.outerIndexPtr()[at_column + 1];
        double* at = jacobian_.valuePtr() + (std::lower_bound(first, last, at_row) - jacobian_.innerIndexPtr());
        for (int l = 0; l < 3; ++l) at[l] += r[l] * c[k];
      }
}

const SparseFactor::Matrix& BarrierSystem::jacobian(bool projected) {
  jacobian_ = hessian(projected).selfadjointView<Eigen::Lower>();
  find_coupling();
  for (std::size_t k = 0; k < friction_.size(); ++k) add_rank_one(rub_of(k), press_of(k));
  return jacobian_;
}

bool BarrierSystem::beyond_hessian(std::span<const double> in, std::span<double> out) {
  find_coupling();
  std::ranges::fill(out, 0.0);
  for (std::size_t k = 0; k < friction_.size(); ++k) {
    double change = 0;
    for (const auto& [block, v] : press_of(k)) change += v.dot(Eigen::Map<const Vec3>(in.data() + 3 * std::size_t{block}));
    for (const auto& [block, v] : rub_of(k)) Eigen::Map<Vec3>(out.data() + 3 * std::size_t{block}) += change * v;
  }
  return true;
}

void BarrierSystem::foresee(std::span<const double> direction) {
  find_coupling();
  for (std::size_t k = 0; k < friction_.size(); ++k) {
    FrictionTerm& f = friction_[k];
    double change = 0;
    for (const auto& [block, v] : press_of(k))
      change += v.dot(Eigen::Map<const Vec3>(direction.data() + 3 * std::size_t{block}));
    f.limit = std::clamp(f.limit + change, f.limit / kForeseen, f.limit * kForeseen);
  }
}

Vec3 BarrierSystem::way_along(std::span<const double> direction, std::span<const std::uint32_t> points,
                              const std::array<double, 4>& weights) const {
  const auto block = [&](std::uint32_t k) { return Eigen::Map<const Vec3>(direction.data() + 3 * std::size_t{k}); };
  const Movers m = movers_of(points);
  Vec3 way = Vec3::Zero();
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (m.mover_of[i] < 0) continue;
    const Movers::Mover& mover = m.movers[m.mover_of[i]];
    way += weights[i] * block(mover.block);
    if (mover.is_rigid) way += weights[i] * block(mover.block + 1).cross(m.arms[i]);
  }
  return way;
}

}   // namespace stickslip
