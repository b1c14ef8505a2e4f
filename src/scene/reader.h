// Reading a document: every field in one line, every mistake with its place.
//
//     read_object(place, "a material", [&](Fields& fields) {
//       material.name = fields.required<std::string>("name");
//       fields.optional("density", material.density);
//     });
//
// Keys that were not asked for are errors with a suggestion from those that were; a value of the wrong type says what it
// is and what is expected. `optional` and `required` call `read(place, value)`, overloaded for what a document can hold.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scene/json.h"
#include "stickslip/math/error.h"
#include "stickslip/math/types.h"

namespace stickslip::document {

/// A value in the document and where it stands. A place holds on to the place it is in, which must outlive it.
class Place {
 public:
  explicit Place(const Json& root) : value_(&root) {}
  Place(const Json& value, const Place& parent, std::string key) : value_(&value), parent_(&parent), key_(std::move(key)) {}

  const Json& value() const { return *value_; }
  std::string pointer() const;   ///< RFC 6901

  /// @throws Error with this place
  [[noreturn]] void fail(std::string message) const;
  /// @throws Error: the value is of the wrong type.
  /// @param expected what is right, as a sentence such as "Give a number."
  [[noreturn]] void wrong_type(std::string_view expected) const;

  /// Runs `f`; an Error that it throws gets this place in front of its own.
  template <class F>
  decltype(auto) within(F&& f) const {
    try {
      return f();
    } catch (Error& e) {
      throw located(e);
    }
  }

 private:
  Error located(Error) const;

  const Json* value_;
  const Place* parent_ = nullptr;
  std::string key_;
};

void read(const Place&, double&);
void read(const Place&, int&);
void read(const Place&, bool&);
void read(const Place&, std::string&);
void read(const Place&, Vec2&);
void read(const Place&, Vec3&);

template <class T>
void read(const Place& place, std::vector<T>& values) {
  if (!place.value().is_array()) place.wrong_type("Give an array.");
  std::size_t index = 0;
  for (const Json& value : place.value()) {
    values.emplace_back();
    read(Place(value, place, std::to_string(index++)), values.back());
  }
}

/// Reads a word that must be one of `words`; gives its index.
std::size_t read_choice(const Place&, const std::vector<std::string>& words);

/// The fields of one object, read one after the other.
class Fields {
 public:
  /// @param what the object is, as in "a body": for messages.
  Fields(const Place&, std::string what);

  const Place& place() const { return place_; }
  const std::string& what() const { return what_; }

  /// The field, if it is there.
  std::optional<Place> find(std::string_view key);
  /// @throws Error if it is not there.
  Place get(std::string_view key);

  /// Reads the field if it is there and leaves `into` as it is if not. @return whether it was there
  template <class T>
  bool optional(std::string_view key, T& into) {
    const std::optional<Place> found = find(key);
    if (found) read(*found, into);
    return found.has_value();
  }

  template <class T>
  T required(std::string_view key) {
    T result{};
    read(get(key), result);
    return result;
  }

  /// @throws Error if both are given.
  void not_both(std::string_view a, std::string_view b);

  /// @throws Error for a key that nobody asked for.
  void finish() const;

 private:
  bool was_asked(std::string_view key) const;

  const Place& place_;
  std::string what_;
  std::vector<std::string> asked_;
};

template <class F>
void read_object(const Place& place, std::string what, F&& f) {
  Fields fields(place, std::move(what));
  f(fields);
  fields.finish();
}

}   // namespace stickslip::document
