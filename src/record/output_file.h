// A file that is written from start to end and gets its name only when it is whole.
#pragma once

#include <cstdio>
#include <filesystem>
#include <span>
#include <string_view>

#include "store/staged_file.h"

namespace stickslip {

/// Every error names the wanted file. Without `commit` an older file stays as it was.
class OutputFile {
 public:
  /// @throws Error if the file cannot be created.
  explicit OutputFile(const std::filesystem::path& wanted);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  template <class Number>
  void write(std::span<const Number> numbers) {
    write(std::string_view(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()));
  }
  void commit(DiskWait wait = DiskWait::if_it_replaces);

 private:
  [[noreturn]] void fail() const;

  std::filesystem::path wanted_;
  StagedFile staged_;
  std::FILE* file_ = nullptr;
};

}   // namespace stickslip
