// What a friction law costs: per visit of a contact in a sweep of prox-gs, per projection, and per contact when the problem is
// built.
//
//   bench_friction [--count 900] [--settle 120] [--sweeps 20] [--rounds 25]
//
// The heap is the built-in scene `boxes`, simulated until it lies. Every law then poses the problem of the next step from the
// same state, and is swept from its solution. All laws take turns, round after round; each number is the best of the rounds, in
// processor time, so that other programs on the machine count little. "hard-wired" is the rule of the sweep with Coulomb's
// circle written out, the coefficients in an array and no law object: what the abstraction costs is measured against it.
// Columns "at rest" and "sliding" differ in how many of the loaded contacts slip (in brackets), because a point inside its set
// is projected by a comparison.
#include <cstdio>
#include <exception>
#include <numbers>
#include <random>

#include <fmt/format.h>

#include "bench/arguments.h"
#include "bench/statistics.h"
#include "solve/prox/prox_sweeps.h"
#include "solve/rules.h"
#include "stickslip/friction/sets.h"
#include "stickslip/scene/scene.h"
#include "stickslip/step/stepper.h"

namespace stickslip::bench {
namespace {

struct Plan {
  int count, settle, sweeps, rounds;
};

/// A set of the user's own: Coulomb's disc once more, with nothing but what a ConvexSet must offer.
class OwnDisc final : public ConvexSet<2> {
 public:
  explicit OwnDisc(double mu) : mu_(mu) {}
  std::string_view name() const override { return "own-disc"; }
  std::vector<double> parameters() const override { return {mu_}; }
  Vec2 project(double normal, const Vec2& trial) const override {
    const double radius = mu_ * std::max(normal, 0.0), size = trial.norm();
    return size <= radius ? trial : Vec2(trial * (radius / size));
  }
  Vec2 support_point(const Vec2& d) const override { return d.norm() > 0 ? Vec2(mu_ * d.normalized()) : Vec2(Vec2::Zero()); }

 private:
  double mu_;
};

void add_own_law() {
  SurfaceLawInfo info;
  info.name = "own-disc";
  info.parameters = {{"friction", "", "", 0.5, 0, true}};
  info.prepare = [](const SurfaceLaw& law) -> PreparedLaw {
    const CustomFriction<2> set{std::make_shared<OwnDisc>(law.numbers[0])};
    return [set](const ContactSite&) { return LocalFriction{Vec3::Zero(), set}; };
  };
  add_surface_law(std::move(info));
}

/// ProxRule (solve/rules.h) with Coulomb's circle written out: the same rule, no law.
struct HardWired {
  const ContactProblem& problem;
  const std::vector<double>& mu;
  double relaxation;

  [[gnu::always_inline]] Vec2 on_disc(double radius, const Vec2& trial) const {
    const double size_squared = trial.squaredNorm();
    return size_squared > radius * radius ? Vec2(trial * (radius / std::sqrt(size_squared))) : trial;
  }
  [[gnu::always_inline]] double operator()(const BlockView<3>& block, const Vec3& v, Vec3& impulse) const {
    if (block.rows != RowSet::all) [[unlikely]]
      return part(block, v, impulse);
    const ContactScale& scale = problem.scales[block.index];
    const double normal = std::max(0.0, impulse[0] - relaxation * scale.normal_mass * v[0]);
    const double pushed = normal - impulse[0], r = relaxation * scale.friction_mass;
    const Vec2 friction = on_disc(mu[block.index] * normal, Vec2(impulse[1] - r * (v[1] + scale.coupling[0] * pushed),
                                                                 impulse[2] - r * (v[2] + scale.coupling[1] * pushed)));
    const double rubbed = std::max(std::abs(friction[0] - impulse[1]), std::abs(friction[1] - impulse[2]));
    impulse << normal, friction;
    return std::max(std::abs(pushed) / scale.normal_mass, rubbed / scale.friction_mass);
  }
  [[gnu::noinline]] double part(const BlockView<3>& block, const Vec3& v, Vec3& impulse) const {
    const ContactScale& scale = problem.scales[block.index];
    const Vec3 old = impulse;
    if (block.rows == RowSet::normal) {
      impulse[0] = std::max(0.0, old[0] - relaxation * scale.normal_mass * v[0]);
      return std::abs(impulse[0] - old[0]) / scale.normal_mass;
    }
    impulse.tail<2>() = on_disc(mu[block.index] * old[0], old.tail<2>() - relaxation * scale.friction_mass * v.tail<2>());
    return (impulse - old).lpNorm<Eigen::Infinity>() / scale.friction_mass;
  }
};

double hard_wired_sweep(const ContactProblem& p, const std::vector<double>& mu, std::vector<double>& impulses,
                        std::vector<double>& velocity, Momentum& momentum, double relaxation) {
  double moved = 0;
  const HardWired rule{p, mu, relaxation};
  for (const Batch& batch : p.batches)
    moved = std::max(moved, batch.arity == 1
                                ? sweep_batch<3, 1, false>(p, batch, impulses.data(), velocity.data(), momentum, rule)
                                : sweep_batch<3, 2, false>(p, batch, impulses.data(), velocity.data(), momentum, rule));
  return moved;
}

/// One law on the problem of one step.
struct Contender {
  std::string name;
  ContactProblem problem;
  std::vector<double> start, mu;   ///< mu: of hard-wired contacts, else empty
  double loaded = 0;               ///< part of the contacts that carry an impulse
  double slipping = 0;             ///< part of the loaded contacts on the boundary of their set
  double best = 1e30;              ///< [s] per visit

  void measure(int sweeps, double relaxation) {
    std::vector<double> impulses = start, velocity(6 * problem.segments.size(), 0.0), previous = start;
    problem.add_scaled_velocity(impulses, velocity);
    Momentum momentum;
    momentum.previous = previous.data();
    momentum.beta = 0;
    const double begin = processor_seconds();
    for (int k = 0; k < sweeps; ++k)
      if (mu.empty()) local_prox_sweep(problem, problem.batches, impulses, velocity, momentum, relaxation);
      else hard_wired_sweep(problem, mu, impulses, velocity, momentum, relaxation);
    best = std::min(best, (processor_seconds() - begin) / (double(sweeps) * double(problem.blocks.size())));
  }
};

/// Sets `loaded` and `slipping`.
void count_states(Contender& c) {
  const ContactProblem& p = c.problem;
  int loaded = 0, slipping = 0;
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    const double* lambda = c.start.data() + p.blocks[i].row;
    if (!(lambda[0] > 0)) continue;
    ++loaded;
    slipping += std::visit(
        [&]<class Law>(const Law& law) {
          if constexpr (std::is_same_v<Law, PatchFriction>) return false;   // points only here
          else return law.implicit(lambda[0], Eigen::Map<const typename Law::Vector>(lambda + 1)).value > -1e-9 * lambda[0];
        },
        p.laws[i]);
  }
  c.loaded = double(loaded) / double(p.blocks.size());
  c.slipping = loaded > 0 ? double(slipping) / loaded : 0;
}

Contender contender(std::string name, World world, StepOptions options, const SurfaceLaw& law) {
  for (std::uint32_t i = 0; i < world.materials.size(); ++i) {
    Material material = world.materials[MaterialId{i}];
    material.law = law.name == "coulomb" ? nullptr : std::make_shared<const SurfaceLaw>(law);
    material.friction = law.name == "coulomb" ? law.numbers[0] : 0.5;
    world.materials.set(MaterialId{i}, material);
  }
  options.max_iterations = 200;
  Stepper stepper(options);
  stepper.step(world);
  Contender c{std::move(name), stepper.problem(), {stepper.impulses().begin(), stepper.impulses().end()}, {}, 0, 0, 1e30};
  count_states(c);
  return c;
}

/// Laws with a coefficient of sliding of mu; lengths are a twentieth of the boxes.
std::vector<std::pair<std::string, SurfaceLaw>> laws_of(double mu, double length) {
  return {{"circle", make_surface_law("coulomb", {{"friction", mu}})},
          {"ellipse", make_surface_law("ellipse", {{"along", mu}, {"across", 0.6 * mu}})},
          {"ellipsoid", make_surface_law("contensou", {{"along", mu}, {"across", 0.6 * mu}, {"torsion", mu * length}})},
          {"rolling", make_surface_law("rolling", {{"friction", mu}, {"rolling", mu * length}})},
          {"full",
           make_surface_law("full", {{"along", mu}, {"across", 0.6 * mu}, {"torsion", mu * length}, {"rolling", mu * length}})},
          {"polygon of 8", make_surface_law("polyhedral", {{"friction", mu}})},
          {"tresca", make_surface_law("tresca", {{"force", 100 * mu}})},
          {"own disc", make_surface_law("own-disc", {{"friction", mu}})}};
}

std::vector<Contender> contenders(const World& world, const StepOptions& options, double mu, double length) {
  std::vector<Contender> list;
  for (const auto& [name, law] : laws_of(mu, length)) {
    list.push_back(contender(name, world, options, law));
    if (name != "circle") continue;
    Contender hard = list.back();
    hard.name = "hard-wired";
    for (const FrictionSet& circle : hard.problem.laws) hard.mu.push_back(std::get<CircularFriction>(circle).mu);
    list.insert(list.begin(), std::move(hard));
  }
  return list;
}

void visits(const Plan& plan) {
  const Override overrides[] = {{"/parameters/count", std::to_string(plan.count)}};
  Scene scene = load_scene("boxes", overrides);
  StepOptions options = scene.step;
  options.solver = "prox-gs";
  options.stabilisation = Baumgarte{};   // without compliance, as hard-wired
  Stepper stepper(options);
  for (int i = 0; i < plan.settle; ++i) stepper.step(scene.world);
  const double length = 0.05;

  World sliding = scene.world;
  sliding.gravity = Vec3(9.81, 0, -9.81) / std::numbers::sqrt2;
  std::vector<std::vector<Contender>> states;
  states.push_back(contenders(scene.world, options, 0.5, length));
  states.push_back(contenders(sliding, options, 0.05, length));
  const volatile double relaxation = 1;   // not known to the compiler, as in a solver
  for (int round = 0; round < plan.rounds; ++round)
    for (auto& state : states)
      for (Contender& c : state) c.measure(plan.sweeps, relaxation);

  fmt::print(
      "{} contacts, of which {:.0f} % carry a load; sweeps of prox-gs, ns per visit and ratio to the circle law (part of the "
      "loaded contacts\n"
      "that slips); best of {} rounds\n",
      states[0][0].problem.blocks.size(), 100 * states[0][0].loaded, plan.rounds);
  fmt::print("{:<14} {:>4}   {:>26} {:>29}\n", "set", "rows", "at rest", "sliding");
  for (std::size_t k = 0; k < states[0].size(); ++k) {
    fmt::print("{:<14} {:>4}", states[0][k].name, states[0][k].problem.blocks[0].dim);
    for (const auto& state : states)
      fmt::print("   {:>8.1f} {:>7.2f} {:>9}", 1e9 * state[k].best, state[k].best / state[1].best,
                 fmt::format("({:.0f} %)", 100 * state[k].slipping));
    fmt::print("\n");
  }
}

/// Best time of one call [s], over all rounds. @param body makes `count` calls
template <class Body>
double best_of(int rounds, std::size_t count, Body&& body) {
  double best = 1e30;
  for (int round = 0; round < rounds; ++round) {
    const double begin = processor_seconds();
    body();
    best = std::min(best, (processor_seconds() - begin) / double(count));
  }
  return best;
}

/// Keeps the compiler from leaving out what is measured.
volatile double kept;

double projection_time(const FrictionSet& set, bool outside, int rounds) {
  return std::visit(
      [&]<class Law>(const Law& law) {
        std::mt19937 random(1);
        std::normal_distribution<double> normal;
        std::vector<typename Law::Vector> points;
        while (points.size() < 1000) {
          typename Law::Vector direction;
          for (int i = 0; i < Law::rows; ++i) direction[i] = normal(random);
          const typename Law::Vector rim = law.support_point(direction);
          points.push_back(outside ? typename Law::Vector(rim + 0.5 * rim.norm() * direction.normalized())
                                   : typename Law::Vector(0.5 * rim));
        }
        constexpr int repeats = 20;
        return best_of(rounds, repeats * points.size(), [&] {
          double sum = 0;
          for (int k = 0; k < repeats; ++k)
            for (const auto& x : points) sum += law.project(1, x)[0];
          kept = sum;
        });
      },
      set);
}

void projections(const Plan& plan) {
  fmt::print("\nns per projection\n{:<14} {:>10} {:>10}\n", "set", "inside", "outside");
  for (const auto& [name, law] : laws_of(0.5, 0.1)) {
    ContactSite site;
    site.h = 0.01;
    const FrictionSet set = local_friction(law, site).set;
    fmt::print("{:<14} {:>10.1f} {:>10.1f}\n", name, 1e9 * projection_time(set, false, plan.rounds),
               1e9 * projection_time(set, true, plan.rounds));
  }
}

void sites(const Plan& plan) {
  const double degree = std::numbers::pi / 180;
  Surface surface;
  surface.structure = CircularStructure{};
  surface.tensor << 0.4, 0, 0, 0.2;
  surface.normal_map = {std::make_shared<const Picture>(sawtooth_normals(256, 4, 10 * degree, 60 * degree)), 0.1};
  std::vector<std::pair<std::string, SurfaceLaw>> list;
  for (const auto& [name, law] : laws_of(0.5, 0.1)) list.emplace_back(law.name, law);
  list.emplace_back("box", make_surface_law("box", {{"along", 0.5}, {"across", 0.3}}));
  list.emplace_back(
      "limit-surface",
      make_surface_law("limit-surface", {}, {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 0.1}, {0, 0, -0.1}}));
  list.emplace_back("static-kinetic", make_surface_law("static-kinetic", {{"static", 0.5}, {"kinetic", 0.4}}));
  list.emplace_back("stribeck", make_surface_law("stribeck", {{"static", 0.5}, {"kinetic", 0.4}, {"velocity", 0.1}}));
  list.emplace_back("matchstick", make_surface_law("matchstick", {{"friction", 0.5}, {"along", 0.3}, {"across", 0.6}}));
  list.emplace_back("tensor", make_surface_law("tensor", {}));
  list.emplace_back("tensor, direct", make_surface_law("tensor", {{"direct", 1}}));
  list.emplace_back("texture, 4", make_surface_law("texture", {{"patch", 0.05}}));
  list.emplace_back("texture, 8", make_surface_law("texture", {{"patch", 0.05}, {"directions", 8}}));

  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::vector<ContactSite> places(200);
  for (ContactSite& site : places) {
    site.position = {normal(random), normal(random), 0};
    site.slip = {normal(random), normal(random), 0};
    site.h = 0.01;
    site.a.surface = site.b.surface = &surface;
    site.b.pose.orientation = Quat(Eigen::AngleAxisd(normal(random), Vec3::UnitZ()));
  }
  fmt::print("\nns per contact when a problem is built: the law at one site (textures read 16 × 16 facets of each surface)\n");
  for (const auto& [name, law] : list) {
    const PreparedLaw prepared = prepare_surface_law(law);
    const int repeats = law.name == "texture" ? 1 : 20;
    const double time = best_of(plan.rounds, repeats * places.size(), [&] {
      double sum = 0;
      for (int k = 0; k < repeats; ++k)
        for (const ContactSite& site : places) sum += prepared(site).tangent.x();
      kept = sum;
    });
    fmt::print("{:<14} {:>10.0f}\n", name, 1e9 * time);
  }
}

}   // namespace
}   // namespace stickslip::bench

int main(int argc, char** argv) try {
  using namespace stickslip::bench;
  Arguments arguments(argc, argv);
  const Plan plan{arguments.number("--count", 900), arguments.number("--settle", 120), arguments.number("--sweeps", 20),
                  arguments.number("--rounds", 25)};
  arguments.finish("--count boxes, --settle steps, --sweeps n, --rounds n");
  add_own_law();
  visits(plan);
  projections(plan);
  sites(plan);
} catch (const std::exception& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 2;
}
