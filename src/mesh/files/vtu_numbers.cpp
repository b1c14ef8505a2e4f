#include "mesh/files/vtu_numbers.h"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <cstring>

#include "mesh/files/text.h"
#include "stickslip/math/error.h"

namespace stickslip::mesh_file {

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 32;   // of one array: 50 million tetrahedra have 1.6e9
constexpr std::size_t kMostShrink = 1032;                  // zlib cannot do better: blocks that claim more are damaged

std::string_view word_of(const tinyxml2::XMLElement& element, const char* name) {
  const char* value = element.Attribute(name);
  return value ? value : "";
}

/// Lines are counted from the start of an element: only the line of the element itself is told.
template <class F>
auto at_line_of(const tinyxml2::XMLElement& of, F f) {
  try {
    return f();
  } catch (const Error& e) {
    throw Error(fmt::format("in the <{}> at line {}: {}", of.Name(), of.GetLineNum(), e.message()));
  }
}

/// Bytes one after the other. Base64 may end within the text and begin anew, as that of a header does.
class VtuBytes {
 public:
  VtuBytes(std::string_view text, bool is_raw) : text_(text), is_raw_(is_raw) {}

  /// @throws Error if there are not so many
  void take(std::size_t count, std::vector<char>& out) {
    if (count > (is_raw_ ? text_.size() : waiting_ + text_.size() / 4 * 3))
      throw Error(
          fmt::format("{} bytes are expected, but the file ends before. It is cut off or damaged: get it again.", count));
    if (is_raw_) {
      out.insert(out.end(), text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(count));
      return text_.remove_prefix(count);
    }
    for (; count > 0; --count) {
      while (waiting_ == 0) next_four();
      out.push_back(decoded_[of_four_ - waiting_--]);
    }
  }

 private:
  static int digit(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
  }
  void next_four() {
    std::uint32_t bits = 0;
    std::size_t digits = 0;
    const bool enough = text_.size() >= 4;
    for (int k = 0; k < 4; ++k) {
      const int value = enough ? digit(text_[static_cast<std::size_t>(k)]) : -1;
      if (value >= 0 && digits == static_cast<std::size_t>(k)) ++digits;
      else if (!enough || text_[static_cast<std::size_t>(k)] != '=' || k < 2)
        throw Error("The numbers are no base64. The file is cut off or damaged: get it again.");
      bits = bits << 6 | static_cast<std::uint32_t>(std::max(value, 0));
    }
    for (std::size_t k = 0; k < 3; ++k) decoded_[k] = static_cast<char>(bits >> (16 - 8 * k) & 0xff);
    waiting_ = of_four_ = digits - 1;
    text_.remove_prefix(4);
  }

  std::string_view text_;
  bool is_raw_;
  std::array<char, 3> decoded_{};
  std::size_t waiting_ = 0, of_four_ = 0;
};

std::uint64_t header_number(VtuBytes& source, std::size_t bytes) {
  std::vector<char> raw;
  source.take(bytes, raw);
  raw.resize(8);
  std::uint64_t number;
  std::memcpy(&number, raw.data(), sizeof number);
  return number;
}

void check_size(std::uint64_t bytes) {
  if (bytes > kMostBytes)
    throw Error(fmt::format("An array of {} bytes is more than is read ({}). The file is damaged, or the mesh too fine.", bytes,
                            kMostBytes));
}

/// Number of blocks, bytes of each, bytes of the last one if it is not full, bytes of each once compressed; then the blocks.
std::vector<char> decompressed(VtuBytes& source, std::size_t header_bytes) {
  const std::uint64_t blocks = header_number(source, header_bytes), each = header_number(source, header_bytes),
                      last = header_number(source, header_bytes);
  check_size(each), check_size(last), check_size(blocks);
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t b = 0; b < blocks; ++b) sizes.push_back(header_number(source, header_bytes));
  std::vector<char> all, packed;
  for (std::uint64_t b = 0; b < blocks; ++b) {
    packed.clear();
    source.take(sizes[b], packed);
    uLongf size = b + 1 == blocks && last != 0 ? last : each;
    if (size > kMostShrink * packed.size()) throw Error("A compressed block is damaged. Get the file again.");
    check_size(all.size() + size);
    const std::size_t before = all.size(), expected = size;
    all.resize(before + size);
    if (uncompress(reinterpret_cast<Bytef*>(all.data() + before), &size, reinterpret_cast<const Bytef*>(packed.data()),
                   packed.size()) != Z_OK ||
        size != expected)
      throw Error("A compressed block is damaged. Get the file again.");
  }
  return all;
}

template <class Stored, class Number>
std::vector<Number> converted(const std::vector<char>& bytes) {
  std::vector<Number> all(bytes.size() / sizeof(Stored));
  for (std::size_t i = 0; i < all.size(); ++i) {
    Stored value;
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    all[i] = static_cast<Number>(value);
  }
  return all;
}

/// @throws Error for a type that is not one of numbers, or not of whole ones where those are expected
template <class Number>
std::vector<Number> converted(std::string_view type, const std::vector<char>& bytes) {
  if (type == "Int8") return converted<std::int8_t, Number>(bytes);
  if (type == "UInt8") return converted<std::uint8_t, Number>(bytes);
  if (type == "Int16") return converted<std::int16_t, Number>(bytes);
  if (type == "UInt16") return converted<std::uint16_t, Number>(bytes);
  if (type == "Int32") return converted<std::int32_t, Number>(bytes);
  if (type == "UInt32") return converted<std::uint32_t, Number>(bytes);
  if (type == "Int64") return converted<std::int64_t, Number>(bytes);
  if (type == "UInt64") return converted<std::uint64_t, Number>(bytes);
  if constexpr (std::is_floating_point_v<Number>) {
    if (type == "Float32") return converted<float, Number>(bytes);
    if (type == "Float64") return converted<double, Number>(bytes);
  }
  throw Error(fmt::format("Numbers of the type '{}' cannot stand here. The file is damaged: get it again.", type));
}

}   // namespace

VtuNumbers::VtuNumbers(const tinyxml2::XMLElement& root, std::string_view appended, bool appended_raw)
    : appended_(appended), appended_raw_(appended_raw) {
  const std::string_view order = word_of(root, "byte_order"), header = word_of(root, "header_type"),
                         compressor = word_of(root, "compressor");
  if (order == "BigEndian") throw Error("Numbers with the largest byte first are not read. Write the file as LittleEndian.");
  header_bytes_ = header == "UInt64" ? 8 : 4;
  is_compressed_ = !compressor.empty();
  if (is_compressed_ && compressor != "vtkZLibDataCompressor")
    throw Error(
        fmt::format("The file is compressed by {}. Read is what zlib compressed, and what is not compressed.", compressor));
}

std::vector<char> VtuNumbers::bytes_of(const tinyxml2::XMLElement& array) const {
  const std::string_view format = word_of(array, "format");
  std::string_view text;
  if (format == "appended") {
    const std::int64_t offset = array.Int64Attribute("offset", -1);
    if (offset < 0 || static_cast<std::uint64_t>(offset) > appended_.size())
      throw Error(fmt::format("There are no numbers at {} of the {} bytes appended. The file is cut off: get it again.", offset,
                              appended_.size()));
    text = appended_.substr(static_cast<std::size_t>(offset));
  } else if (format == "binary") {
    text = Text(array.GetText() ? array.GetText() : "").word();
  } else {
    throw Error(fmt::format("The numbers are stored as '{}'. Write the file as ascii, binary or appended.", format));
  }
  VtuBytes source(text, format == "appended" && appended_raw_);
  if (is_compressed_) return decompressed(source, header_bytes_);
  std::vector<char> bytes;
  source.take(header_number(source, header_bytes_), bytes);
  return bytes;
}

template <class Number>
std::vector<Number> VtuNumbers::numbers(const tinyxml2::XMLElement& array) const {
  return at_line_of(array, [&] {
    const std::string_view format = word_of(array, "format");
    if (!format.empty() && format != "ascii") return converted<Number>(word_of(array, "type"), bytes_of(array));
    std::vector<Number> all;
    Text text(array.GetText() ? array.GetText() : "");
    for (std::string_view word = text.word(); !word.empty(); word = text.word()) {
      if constexpr (std::is_floating_point_v<Number>) all.push_back(text.to_number(word, "a number"));
      else all.push_back(text.to_integer(word, "a whole number"));
    }
    return all;
  });
}

std::vector<double> VtuNumbers::reals(const tinyxml2::XMLElement& array) const { return numbers<double>(array); }
std::vector<std::int64_t> VtuNumbers::integers(const tinyxml2::XMLElement& array) const { return numbers<std::int64_t>(array); }

}   // namespace stickslip::mesh_file
