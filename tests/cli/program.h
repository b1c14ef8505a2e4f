// Runs the built program as a user would.
#pragma once

#include <string>
#include <vector>

namespace stickslip::test {

struct Finished {
  int exit_code = -1;   ///< 128 + signal if a signal ended it
  std::string out, err;
};

/// Runs `stickslip <arguments>`; the arguments are words of a shell command. @param
/// after redirections that replace those to `out` and `err`
Finished stickslip(const std::string& arguments, const std::string& before = "", const std::string& after = "");

/// Expects exit code 2, one line on standard error that starts with the name of the program and holds `part`, and nothing else.
void expect_refused(const std::string& arguments, const std::string& part);

/// A program in the background that can be sent a signal.
class Background {
 public:
  /// @param arguments one word each
  explicit Background(const std::vector<std::string>& arguments);
  ~Background();
  void send(int signal) const;
  int wait();   ///< exit code, or 128 + signal

 private:
  int pid_ = -1;
};

}   // namespace stickslip::test
