// Chromium without a window, driven over its DevTools pipe: opens a page, evaluates expressions.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace stickslip::cli {

class Browser {
 public:
  /// Starts Chromium and opens the page. @throws Error with a remedy if there is none or it does not start.
  /// @param profile folder for what the browser writes; whoever made it removes it
  Browser(const std::string& url, int width, int height, const std::filesystem::path& profile);
  ~Browser();   ///< ends it
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  /// The value of a JavaScript expression; a promise is waited for. @throws Error if it throws.
  nlohmann::json evaluate(const std::string& expression);

 private:
  void open_page(const std::string& url, int width, int height);
  void end();
  nlohmann::json call(const std::string& method, nlohmann::json parameters);
  std::string read_message();

  std::filesystem::path profile_;
  int to_ = -1, from_ = -1;   ///< pipes
  int process_ = -1;
  int last_id_ = 0;
  std::string session_, buffer_;
};

/// Waits until a page of the viewer, which may still be loading, has drawn its first frame. @throws Error if it cannot
void wait_for_viewer(Browser&);

/// The bytes of base64 text.
std::string base64_decoded(std::string_view);

/// The path of a program, or "" if it is nowhere on PATH.
std::string find_program(const std::string& name);

}   // namespace stickslip::cli
