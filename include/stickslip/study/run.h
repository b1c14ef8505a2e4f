// Runs a study into a folder.
//
//   manifest.json         what was run, by what, on what machine; `run_again` takes it
//   report.html           everything for people; opens offline
//   data/<table>.csv      the tables, but for timings; data.h5 holds the same
//   times/<table>.csv     the timings of the same rows
//   figures/<name>.svg    and .png; figures/figures.json is what draw.py drew them from
//   cases/<case>.json     what every finished case gave; an interrupted run goes on from them
#pragma once

#include <filesystem>
#include <map>

#include "stickslip/study/study.h"

namespace stickslip::study {

struct Progress {
  std::size_t finished = 0, cases = 0;
  double done = 0;           ///< part of the work, from 0 to 1, by the costs of cases
  double seconds_left = 0;   ///< NaN: not known yet [s]
  std::string name = {};     ///< of the case that finished last
};

struct RunOptions {
  std::filesystem::path folder;
  int jobs = 1;          ///< cases at a time
  bool fresh = false;    ///< run finished cases again, and replace another study in the folder
  bool replot = false;   ///< run nothing: figures and report again from what is there
  bool figures = true;   ///< draw
  std::string command;   ///< that the report says it was made by
  std::string version;   ///< of the program
  std::string python = "/usr/bin/python3";
  const std::atomic<bool>* cancel = nullptr;            ///< stop soon after it becomes true
  std::function<void(const Progress&)> progress = {};   ///< called by the calling thread
};

struct JudgedClaim {
  Claim claim;
  Finding finding;
};

struct RunResult {
  std::size_t cases = 0, reused = 0;   ///< reused: found finished in the folder
  bool interrupted = false;            ///< not all cases have run; nothing but cases was written
  bool other_build = false;            ///< cases of another build of the program were there and were run again
  std::vector<JudgedClaim> claims;
  std::vector<std::string> conclusion;
  std::string no_figures;                         ///< why there are none, and the remedy; empty: there are
  std::map<std::string, std::string> checksums;   ///< of the files in data/, by name
  double seconds = 0;                             ///< wall time
};

/// @throws Error if the folder cannot be written or holds another study, or a case fails: then the cases that have finished
/// are kept.
RunResult run_study(const Study&, const Setting&, const RunOptions&);

/// A page with the verdicts of several studies and links to their reports, which stand in folders of their names beside it.
void write_index(const std::filesystem::path& page, const std::vector<std::pair<const Study*, RunResult>>&);

/// What a manifest says was run.
struct Manifest {
  std::string study;
  Setting setting;
  std::map<std::string, std::string> checksums;   ///< of the data; empty if the run was not finished
  std::string build;                              ///< of the program
};
/// @throws Error
Manifest read_manifest(const std::filesystem::path&);
bool is_manifest(const std::filesystem::path&);

}   // namespace stickslip::study
