// Published contact problems with every solver of Siconos that applies, and with `auto`, each answer judged by Stickslip's
// residual.
//
//   bench_siconos [--time-limit 5] [--csv FILE] --files problem,…
//
// All start from zero and are asked for 1e-8, Siconos by its own error (the natural map), `auto` by that and the residual in
// m/s. An answer counts if its natural-map error, computed by Stickslip, is at most 1e-8. Times are processor times of the
// solve alone, the least of several; of those of a few µs sixteen are timed together, and the two that are compared are timed
// once more at the end. Every solver of Siconos runs with its default options but for tolerance and number of iterations, with
// W as block, sparse and (up to 100 contacts) dense matrix, of which the best counts; each in a process of its own, as some end
// the program. A run is ended after the limit, or when it has taken ten times as long as the best of Siconos so far.
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include "bench/arguments.h"
#include "bench/statistics.h"
#include "stickslip/problem/files.h"
#include "stickslip/problem/residual.h"
#include "stickslip/solve/registry.h"

extern "C" {
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <LinearComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <RollingFrictionContactProblem.h>
#include <SolverOptions.h>
#include <lcp_cst.h>
}

namespace stickslip::bench {
namespace {

constexpr double kTolerance = 1e-8;
constexpr double kPreparation = 0.3;   // processor time that a run may take beside its first solve [s]

struct Method {
  const char* name;
  int id;
};
/// All that need no further program (GAMS, PATH, Gurobi), by the rows of a contact.
std::vector<Method> methods(int rows) {
  if (rows == 1)
    return {{"LEMKE", SICONOS_LCP_LEMKE},
            {"PGS", SICONOS_LCP_PGS},
            {"CPG", SICONOS_LCP_CPG},
            {"LATIN", SICONOS_LCP_LATIN},
            {"NEWTONMIN", SICONOS_LCP_NEWTONMIN},
            {"NEWTON_FB_FBLSA", SICONOS_LCP_NEWTON_FB_FBLSA},
            {"PSOR", SICONOS_LCP_PSOR},
            {"RPGS", SICONOS_LCP_RPGS},
            {"ENUM", SICONOS_LCP_ENUM},
            {"AVI_CAOFERRIS", SICONOS_LCP_AVI_CAOFERRIS},
            {"PIVOT", SICONOS_LCP_PIVOT},
            {"BARD", SICONOS_LCP_BARD},
            {"MURTY", SICONOS_LCP_MURTY},
            {"NEWTON_MIN_FBLSA", SICONOS_LCP_NEWTON_MIN_FBLSA},
            {"PATHSEARCH", SICONOS_LCP_PATHSEARCH},
            {"CONVEXQP_PG", SICONOS_LCP_CONVEXQP_PG}};
  if (rows == 2)
    return {{"NSGS", SICONOS_FRICTION_2D_NSGS},
            {"CPG", SICONOS_FRICTION_2D_CPG},
            {"LEMKE", SICONOS_FRICTION_2D_LEMKE},
            {"ENUM", SICONOS_FRICTION_2D_ENUM}};
  if (rows == 5) return {{"NSGS", SICONOS_ROLLING_FRICTION_3D_NSGS}, {"ADMM", SICONOS_ROLLING_FRICTION_3D_ADMM}};
  return {{"NSGS", SICONOS_FRICTION_3D_NSGS},     {"NSGSV", SICONOS_FRICTION_3D_NSGSV},
          {"PROX", SICONOS_FRICTION_3D_PROX},     {"TFP", SICONOS_FRICTION_3D_TFP},
          {"NSN_AC", SICONOS_FRICTION_3D_NSN_AC}, {"DSFP", SICONOS_FRICTION_3D_DSFP},
          {"VI_FPP", SICONOS_FRICTION_3D_VI_FPP}, {"VI_EG", SICONOS_FRICTION_3D_VI_EG},
          {"HP", SICONOS_FRICTION_3D_HP},         {"FPP", SICONOS_FRICTION_3D_FPP},
          {"EG", SICONOS_FRICTION_3D_EG},         {"NSN_FB", SICONOS_FRICTION_3D_NSN_FB},
          {"ACLMFP", SICONOS_FRICTION_3D_ACLMFP}, {"SOCLCP", SICONOS_FRICTION_3D_SOCLCP},
          {"NSN_NM", SICONOS_FRICTION_3D_NSN_NM}, {"NSN_AC_TEST", SICONOS_FRICTION_3D_NSN_AC_TEST},
          {"PFP", SICONOS_FRICTION_3D_PFP},       {"ADMM", SICONOS_FRICTION_3D_ADMM}};
}

/// A problem in the form of Siconos. What it points to lives as long as the process: every run has one of its own.
struct SiconosProblem {
  NumericsMatrix* matrix = nullptr;
  std::vector<double> q, mu, rolling;
  int rows = 0, contacts = 0;
};

NumericsMatrix* make_matrix(const Eigen::MatrixXd& w, NM_types storage) {
  const int n = static_cast<int>(w.rows());
  NumericsMatrix* m = NM_create(storage, n, n);
  if (storage == NM_SPARSE) NM_triplet_alloc(m, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      if (w(i, j) != 0) NM_entry(m, i, j, w(i, j));
  return m;
}

SiconosProblem convert(const ContactProblem& p, const Eigen::MatrixXd& w, NM_types storage) {
  SiconosProblem s;
  s.rows = p.blocks[0].dim;
  s.contacts = static_cast<int>(p.blocks.size());
  s.q = p.b;
  for (const FrictionSet& law : p.laws) {
    if (const auto* circle = std::get_if<CircularFriction>(&law)) s.mu.push_back(circle->mu);
    else if (const auto* plane = std::get_if<PlanarFriction>(&law)) s.mu.push_back(plane->mu);
    else if (const auto* roll = std::get_if<RollingFriction>(&law))
      s.mu.push_back(roll->mu), s.rolling.push_back(roll->mu_rolling);
  }
  if (storage == NM_SPARSE_BLOCK) {   // as Siconos reads it from its own kind of file
    const std::string file = std::filesystem::temp_directory_path() / fmt::format("stickslip-peer-{}.dat", getpid());
    ProblemFile saved;
    saved.problem = p;
    save_problem(file, saved, "siconos");
    s.matrix = frictionContact_new_from_filename(file.c_str())->M;
    std::filesystem::remove(file);
  } else {
    s.matrix = make_matrix(w, storage);
  }
  return s;
}

int drive(SiconosProblem& s, double* reaction, double* velocity, SolverOptions* options) {
  if (s.rows == 1) {
    LinearComplementarityProblem lcp{};
    lcp.size = s.contacts, lcp.M = s.matrix, lcp.q = s.q.data();
    return linearComplementarity_driver(&lcp, reaction, velocity, options);
  }
  if (s.rows == 5) {
    RollingFrictionContactProblem rfc{};
    rfc.dimension = 5, rfc.numberOfContacts = s.contacts, rfc.M = s.matrix, rfc.q = s.q.data();
    rfc.mu = s.mu.data(), rfc.mu_r = s.rolling.data();
    return rolling_fc3d_driver(&rfc, reaction, velocity, options);
  }
  FrictionContactProblem fc{};
  fc.dimension = s.rows, fc.numberOfContacts = s.contacts, fc.M = s.matrix, fc.q = s.q.data(), fc.mu = s.mu.data();
  return s.rows == 2 ? fc2d_driver(&fc, reaction, velocity, options) : fc3d_driver(&fc, reaction, velocity, options);
}

struct Result {
  double seconds = 0, residual = 0, natural_map = 0;
  bool ended = false;   ///< within the limit, by itself
  bool solved() const { return ended && natural_map <= kTolerance; }
};

Result judged(const ContactProblem& p, const std::vector<double>& impulses, double seconds) {
  ResidualWorkspace workspace;
  return {seconds, residual(p, impulses, workspace).total(), natural_map_error(p, impulses, workspace), true};
}

/// What reading the clock adds to a time.
double seconds_of_clock() {
  double least = 1;
  for (int k = 0; k < 1000; ++k) {
    const double start = processor_seconds();
    least = std::min(least, processor_seconds() - start);
  }
  return least;
}

/// Eight times, and small problems until the processor knows them and other work has left them alone for once; nothing for
/// longer than 0.2 s.
bool is_to_repeat(int done, double seconds) { return seconds < (done < 8 ? 0.2 : 2e-2); }

/// Solves between two looks at the clock, which tells time in steps of 10 ns: many of those that take less than this.
constexpr double kShort = 2e-5;   // [s]
int at_a_time(double seconds) { return seconds < kShort ? 16 : 1; }

/// The least time of a solve, of many. @param prepare gets so many ready to be solved @param solve the one of this number
template <class Prepare, class Solve>
double least_seconds(Prepare&& prepare, Solve&& solve) {
  const double clock = seconds_of_clock();
  double best = 1e300, all = 0;
  for (int k = 0, count = 1; is_to_repeat(k, all); ++k) {
    prepare(count);
    const double start = processor_seconds();
    for (int i = 0; i < count; ++i) solve(i);
    const double seconds = processor_seconds() - start;
    best = std::min(best, (seconds - clock) / count);
    all += seconds;
    count = at_a_time(best);
  }
  return best;
}

/// In the process of the run: solves, and writes time and impulses.
[[noreturn]] void solve_and_tell(const ContactProblem& p, const Eigen::MatrixXd& w, NM_types storage, int id, int out) {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  if (std::freopen("/dev/null", "w", stdout) == nullptr || std::freopen("/dev/null", "w", stderr) == nullptr) _exit(1);
  struct Ready {
    SiconosProblem problem;
    std::vector<double> reaction, velocity;
    SolverOptions* options = nullptr;
  };
  std::vector<Ready> ready;
  const double best = least_seconds(
      [&](int count) {
        ready.resize(static_cast<std::size_t>(count));
        for (Ready& r : ready) {
          r.problem = convert(p, w, storage);
          r.reaction.assign(p.rows(), 0), r.velocity.assign(p.rows(), 0);
          r.options = solver_options_create(id);
          r.options->dparam[SICONOS_DPARAM_TOL] = kTolerance;
          r.options->iparam[SICONOS_IPARAM_MAX_ITER] = 100'000'000;
        }
      },
      [&](int i) {
        Ready& r = ready[static_cast<std::size_t>(i)];
        drive(r.problem, r.reaction.data(), r.velocity.data(), r.options);
      });
  const std::vector<double>& reaction = ready.back().reaction;
  const auto bytes = static_cast<ssize_t>(reaction.size() * sizeof(double));
  const bool told =
      write(out, &best, sizeof best) == sizeof best && write(out, reaction.data(), static_cast<std::size_t>(bytes)) == bytes;
  _exit(told ? 0 : 1);
}

Result run_siconos(const ContactProblem& p, const Eigen::MatrixXd& w, NM_types storage, int id, double limit) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) solve_and_tell(p, w, storage, id, ends[1]);
  close(ends[1]);
  std::vector<double> numbers(p.rows() + 1);
  auto* at = reinterpret_cast<char*>(numbers.data());
  std::size_t missing = numbers.size() * sizeof(double);
  // Its processor time counts: other work on the machine must not end it.
  clockid_t clock{};
  timespec used{};
  for (ssize_t n = 0; missing > 0; at += n) {
    pollfd ready{ends[0], POLLIN, 0};
    const bool told = poll(&ready, 1, 20) > 0;
    n = told ? read(ends[0], at, missing) : 0;
    if (n < 0 || (told && n == 0)) break;
    missing -= static_cast<std::size_t>(n);
    if (clock_getcpuclockid(child, &clock) != 0 || clock_gettime(clock, &used) != 0) continue;
    if (static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec) > limit + kPreparation) break;
  }
  if (missing > 0) kill(child, SIGKILL);
  close(ends[0]);
  waitpid(child, nullptr, 0);
  if (missing > 0 || numbers[0] > limit) return {};
  return judged(p, {numbers.begin() + 1, numbers.end()}, numbers[0]);
}

Result run_automatic(const ContactProblem& p, double limit) {
  SolveControl control;
  control.tolerance = control.natural_map_tolerance = kTolerance;
  control.max_iterations = 100'000'000;
  control.time_limit = limit;
  control.natural_map = control.notes = false;   // as in a simulation
  const auto method = make_solver("auto");
  std::vector<double> impulses(p.rows(), 0.0);
  Workspace workspace;   // kept from solve to solve, as a simulation keeps it
  if (method->solve(p, impulses, workspace, control).status == SolveStatus::time_limit) return judged(p, impulses, limit);
  // From here on nobody looks at the clock within a solve, as nobody does within those of Siconos.
  control.time_limit = std::numeric_limits<double>::infinity();
  control.seconds = false;
  std::vector<std::vector<double>> ready;
  const double best = least_seconds(
      [&](int count) {
        ready.resize(static_cast<std::size_t>(count));
        for (std::vector<double>& guess : ready) guess.assign(p.rows(), 0);
      },
      [&](int i) { method->solve(p, ready[static_cast<std::size_t>(i)], workspace, control); });
  return judged(p, ready.back(), best);
}

struct Line {
  std::string problem, best_name = "none", best_storage;
  std::size_t contacts = 0;
  Result automatic, best;
  int solved = 0, tried = 0;
};

Line measure(const std::string& file, double limit, std::ostream* csv) {
  ContactProblem p = load_problem(file).problem;
  if (p.is_coupled()) p = condense(p);   // all are given W
  const Eigen::MatrixXd w = delassus(p).dense();
  Line line;
  line.problem = std::filesystem::path(file).filename().string();
  line.contacts = p.blocks.size();
  line.automatic = run_automatic(p, limit);
  const auto note = [&](const std::string& solver, const char* storage, const Result& r) {
    if (csv != nullptr)
      *csv << fmt::format("{},{},{},{},{:.6g},{:.3g},{:.3g},{}\n", line.problem, line.contacts, solver, storage, r.seconds,
                          r.residual, r.natural_map,
                          r.solved() ? "solved"
                          : r.ended  ? "wrong"
                                     : "ended")
           << std::flush;
  };
  note("auto", "", line.automatic);
  const int rows = p.blocks[0].dim;
  std::function<Result()> again;
  for (const Method& method : methods(rows)) {
    bool solved = false;
    for (const auto& [storage, name] :
         {std::pair(NM_SPARSE_BLOCK, "blocks"), std::pair(NM_SPARSE, "sparse"), std::pair(NM_DENSE, "dense")}) {
      if (storage != NM_DENSE ? rows != 3 : rows == 3 && line.contacts > 100) continue;
      const Result r =
          run_siconos(p, w, storage, method.id, line.solved > 0 ? std::min(limit, 10 * line.best.seconds + 0.02) : limit);
      note(method.name, name, r);
      if (!r.solved()) continue;
      if ((line.solved == 0 && !solved) || r.seconds < line.best.seconds) {
        line.best = r, line.best_name = method.name, line.best_storage = name;
        again = [&p, &w, storage, id = method.id, limit] { return run_siconos(p, w, storage, id, limit); };
      }
      solved = true;
    }
    line.solved += solved;
    ++line.tried;
  }
  // The two that are compared once more: what else the machine did meanwhile must not decide.
  const auto take_faster = [](Result& result, const Result& other) {
    if (other.solved() && other.seconds < result.seconds) result = other;
  };
  if (again) take_faster(line.best, again());
  if (line.automatic.solved()) take_faster(line.automatic, run_automatic(p, limit));
  return line;
}

void compare(const std::string& files, double limit, const std::string& csv_file) {
  std::ofstream csv;
  if (!csv_file.empty()) {
    csv.open(csv_file);
    if (!csv) throw std::invalid_argument(fmt::format("{} cannot be written.", csv_file));
    csv << "problem,contacts,solver,storage,seconds,residual_m_s,natural_map,outcome\n";
  }
  fmt::print(
      "| problem | contacts | auto [ms] | residual | natural map | best of Siconos | [ms] | residual | natural map | auto over "
      "it | solved |\n");
  fmt::print("|---|---|---|---|---|---|---|---|---|---|---|\n");
  double logarithms = 0;
  int counted = 0, faster = 0;
  std::istringstream names(files);
  for (std::string file; std::getline(names, file, ',');) {
    const Line l = measure(file, limit, csv.is_open() ? &csv : nullptr);
    const bool both = l.solved > 0 && l.automatic.solved();
    const double ratio = both ? l.automatic.seconds / l.best.seconds : 0;
    if (both) logarithms += std::log(ratio), ++counted, faster += ratio < 1;
    fmt::print("| {} | {} | {:.3g}{} | {:.1e} | {:.1e} | {} | {} | {} of {} |\n", l.problem, l.contacts,
               1e3 * l.automatic.seconds, l.automatic.solved() ? "" : " (missed)", l.automatic.residual,
               l.automatic.natural_map,
               l.solved > 0 ? fmt::format("{}, {} | {:.3g} | {:.1e} | {:.1e}", l.best_name, l.best_storage,
                                          1e3 * l.best.seconds, l.best.residual, l.best.natural_map)
                            : "none | | |",
               both ? fmt::format("{:.2f}", ratio) : "-", l.solved, l.tried);
    std::fflush(stdout);
  }
  if (counted > 0)
    fmt::print(
        "\nauto takes {:.2f} of the time of the best solver of Siconos in the geometric mean of {} problems, and is faster on "
        "{}\n",
        std::exp(logarithms / counted), counted, faster);
}

}   // namespace
}   // namespace stickslip::bench

int main(int argc, char** argv) try {
  using namespace stickslip::bench;
  Arguments arguments(argc, argv);
  const std::string files = arguments.text("--files", ""), csv = arguments.text("--csv", "");
  const int limit = arguments.number("--time-limit", 5);
  arguments.finish("--files problem,…, --time-limit seconds, --csv FILE");
  if (files.empty()) throw std::invalid_argument("Which problems? Give --files problem,…");
  compare(files, limit, csv);
} catch (const std::exception& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 2;
}
