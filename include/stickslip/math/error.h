// The one exception for bad user input.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace stickslip {

/// Bad input, with the place where it stands. The message names the value and what would be valid; code that knows more
/// of the place adds it on the way up:
///
///     throw Error("-0.5 is not a length. A sphere radius must be finite and greater than 0.").at("radius");
///     catch (Error& e) { throw e.at("shape").at("3").at("bodies").in("wall.json"); }
///
/// prints `wall.json: /bodies/3/shape/radius: -0.5 is not a length. …`
class Error : public std::exception {
 public:
  explicit Error(std::string message);

  /// Prepends one key or index to the JSON pointer of the place. Escapes `~` and `/` as RFC 6901 asks.
  Error& at(std::string_view key) &;
  Error&& at(std::string_view key) &&;

  /// Names the file; the first name given stays.
  Error& in(std::string_view file) &;
  Error&& in(std::string_view file) &&;

  const char* what() const noexcept override { return text_.c_str(); }
  const std::string& file() const { return file_; }
  const std::string& pointer() const { return pointer_; }   ///< JSON pointer, empty for the document itself
  const std::string& message() const { return message_; }   ///< value and remedy, without the place

 private:
  void compose();

  std::string file_, pointer_, message_, text_;
};

/// "… Did you mean 'restitution'?" for the candidate nearest to `given`, or a list of all candidates if none is near.
std::string suggest(std::string_view given, const std::string* candidates, std::size_t count);

template <class Strings>
std::string suggest(std::string_view given, const Strings& candidates) {
  return suggest(given, candidates.data(), candidates.size());
}

}   // namespace stickslip
