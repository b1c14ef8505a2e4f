// Stickslip, Bullet, ODE and MuJoCo on the same scenes, in the same process, step by step in turn, one thread each.
//
//   bench_peers [--scenes boxes,spheres,wall,mass-ratio,incline,sliding] [--count 300] [--repeats 3] [--sweeps 20] [--csv FILE]
//
// All start from the same world, with the same h = 1/60 s, friction and gravity, warm start where the engine has one, no
// sleeping; each engine is otherwise set as its makers advise, which the report lists. ms: processor time of a step, of each of
// the last steps the least over the repeats, then the mean. Residual [m/s] and natural map: those of problem/residual.h, of the
// impulses that the engine applied on the problem that it posed itself, medians over judged steps, which are not timed. Depth
// [mm]: the deepest overlap at the end, found by Stickslip's collision detection for all. Drift [mm]: the farthest that a body
// has come from where it was when measuring began. Speed [µm/s]: of the fastest body at the end. Energy [J]: kinetic at the
// end. Force: error of the force on what does not move, over the weight. Check [m/s]: how well velocities follow from the
// impulses.
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <sstream>

#include <fmt/format.h>

#include "bench/arguments.h"
#include "bench/peers/peer.h"
#include "bench/statistics.h"
#include "stickslip/problem/residual.h"
#include "stickslip/scene/scene.h"
#include "stickslip/step/stepper.h"

namespace stickslip::bench {
namespace {

struct SceneOfPeers {
  std::string name;
  World world;
  PeerSettings settings;
  int settle, steps;
  double stop = 0;   ///< way that the last body is to slide [m]; 0: does not apply
};

struct Row {
  std::string name, settings, trouble;
  std::vector<double> seconds;   ///< of each timed step, the least so far
  std::vector<double> residual, natural_map, force;
  double contacts = 0, depth = 0, drift = 0, speed = 0, energy = 0, stop_error = 0, mismatch = 0;
};

SceneOfPeers make_scene(const std::string& name, int count, int sweeps) {
  PeerSettings settings;
  settings.sweeps = sweeps;
  const auto load = [](const std::string& scene, std::vector<Override> overrides) {
    return load_scene(scene, overrides).world;
  };
  const std::string n = std::to_string(count), mu = "0.5";
  if (name == "boxes" || name == "spheres")
    return {name, load(name, {{"/parameters/count", n}, {"/parameters/mu", mu}}), settings, 240, 60};
  if (name == "wall") return {name, load(name, {{"/parameters/mu", mu}}), settings, 60, 120};
  if (name == "mass-ratio") {
    SceneOfPeers s{name, load(name, {{"/parameters/ratio", "100"}}), settings, 60, 120};
    return s;
  }
  if (name == "incline") {
    const double degrees = std::atan(0.99 * 0.5) * 180 / EIGEN_PI;
    const std::string angle = fmt::format("{:.15g}", degrees);
    return {name, load(name, {{"/parameters/angle_degrees", angle}, {"/parameters/mu", mu}}), settings, 60, 120};
  }
  if (name == "sliding") {
    SceneOfPeers s{name, load("incline", {{"/parameters/angle_degrees", "0"}, {"/parameters/mu", mu}}), settings, 0, 120};
    const auto slot = static_cast<std::uint32_t>(s.world.bodies().size() - 1);
    s.world.set_velocity(s.world.id_of(slot), {3, 0, 0}, Vec3::Zero());
    s.stop = 9 / (2 * 0.5 * s.world.gravity.norm());
    return s;
  }
  throw std::invalid_argument(
      fmt::format("There is no scene {}. Known: boxes, spheres, wall, mass-ratio, incline, sliding.", name));
}

struct Maker {
  const char* engine;
  std::function<std::unique_ptr<Peer>(const SceneOfPeers&)> make;
};

std::vector<Maker> makers() {
  const auto ours = [](const char* solver, int iterations, bool turning = true) -> Maker {
    return {"Stickslip", [=](const SceneOfPeers& s) {
              StepOptions options;
              options.solver = solver;
              options.turning_contacts = turning;
              if (iterations > 0) options.max_iterations = iterations;
              return make_stickslip(s.world, s.settings, options);
            }};
  };
  return {ours("auto", 0),
          ours("prox-gs", 20),
          ours("prox-gs", 10),
          ours("prox-gs", 10, false),
          ours("prox-gs", 5, false),
          {"Bullet", [](const SceneOfPeers& s) { return make_bullet(s.world, s.settings, 1); }},
          {"Bullet", [](const SceneOfPeers& s) { return make_bullet(s.world, s.settings, 2); }},
          {"ODE", [](const SceneOfPeers& s) { return make_ode(s.world, s.settings); }},
          {"MuJoCo", [](const SceneOfPeers& s) { return make_mujoco(s.world, s.settings); }}};
}

double weight(const World& world) {
  double mass = 0;
  for (const Body& body : world.bodies())
    if (body.motion == MotionType::dynamic) mass += body.mass.mass;
  return mass * world.gravity.norm();
}

void judge(Peer& peer, const SceneOfPeers& scene, Row& row) {
  peer.remember();
  peer.step();
  const Answer answer = peer.answer();
  ResidualWorkspace workspace;
  row.residual.push_back(residual(answer.problem, answer.impulses, workspace).total());
  row.natural_map.push_back(natural_map_error(answer.problem, answer.impulses, workspace));
  const double all = weight(scene.world);
  row.force.push_back((answer.force_on_fixed - all * scene.world.gravity.normalized()).norm() / all);
  row.mismatch = std::max(row.mismatch, answer.velocity_mismatch);
}

/// What can be told of the end, the same way for all.
void look_at_end(const Peer& peer, const SceneOfPeers& scene, const std::vector<Vec3>& start, Row& row) {
  World end = scene.world;
  row.drift = row.speed = row.energy = 0;
  for (std::uint32_t i = 0; i < end.bodies().size(); ++i) {
    const Body& body = end.bodies()[i];
    if (body.motion != MotionType::dynamic) continue;
    const PeerState s = peer.state(i);
    row.drift = std::max(row.drift, (s.position - start[i]).norm());
    row.speed = std::max(row.speed, s.velocity.norm());
    end.set_frame(end.id_of(i), {s.position - s.orientation * body.mass.center, s.orientation});
    end.set_velocity(end.id_of(i), s.velocity, s.angular_velocity);
    if (scene.stop > 0) row.stop_error = (s.position - scene.world.bodies()[i].position).norm() - scene.stop;
  }
  row.energy = end.kinetic_energy();
  const std::vector<Overlap> overlaps = find_overlaps(end, 0);
  row.depth = overlaps.empty() ? 0 : overlaps.front().depth;
  row.contacts = static_cast<double>(peer.contact_count());
}

void run_once(const SceneOfPeers& scene, std::vector<Row>& rows) {
  std::vector<std::unique_ptr<Peer>> peers;
  std::vector<std::vector<Vec3>> start(rows.size());
  const std::vector<Maker> make = makers();
  const auto guarded = [&](std::size_t k, const auto& what) {   // an engine that gives up does not end the others
    if (!rows[k].trouble.empty()) return;
    try {
      what();
    } catch (const std::exception& e) {
      rows[k].trouble = e.what();
    }
  };
  for (std::size_t k = 0; k < rows.size(); ++k) {
    peers.emplace_back();
    if (rows[k].name.empty()) rows[k].name = make[k].engine;
    guarded(k, [&] {
      peers[k] = make[k].make(scene);
      rows[k].name = peers[k]->name, rows[k].settings = peers[k]->settings;
    });
  }
  for (int i = 0; i < scene.settle; ++i)
    for (std::size_t k = 0; k < rows.size(); ++k) guarded(k, [&] { peers[k]->step(); });
  for (std::size_t k = 0; k < rows.size(); ++k)
    guarded(k, [&] {
      for (std::size_t i = 0; i < scene.world.bodies().size(); ++i) start[k].push_back(peers[k]->state(i).position);
    });
  for (int i = 0; i < scene.steps; ++i)
    for (std::size_t k = 0; k < rows.size(); ++k)
      guarded(k, [&] {
        Row& row = rows[k];
        if (i % 10 == 9) return judge(*peers[k], scene, row);
        const double before = processor_seconds();
        peers[k]->step();
        const double seconds = processor_seconds() - before;
        const auto n = static_cast<std::size_t>(i);
        if (row.seconds.size() <= n) row.seconds.resize(n + 1, 0);
        row.seconds[n] = row.seconds[n] == 0 ? seconds : std::min(row.seconds[n], seconds);
      });
  for (std::size_t k = 0; k < rows.size(); ++k) guarded(k, [&] { look_at_end(*peers[k], scene, start[k], rows[k]); });
}

double milliseconds(const Row& row) {
  std::vector<double> timed;
  for (const double s : row.seconds)
    if (s > 0) timed.push_back(s);
  return 1e3 * mean(timed);
}

void print(const SceneOfPeers& scene, const std::vector<Row>& rows, std::ostream* csv) {
  fmt::print("\n### {}: {} bodies, h = {:.4g} s, friction {}, {} steps after {}\n\n", scene.name, scene.world.body_count() - 1,
             scene.settings.h, scene.settings.friction, scene.steps, scene.settle);
  fmt::print("| engine | ms | ratio | contacts | residual | natural map | depth | drift | speed | energy | force | {}check |\n",
             scene.stop > 0 ? "stop [mm] | " : "");
  fmt::print("|---|---|---|---|---|---|---|---|---|---|---|{}---|\n", scene.stop > 0 ? "---|" : "");
  const double base = milliseconds(rows[0]);
  for (const Row& r : rows) {
    if (!r.trouble.empty()) {
      fmt::print("| {} | gave up: {} |\n", r.name, r.trouble);
      continue;
    }
    fmt::print("| {} | {:.3g} | {:.2f} | {:.0f} | {:.2g} | {:.2g} | {:.2g} | {:.2g} | {:.2g} | {:.2g} | {:.1e} | {}{:.0e} |\n",
               r.name, milliseconds(r), milliseconds(r) / base, r.contacts, median(r.residual), median(r.natural_map),
               1e3 * r.depth, 1e3 * r.drift, 1e6 * r.speed, r.energy, median(r.force),
               scene.stop > 0 ? fmt::format("{:+.2g} | ", 1e3 * r.stop_error) : "", r.mismatch);
    if (csv != nullptr)
      *csv << fmt::format("{},\"{}\",{:.6g},{:.4g},{:.0f},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g}\n",
                          scene.name, r.name, milliseconds(r), milliseconds(r) / base, r.contacts, median(r.residual),
                          median(r.natural_map), r.depth, r.drift, r.speed, r.energy, median(r.force), r.stop_error,
                          r.mismatch);
  }
}

/// For every other engine: our cheapest setting whose residual is smaller, and what it costs beside it.
void print_cheapest(const std::vector<Row>& rows) {
  const auto is_ours = [](const Row& r) { return r.name.starts_with("Stickslip"); };
  fmt::print("\n| beside | our cheapest setting with a smaller residual | its time over theirs | its residual over theirs |\n");
  fmt::print("|---|---|---|---|\n");
  for (const Row& peer : rows) {
    if (is_ours(peer) || !peer.trouble.empty()) continue;
    const Row* best = nullptr;
    for (const Row& r : rows)
      if (is_ours(r) && r.trouble.empty() && median(r.residual) < median(peer.residual) &&
          (best == nullptr || milliseconds(r) < milliseconds(*best)))
        best = &r;
    if (best == nullptr) fmt::print("| {} | none | | |\n", peer.name);
    else
      fmt::print("| {} | {} | {:.2f} | {:.2g} |\n", peer.name, best->name, milliseconds(*best) / milliseconds(peer),
                 median(best->residual) / median(peer.residual));
  }
}

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown processor";
}

void compare(const std::string& scenes, int count, int repeats, int sweeps, const std::string& csv_file) {
  std::ofstream csv;
  if (!csv_file.empty()) {
    csv.open(csv_file);
    if (!csv) throw std::invalid_argument(fmt::format("{} cannot be written.", csv_file));
    csv << "scene,engine,ms,ratio,contacts,residual_m_s,natural_map,depth_m,drift_m,speed_m_s,energy_J,force_error,stop_error_"
           "m,check_m_s\n";
  }
  fmt::print("{}, one thread; {}, {}, {}; best of {} repeats\n", processor(), bullet_version(), ode_version(), mujoco_version(),
             repeats);
  std::vector<std::string> settings;
  std::istringstream names(scenes);
  for (std::string name; std::getline(names, name, ',');) {
    const SceneOfPeers scene = make_scene(name, count, sweeps);
    std::vector<Row> rows(makers().size());
    for (int i = 0; i < repeats; ++i) run_once(scene, rows);
    print(scene, rows, csv.is_open() ? &csv : nullptr);
    print_cheapest(rows);
    std::fflush(stdout);
    for (const Row& row : rows) {
      const std::string line = fmt::format("- {}: {}", row.name, row.settings);
      if (std::find(settings.begin(), settings.end(), line) == settings.end()) settings.push_back(line);
    }
  }
  fmt::print("\nSettings:\n\n");
  for (const std::string& line : settings) fmt::print("{}\n", line);
}

}   // namespace
}   // namespace stickslip::bench

int main(int argc, char** argv) try {
  using namespace stickslip::bench;
  Arguments arguments(argc, argv);
  const std::string scenes = arguments.text("--scenes", "boxes,spheres,wall,mass-ratio,incline,sliding");
  const int count = arguments.number("--count", 300), repeats = arguments.number("--repeats", 3);
  const int sweeps = arguments.number("--sweeps", 20);
  const std::string csv = arguments.text("--csv", "");
  arguments.finish("--scenes boxes,wall,…, --count n, --repeats n, --sweeps n, --csv FILE");
  compare(scenes, count, repeats, sweeps, csv);
} catch (const std::exception& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 2;
}
