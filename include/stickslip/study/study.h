// A study: an experiment whose result is tables, figures and claims that hold or do not.
//
// It is planned for a setting (how large, which seed) as independent cases, each of which adds rows to tables. Everything about
// running them (in parallel, resumed, written to files, drawn, reported) is done by run_study (study/run.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stickslip/problem/files.h"
#include "stickslip/scene/scene.h"
#include "stickslip/study/table.h"

namespace stickslip::study {

enum class Size : std::uint8_t {
  quick,      ///< seconds: shows that it works
  standard,   ///< a few minutes: shows what the paper shows
  full        ///< the sizes of the paper
};
Size size_from_name(std::string_view);   ///< @throws Error with a suggestion
std::string_view size_name(Size);

/// What the user decides. The same setting gives the same data to the bit, but for timings.
struct Setting {
  Size size = Size::standard;
  std::uint64_t seed = 1;
  std::string scene = {};                   ///< of the study of one's own scene: name or file
  std::string document = {};                ///< its complete text, so that a manifest holds it
  std::vector<std::string> problems = {};   ///< contact problems to use in place of the study's own: files
  std::vector<std::string> solvers = {};    ///< to use in place of the study's own; empty: those
  std::string criterion = {};               ///< what the recommendation is to hold, such as "creep=1e-6"

  /// What the size asks for: setting.pick(10, 100, 450)
  template <class T>
  T pick(const T& quick, const T& standard, const T& full) const {
    return size == Size::quick ? quick : size == Size::standard ? standard : full;
  }
};

/// Thrown where a case was asked to stop.
struct Cancelled {};

/// What a running case fills and asks. Cases run at the same time in threads: they share nothing.
class CaseRun {
 public:
  CaseRun(Data& data, const std::atomic<bool>* cancel) : data_(data), cancel_(cancel) {}

  /// A table of the plan, empty at the start of the case.
  Table& table(std::string_view name) { return data_.table(name); }
  /// To be called now and then in long cases. @throws Cancelled if the user wants to stop
  void check_cancelled() const {
    if (cancelled()) throw Cancelled();
  }
  bool cancelled() const { return cancel_ && *cancel_; }
  const std::atomic<bool>* cancel_flag() const { return cancel_; }   ///< for SolveControl::cancel; may be null
  /// load_scene for cases, which must not use it themselves: reading scenes is done by one thread at a time, and steps of what
  /// it returns end when the user wants to stop.
  Scene load(const std::string& name_or_path, const std::vector<Override>& overrides = {}) const;
  /// The same of parse_scene.
  Scene parse(std::string_view json_text, const std::string& file, const std::vector<Override>& overrides = {}) const;
  /// The same of load_problem.
  ProblemFile load_problem(const std::string& file) const;

 private:
  Scene cancellable(Scene) const;

  Data& data_;
  const std::atomic<bool>* cancel_;
};

/// Processor time of this thread [s]: what timings are measured with, so that other cases do not count.
double processor_seconds();

/// One independent piece of a study.
struct Case {
  std::string name;   ///< unique in the study: letters, digits and any of " .-_/"
  std::function<void(CaseRun&)> run;
  double cost = 1;   ///< about how long it takes compared with others: costly ones start first, and time left is told from it
};

enum class FigureKind : std::uint8_t {
  lines,       ///< y over x
  steps,       ///< the same as stairs
  scatter,     ///< points
  bars,        ///< y by the words of x, side by side by series
  histogram,   ///< how often values of x occur
  matrix       ///< a square at (x, y) for every row, coloured by the first of `y` … `value`: fill patterns, spectra over time
};

/// A figure, declared: what is drawn from which columns. Column names must be of the table.
struct Figure {
  std::string name;      ///< of its file, without ending
  std::string title;     ///< short: above the figure
  std::string caption;   ///< what is shown and what to see in it; in the report below the figure
  FigureKind kind = FigureKind::lines;
  std::string table;
  std::string x;
  std::vector<std::string> y = {};          ///< one or more columns (none for histograms)
  std::string series = {};                  ///< column of words: a curve, colour or bar for each
  std::string panels = {};                  ///< column of words: a plot for each, side by side
  std::string low = {}, high = {};          ///< columns: band around y, such as quartiles
  std::string value = {};                   ///< column: colour of the squares of a matrix; empty: black
  std::string point_label = {};             ///< column of words beside the points of a scatter
  std::string x_label = {}, y_label = {};   ///< empty: from the help and unit of the column
  bool log_x = false, log_y = false;
  bool stacked = false;                                   ///< bars on top of each other
  bool pareto = false;                                    ///< scatter: a line through the points that none beats in both
  bool share_y = true;                                    ///< panels have one y axis for all
  int bins = 30;                                          ///< of a histogram
  std::vector<std::pair<std::string, Cell>> where = {};   ///< only rows with these cells
  std::vector<std::pair<std::string, double>> levels =
      {};   ///< horizontal lines with their names: a tolerance, a paper's number
};

enum class Verdict : std::uint8_t {
  holds,
  fails,         ///< does not hold, and no paper said so
  contradicts,   ///< a paper says so, and the data says otherwise
  open           ///< the data of this size cannot tell
};
std::string_view verdict_text(Verdict);   ///< "holds", "does not hold", "contradicts the paper", "cannot be told here"

struct Finding {
  Verdict verdict = Verdict::open;
  std::string evidence;   ///< the numbers, in a sentence
};

/// A sentence that can be false, and its check over the data.
struct Claim {
  std::string name;       ///< unique in the study: words joined by '-'
  std::string sentence;   ///< "Gauss–Seidel rolls back less often than Jacobi."
  std::string paper;      ///< what the paper says about it, with its numbers and place; empty: nothing
  std::function<Finding(const Data&)> check;
};
/// holds; else contradicts where the claim is one of a paper (`Claim::paper`), fails where not: the runner tells them apart.
Finding judged(bool holds, std::string evidence);

/// All that a study does in a setting.
struct Plan {
  std::vector<Table> tables;   ///< empty ones
  std::vector<Case> cases;
  std::vector<Figure> figures;
  std::vector<Claim> claims;
  /// After all cases: fills tables that are made from others (or whose rows need all cases). May be empty.
  std::function<void(Data&)> summarise = {};
  /// After that: paragraphs of plain text for the top of the report, such as a recommendation. May be empty.
  std::function<std::vector<std::string>(const Data&)> conclusion = {};
};

struct Study {
  std::string name;                           ///< on the command line: words joined by '-'
  std::string title;                          ///< for people
  std::string paper;                          ///< work and section, as the bibliography names it: "prox §5"; empty: none
  std::string about;                          ///< what is done and why, a paragraph or more (separated by empty lines)
  std::vector<std::string> paper_says = {};   ///< the paper's results with their numbers, one sentence each
  std::function<Plan(const Setting&)> plan;
};

/// The studies by name, in the order of the table (src/study/studies.cpp).
const std::vector<Study>& studies();
/// @throws Error with a suggestion
const Study& study_named(std::string_view name);

}   // namespace stickslip::study
