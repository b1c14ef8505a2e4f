// The container of a binary glTF file [glTF 2.0 §4.4]: a JSON document that describes the numbers behind it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "record/output_file.h"
#include "stickslip/math/error.h"

namespace stickslip::glb {

/// Numbers are written as floats: the shortest text that reads back to the float of the binary part.
using Json = nlohmann::basic_json<std::map, std::vector, std::string, bool, std::int64_t, std::uint64_t, float>;

constexpr std::uint64_t kMostBytes = 4'000'000'000;   ///< of poses: lengths in the file are 32-bit numbers

enum ComponentType { unsigned_int = 5125, single_float = 5126 };      ///< numbers of glTF 2.0 §5.1.3
enum Target { array_buffer = 34962, element_array_buffer = 34963 };   ///< numbers of glTF 2.0 §5.11.5

/// The binary part with its views and accessors. Refers to what is added: that must stay until it is written.
class Binary {
 public:
  /// What is added from now on lies in a new view. Nothing added, no view.
  void begin_view(Json properties) { next_view_ = std::move(properties); }

  /// @param type "SCALAR", "VEC2", "VEC3", "VEC4" @return index of the accessor
  template <class Number>
  std::size_t add(std::span<const Number> numbers, const char* type, std::size_t numbers_per_element,
                  Json extra = Json::object()) {
    static_assert(std::is_same_v<Number, float> || std::is_same_v<Number, std::uint32_t>, "four bytes keep all aligned");
    extra["componentType"] = std::is_same_v<Number, float> ? single_float : unsigned_int;
    extra["count"] = numbers.size() / numbers_per_element;
    extra["type"] = type;
    return add({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()}, std::move(extra));
  }

  /// A file within the file, in a view of its own. @return index of the view
  std::size_t add_bytes(std::string_view bytes);

 private:
  friend void write(OutputFile&, Json, const Binary&);
  std::size_t add(std::string_view bytes, Json accessor);
  void append(std::string_view bytes);

  Json views_ = Json::array(), accessors_ = Json::array();
  std::optional<Json> next_view_;
  std::vector<std::string_view> pieces_;
  std::uint64_t size_ = 0;         ///< [bytes]
  std::uint64_t view_start_ = 0;   ///< of the last view [bytes]
};

Error too_large();

/// Completes the document with buffer, views and accessors and writes the file. @throws Error
void write(OutputFile&, Json document, const Binary&);

}   // namespace stickslip::glb
