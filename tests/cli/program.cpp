#include "program.h"
#include "places.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "../record/record_scenes.h"

namespace stickslip::test {

namespace {
int exit_code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }
}   // namespace

Finished stickslip(const std::string& arguments, const std::string& before, const std::string& after) {
  const Directory directory;
  const std::string out = directory / "out", err = directory / "err";
  const std::string command =
      before + "exec '" + places::kProgram + "' " + arguments + " >" + out + " 2>" + err + " </dev/null " + after;
  const int status = std::system(command.c_str());
  return {exit_code_of(status), content_of(out), content_of(err)};
}

void expect_refused(const std::string& arguments, const std::string& part) {
  const Finished run = stickslip(arguments);
  EXPECT_EQ(run.exit_code, 2) << arguments;
  EXPECT_THAT(run.err, ::testing::StartsWith("stickslip: ")) << arguments;
  EXPECT_THAT(run.err, ::testing::HasSubstr(part)) << arguments;
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  EXPECT_THAT(run.out, ::testing::IsEmpty()) << arguments;
}

Background::Background(const std::vector<std::string>& arguments) {
  std::vector<char*> words = {const_cast<char*>(places::kProgram)};
  for (const std::string& a : arguments) words.push_back(const_cast<char*>(a.c_str()));
  words.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ == 0) {
    const int nowhere = ::open("/dev/null", O_RDWR);
    for (const int descriptor : {0, 1, 2}) ::dup2(nowhere, descriptor);
    ::execv(words[0], words.data());
    ::_exit(127);
  }
}

Background::~Background() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void Background::send(int signal) const { ::kill(pid_, signal); }

int Background::wait() {
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  return exit_code_of(status);
}

}   // namespace stickslip::test
