#include "record/glb.h"

#include <bit>
#include <limits>

namespace stickslip::glb {

static_assert(std::endian::native == std::endian::little, "glTF is little-endian");

std::size_t Binary::add(std::string_view bytes, Json accessor) {
  if (next_view_) {
    view_start_ = size_;
    next_view_->update({{"buffer", 0}, {"byteOffset", size_}});
    views_.push_back(*std::exchange(next_view_, std::nullopt));
  }
  accessor["bufferView"] = views_.size() - 1;
  accessor["byteOffset"] = size_ - view_start_;
  accessors_.push_back(std::move(accessor));
  append(bytes);
  views_.back()["byteLength"] = size_ - view_start_;
  return accessors_.size() - 1;
}

void Binary::append(std::string_view bytes) {
  pieces_.push_back(bytes);
  size_ += bytes.size();
}

std::size_t Binary::add_bytes(std::string_view bytes) {
  views_.push_back({{"buffer", 0}, {"byteOffset", size_}, {"byteLength", bytes.size()}});
  append(bytes);
  append(std::string_view("\0\0\0", 3).substr(0, (4 - bytes.size() % 4) % 4));   // numbers behind it stay aligned
  return views_.size() - 1;
}

Error too_large() {
  return Error("The animation is larger than the 4 GB that a .glb file can hold. Record fewer frames per second.");
}

void write(OutputFile& file, Json document, const Binary& binary) {
  const bool has_numbers = binary.size_ > 0;
  if (has_numbers) {
    document["bufferViews"] = binary.views_;
    document["accessors"] = binary.accessors_;
    document["buffers"] = Json::array({{{"byteLength", binary.size_}}});
  }
  std::string text = document.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.resize((text.size() + 3) / 4 * 4, ' ');
  const std::uint64_t total = 12 + 8 + text.size() + (has_numbers ? 8 + binary.size_ : 0);
  if (total > std::numeric_limits<std::uint32_t>::max()) throw too_large();

  const auto write_words = [&](std::initializer_list<std::uint64_t> words) {
    for (const std::uint64_t word : words) {
      const auto narrow = static_cast<std::uint32_t>(word);
      file.write(std::span<const std::uint32_t>(&narrow, 1));
    }
  };
  write_words({0x46546c67, 2, total});      // "glTF", version
  write_words({text.size(), 0x4e4f534a});   // "JSON"
  file.write(text);
  if (!has_numbers) return;
  write_words({binary.size_, 0x004e4942});   // "BIN"
  for (const std::string_view piece : binary.pieces_) file.write(piece);
}

}   // namespace stickslip::glb
