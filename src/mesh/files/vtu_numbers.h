// The arrays of XML files of VTK: as text, or as bytes within the element or behind all of them, in base64 or raw, compressed
// or not.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <tinyxml2.h>

namespace stickslip::mesh_file {

class VtuNumbers {
 public:
  /// @param root <VTKFile> @param appended the bytes behind the underscore of <AppendedData> @param appended_raw they are not
  /// base64. @throws Error for bytes or compression that cannot be read
  VtuNumbers(const tinyxml2::XMLElement& root, std::string_view appended, bool appended_raw);

  /// @throws Error with the line of the array
  std::vector<double> reals(const tinyxml2::XMLElement& array) const;
  std::vector<std::int64_t> integers(const tinyxml2::XMLElement& array) const;

 private:
  template <class Number>
  std::vector<Number> numbers(const tinyxml2::XMLElement& array) const;
  /// What an array holds, once it is neither base64 nor compressed.
  std::vector<char> bytes_of(const tinyxml2::XMLElement& array) const;

  std::string_view appended_;
  bool appended_raw_, is_compressed_ = false;
  std::size_t header_bytes_ = 4;   ///< of a number that says how many bytes follow
};

}   // namespace stickslip::mesh_file
