// Built-in scenes. Each is a function from parameters to a scene document, which goes the way of a user's file.
// To add one, write its function in the file of its family and name it in the table (table.cpp).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scene/json.h"

namespace stickslip::document {

class Parameters;

struct BuiltIn {
  struct Parameter {
    std::string name;
    double default_value, least, most;
    bool whole;         ///< a count
    std::string help;   ///< unit and meaning
  };
  std::string name;
  std::string look_for;   ///< one sentence
  std::vector<Parameter> parameters;
  Json (*document)(const Parameters&);   ///< all but name and description
};

/// The table: all of them, in the order in which they are listed.
const std::vector<BuiltIn>& built_ins();

/// The values of a scene's parameters: its defaults, until set.
class Parameters {
 public:
  explicit Parameters(const BuiltIn&);

  /// @throws Error for an unknown name, and for a value of the wrong type or out of range.
  void set(const std::string& name, const Json& value);

  double operator[](std::string_view name) const;   ///< @pre a parameter of this scene
  int count(std::string_view name) const { return static_cast<int>((*this)[name]); }
  Json as_json() const;

 private:
  const BuiltIn& built_in_;
  std::vector<double> values_;
};

/// The complete document.
Json generate(const BuiltIn&, const Parameters&);

}   // namespace stickslip::document
