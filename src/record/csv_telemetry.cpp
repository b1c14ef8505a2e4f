#include "record/writers.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "record/telemetry.h"
#include "stickslip/math/error.h"
#include "store/staged_file.h"

namespace stickslip {

namespace {

/// One row per step. Numbers are the shortest text that reads back to the same double.
class CsvTelemetry final : public Recorder {
 public:
  explicit CsvTelemetry(std::filesystem::path path) : path_(std::move(path)) {}
  ~CsvTelemetry() override {
    if (file_) std::fclose(file_);
  }

  void begin(const Scene& scene) override {
    sensors_ = SensorReader(scene.world, scene.sensors);
    StagedFile staged(path_);
    file_ = std::fopen(staged.path().c_str(), "w");
    if (!file_) fail();
    std::setvbuf(file_, buffer_.data(), _IOFBF, buffer_.size());
    row_.clear();
    for (const TelemetryColumn& column : telemetry_columns()) {
      if (row_.size() > 0) row_.push_back(',');
      fmt::format_to(std::back_inserter(row_), "{}{}{}", column.name, column.unit_suffix.empty() ? "" : "_",
                     column.unit_suffix);
    }
    for (const SensorChannel& channel : sensors_.channels())
      fmt::format_to(std::back_inserter(row_), ",{}.{}{}{}", sensors_.sensors()[channel.sensor].name, channel.quantity,
                     channel.unit_suffix.empty() ? "" : "_", channel.unit_suffix);
    write_row();
    flush();
    staged.commit();
  }

  void record(const World& world, const StepReport& report) override {
    row_.clear();
    for (const TelemetryColumn& column : telemetry_columns()) {
      if (row_.size() > 0) row_.push_back(',');
      fmt::format_to(std::back_inserter(row_), "{}", column.value(report));
    }
    for (const double value : sensors_.read(world, report)) fmt::format_to(std::back_inserter(row_), ",{}", value);
    write_row();
  }

  void finish() override {
    if (!file_) return;
    std::FILE* closing = std::exchange(file_, nullptr);
    const bool good = std::ferror(closing) == 0;
    if (std::fclose(closing) != 0 || !good) fail();
    wait_for_disk(path_);
  }

 private:
  /// The file ends with a whole row whenever the program is killed.
  void write_row() {
    row_.push_back('\n');
    if (waiting_ + row_.size() > buffer_.size()) flush();
    if (std::fwrite(row_.data(), 1, row_.size(), file_) != row_.size()) fail();
    waiting_ += row_.size();
    if (waiting_ > buffer_.size()) flush();
  }
  void flush() {
    if (std::fflush(file_) != 0) fail();
    waiting_ = 0;
  }
  [[noreturn]] void fail() const {
    throw Error(fmt::format("Cannot write the telemetry: {}.", std::strerror(errno))).in(path_.string());
  }

  std::filesystem::path path_;
  std::FILE* file_ = nullptr;
  std::array<char, 4096> buffer_;
  std::size_t waiting_ = 0;   ///< bytes in the buffer
  SensorReader sensors_;
  fmt::memory_buffer row_;
};

}   // namespace

std::unique_ptr<Recorder> make_csv_telemetry(const std::filesystem::path& path) { return std::make_unique<CsvTelemetry>(path); }

}   // namespace stickslip
