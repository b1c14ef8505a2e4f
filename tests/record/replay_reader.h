// Takes the data of a replay out of its page.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>

#include "record_scenes.h"

namespace stickslip::test {

inline std::string base64_decoded(std::string_view text) {
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::size_t value = digits.find(c);
    if (value == digits.npos) break;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    count += 6;
    if (count >= 8) out.push_back(static_cast<char>(bits >> (count -= 8) & 0xff));
  }
  return out;
}

inline std::string inflated(const std::string& data) {
  for (std::size_t size = 1 << 20;; size *= 4) {
    std::string out(size, '\0');
    uLongf length = static_cast<uLongf>(size);
    const int status = uncompress(reinterpret_cast<Bytef*>(out.data()), &length, reinterpret_cast<const Bytef*>(data.data()),
                                  static_cast<uLong>(data.size()));
    if (status == Z_BUF_ERROR) continue;
    EXPECT_EQ(status, Z_OK);
    out.resize(length);
    return out;
  }
}

/// Reads the payload from front to back.
struct ReplayReader {
  std::string data;
  std::size_t at = 0;

  template <class T>
  T number() {
    T value;
    std::memcpy(&value, data.data() + at, sizeof value);
    at += sizeof value;
    return value;
  }
  std::int64_t varint() {
    std::uint64_t bits = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(data.at(at++));
      bits |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) break;
    }
    return static_cast<std::int64_t>(bits >> 1) ^ -static_cast<std::int64_t>(bits & 1);
  }
};

inline std::string replay_in(const std::string& page) {
  const std::string mark = "<script id=\"replay\" type=\"text/plain\">";
  const std::size_t begin = page.find(mark) + mark.size();
  return page.substr(begin, page.find("</script>", begin) - begin);
}

inline ReplayReader replay_of(const std::filesystem::path& page) {
  return {inflated(base64_decoded(replay_in(content_of(page))))};
}

}   // namespace stickslip::test
