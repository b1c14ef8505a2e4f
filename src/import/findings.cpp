#include "import/findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "stickslip/math/error.h"

namespace stickslip {

std::string_view import_kind_name(ImportFinding::Kind kind) {
  switch (kind) {
    case ImportFinding::Kind::not_supported:
      return "not supported";
    case ImportFinding::Kind::approximated:
      return "approximated";
    case ImportFinding::Kind::ignored:
      return "ignored";
  }
  return "";
}

namespace {

/// "<geom solref>: contacts are rigid here (approximated)"
std::string said(const ImportFinding& finding) {
  const std::string_view what = finding.what;
  return fmt::format("{} ({})", what.substr(0, what.size() - what.ends_with('.')), import_kind_name(finding.kind));
}

}   // namespace

std::vector<std::string> import_warnings(const std::vector<ImportFinding>& findings) {
  constexpr std::size_t kPlaces = 3;
  std::vector<std::string> warnings;
  std::size_t ignored = 0;
  std::map<std::string, std::size_t> index_of;
  std::vector<std::pair<const ImportFinding*, std::vector<std::string>>> groups;
  for (const ImportFinding& finding : findings) {
    if (finding.kind == ImportFinding::Kind::ignored) {
      ++ignored;
      continue;
    }
    const auto [entry, added] = index_of.emplace(finding.what, groups.size());
    if (added) groups.push_back({&finding, {}});
    groups[entry->second].second.push_back(finding.place);
  }
  for (auto& [finding, places] : groups) {
    const std::size_t count = places.size();
    if (count > kPlaces) places.resize(kPlaces);
    std::erase(places, std::string());
    warnings.push_back(fmt::format("{}{}{}{}.", fmt::join(places, "; "),
                                   count > kPlaces ? fmt::format("; and {} more", count - kPlaces) : "",
                                   places.empty() ? "" : ": ", said(*finding)));
  }
  if (ignored > 0)
    warnings.push_back(fmt::format("{} thing{} without influence on the motion left out; stickslip import lists them.", ignored,
                                   ignored == 1 ? "" : "s"));
  return warnings;
}

namespace robot {

void Findings::add(Kind kind, int line, std::string place, std::string what) {
  if (seen_.emplace(place, what).second) list_.push_back({kind, line, std::move(place), std::move(what)});
}

std::vector<ImportFinding> Findings::finish(bool strict, const std::filesystem::path& file) const {
  std::vector<ImportFinding> sorted = list_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const ImportFinding& a, const ImportFinding& b) {
    return std::pair(a.kind, a.line) < std::pair(b.kind, b.line);
  });
  const auto counts = [](const ImportFinding& f) { return f.kind != Kind::ignored; };
  const auto first = std::find_if(sorted.begin(), sorted.end(), counts);
  if (strict && first != sorted.end()) {
    const auto rest = std::count_if(sorted.begin(), sorted.end(), counts) - 1;
    throw Error(fmt::format("{}{}{}{} Import without strict to go on without it.", first->place,
                            first->place.empty() ? "" : ": ", said(*first),
                            rest == 0 ? "." : fmt::format(", and {} more.", rest)))
        .in(file.string());
  }
  return sorted;
}

}   // namespace robot

}   // namespace stickslip
