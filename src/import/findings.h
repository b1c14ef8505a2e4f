// What an import could not take over as it stands.
#pragma once

#include <set>

#include "stickslip/import/import.h"

namespace stickslip::robot {

using Kind = ImportFinding::Kind;

class Findings {
 public:
  void add(Kind, int line, std::string place, std::string what);

  /// Sorted by kind and line. @throws Error if `strict` and there is one that changes the motion
  std::vector<ImportFinding> finish(bool strict, const std::filesystem::path& file) const;

 private:
  std::vector<ImportFinding> list_;
  std::set<std::pair<std::string, std::string>> seen_;   ///< place and text: each is said once
};

}   // namespace stickslip::robot
