#include "scene/reader.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::document {

Error Place::located(Error e) const {
  for (const Place* p = this; p->parent_; p = p->parent_) e.at(p->key_);
  return e;
}

std::string Place::pointer() const { return located(Error("")).pointer(); }

void Place::fail(std::string message) const { throw located(Error(std::move(message))); }

void Place::wrong_type(std::string_view expected) const {
  if (value().is_null()) fail(fmt::format("null is no value here. {}", expected));
  if (value().is_boolean()) fail(fmt::format("{} is not valid here. {}", shown(value()), expected));
  fail(fmt::format("{} is {}. {}", shown(value()), kind_of(value()), expected));
}

void read(const Place& place, double& into) {
  if (!place.value().is_number()) place.wrong_type("Give a number.");
  into = place.value().get<double>();
}

void read(const Place& place, int& into) {
  double number;
  read(place, number);
  if (number != std::floor(number)) place.fail(fmt::format("{} is not a whole number.", shown(place.value())));
  constexpr double most = std::numeric_limits<int>::max();
  if (std::abs(number) > most)
    place.fail(fmt::format("{} is too large: at most {:.0f} is possible.", shown(place.value()), most));
  into = static_cast<int>(number);
}

void read(const Place& place, bool& into) {
  if (!place.value().is_boolean()) place.wrong_type("Give true or false.");
  into = place.value().get<bool>();
}

void read(const Place& place, std::string& into) {
  if (!place.value().is_string()) place.wrong_type("Give a string.");
  into = place.value().get<std::string>();
  // Names are shown on terminals, which would obey them.
  const auto is_control = [](unsigned char c) { return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f; };
  if (std::ranges::any_of(into, is_control))
    place.fail("A text cannot hold control characters, such as those that colour terminals.");
}

namespace {

template <class Vector>
void read_numbers(const Place& place, Vector& into, std::string_view expected) {
  const Json& v = place.value();
  if (!v.is_array()) place.wrong_type(expected);
  if (v.size() != static_cast<std::size_t>(into.size()))
    place.fail(fmt::format("{} has {} entries. {}", shown(v), v.size(), expected));
  for (int i = 0; i < into.size(); ++i) read(Place(v[static_cast<std::size_t>(i)], place, std::to_string(i)), into[i]);
}

}   // namespace

void read(const Place& place, Vec2& into) { read_numbers(place, into, "Give two numbers."); }

void read(const Place& place, Vec3& into) { read_numbers(place, into, "Give three numbers: [x, y, z]."); }

std::size_t read_choice(const Place& place, const std::vector<std::string>& words) {
  std::string word;
  read(place, word);
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) place.fail(fmt::format("There is no '{}' here. {}", word, suggest(word, words)));
  return static_cast<std::size_t>(found - words.begin());
}

Fields::Fields(const Place& place, std::string what) : place_(place), what_(std::move(what)) {
  if (!place.value().is_object()) place.wrong_type(fmt::format("Give an object for {}.", what_));
}

bool Fields::was_asked(std::string_view key) const { return std::find(asked_.begin(), asked_.end(), key) != asked_.end(); }

std::optional<Place> Fields::find(std::string_view key) {
  if (!was_asked(key)) asked_.emplace_back(key);
  const auto found = place_.value().find(std::string(key));
  if (found == place_.value().end()) return std::nullopt;
  return Place(*found, place_, std::string(key));
}

Place Fields::get(std::string_view key) {
  if (auto found = find(key)) return *std::move(found);
  // A key that nobody asked for and that resembles the missing one is the likelier mistake.
  const std::string wanted(key);
  for (const auto& [given, value] : place_.value().items()) {
    const std::string hint = was_asked(given) ? "" : suggest(given, &wanted, 1);
    if (hint.starts_with("Did you mean")) {
      Place(value, place_, given).fail(fmt::format("Unknown key '{}' for {}. {}", given, what_, hint));
    }
  }
  place_.fail(fmt::format("'{}' is missing: {} needs it.", key, what_));
}

void Fields::not_both(std::string_view a, std::string_view b) {
  if (find(a) && find(b)) place_.fail(fmt::format("'{}' and '{}' are both given. Keep one of them.", a, b));
}

void Fields::finish() const {
  for (const auto& [key, value] : place_.value().items()) {
    if (was_asked(key)) continue;
    Place(value, place_, key).fail(fmt::format("Unknown key '{}' for {}. {}", key, what_, suggest(key, asked_)));
  }
}

}   // namespace stickslip::document
