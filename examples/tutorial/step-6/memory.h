// What contacts remember from one step to the next.
#pragma once

#include <map>
#include <tuple>

#include "step-5/cone.h"

namespace tutorial {

class Memory {
 public:
  /// Gives the contacts the impulses that they had in the last step, and the velocities what those impulses do.
  void recall(const std::vector<Contact>& contacts, std::vector<Rows>& problem, Velocities& u) const {
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      const auto found = impulses_.find(name_of(contacts[i]));
      if (found == impulses_.end()) continue;
      Rows& c = problem[i];
      c.lambda = found->second;
      apply(c, c.lambda, u[static_cast<std::size_t>(c.a)], u[static_cast<std::size_t>(c.b)]);
    }
  }
  void remember(const std::vector<Contact>& contacts, const std::vector<Rows>& problem) {
    impulses_.clear();
    for (std::size_t i = 0; i < contacts.size(); ++i) impulses_[name_of(contacts[i])] = problem[i].lambda;
  }

 private:
  using Name = std::tuple<int, int, int>;   // two bodies, and which corner
  static Name name_of(const Contact& c) { return {c.a, c.b, c.feature}; }
  std::map<Name, Vec3> impulses_;
};

}   // namespace tutorial
