#include "record/output_file.h"

#include <fmt/format.h>
#include <utility>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "stickslip/math/error.h"

namespace stickslip {

OutputFile::OutputFile(const std::filesystem::path& wanted) : wanted_(wanted), staged_(wanted) {
  file_ = std::fopen(staged_.path().c_str(), "wb");
  if (!file_) fail();
}

OutputFile::~OutputFile() {
  if (file_) std::fclose(file_);
}

void OutputFile::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail();
}

void OutputFile::commit(DiskWait wait) {
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail();
  staged_.commit(wait);
}

void OutputFile::fail() const {
  throw Error(fmt::format("Cannot write the file: {}. Check the space and the rights there.", std::strerror(errno)))
      .in(wanted_.string());
}

}   // namespace stickslip
