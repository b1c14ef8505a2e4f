// A file as text: words and numbers one after the other, and errors that name the line.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "stickslip/math/error.h"

namespace stickslip::mesh_file {

/// The bytes of a file. @throws Error if there is no such file, it is empty, or it cannot be read
std::string content(const std::filesystem::path&);

/// Without the mark that some programs put before UTF-8. @throws Error for UTF-16
std::string_view plain_text(std::string_view bytes);

/// The ending in small letters, with its dot.
std::string ending(const std::filesystem::path&);

class Text {
 public:
  explicit Text(std::string_view text, std::size_t at = 0) : text_(text), at_(at) {}

  std::string_view word();           ///< the next word, across lines; empty at the end
  std::string_view word_in_line();   ///< the next word of this line; empty at its end or at a '#'
  std::string_view rest_of_line();   ///< without the spaces around it
  bool next_line();                  ///< to the start of the next line; false at the end
  bool at_end() const { return at_ >= text_.size(); }

  /// The next word as a number. @param what names it: "the x of a vertex". @throws Error with line and word
  double number(std::string_view what);
  double number_in_line(std::string_view what);
  std::int64_t integer(std::string_view what);
  std::uint64_t count(std::string_view what);   ///< not negative, and no more than the file has bytes left
  std::uint64_t checked_count(std::int64_t value, std::string_view what) const;

  /// The bytes of a number, where a file has some between its words. @throws Error at the end of the file
  template <class T>
  T raw() {
    T value;
    if (text_.size() - at_ < sizeof value) throw Error("The file ends within its numbers. It is cut off: get it again.");
    std::memcpy(&value, text_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }

  double to_number(std::string_view word, std::string_view what) const;
  std::int64_t to_integer(std::string_view word, std::string_view what) const;

  std::size_t position() const { return at_; }
  void move_to(std::size_t at) { at_ = at; }
  std::string_view all() const { return text_; }
  std::size_t line() const;   ///< counted from 1, of the last word
  [[noreturn]] void fail(const std::string& message) const;

 private:
  std::string_view text_;
  std::size_t at_, word_at_ = 0;
};

}   // namespace stickslip::mesh_file
