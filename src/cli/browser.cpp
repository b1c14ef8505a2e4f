#include "cli/browser.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "cli/interrupt.h"
#include "stickslip/math/error.h"

namespace stickslip::cli {

using Json = nlohmann::json;

namespace {

constexpr int kPatience = 600'000;   // for one answer [ms]: a million triangles without a graphics card take a minute or more

/// Runs in the child: the pipes become descriptors 3 and 4, everything else is silenced. Never returns.
[[noreturn]] void become(const std::vector<std::string>& arguments, int read_end, int write_end) {
  // Out of the way first: one of them may be 3 or 4 already.
  const int in = fcntl(read_end, F_DUPFD, 10), out = fcntl(write_end, F_DUPFD, 10);
  dup2(in, 3);
  dup2(out, 4);
  const int nothing = open("/dev/null", O_RDWR);
  for (const int standard : {0, 1, 2}) dup2(nothing, standard);
  for (const int spare : {in, out, nothing})
    if (spare > 4) close(spare);
  setpgid(0, 0);
  std::vector<char*> raw;
  for (const std::string& a : arguments) raw.push_back(const_cast<char*>(a.c_str()));
  raw.push_back(nullptr);
  execv(raw[0], raw.data());
  _exit(127);
}

/// Chromium keeps a socket in a folder of its own beside the profile, in that for temporary files, and does not get to remove
/// it where it is ended at once. A link in the profile says where it is.
void remove_socket_folder(const std::filesystem::path& profile) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::read_symlink(profile / "SingletonSocket", error).parent_path();
  if (!error && folder.filename().string().find("Chrom") != std::string::npos) std::filesystem::remove_all(folder, error);
}

}   // namespace

std::string base64_decoded(std::string_view base64) {
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : base64) {
    const int value = c >= 'A' && c <= 'Z'   ? c - 'A'
                      : c >= 'a' && c <= 'z' ? c - 'a' + 26
                      : c >= '0' && c <= '9' ? c - '0' + 52
                      : c == '+'             ? 62
                      : c == '/'             ? 63
                                             : -1;
    if (value < 0) break;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    count += 6;
    if (count >= 8) out.push_back(static_cast<char>(bits >> (count -= 8) & 0xff));
  }
  return out;
}

std::string find_program(const std::string& name) {
  std::istringstream path(std::getenv("PATH") != nullptr ? std::getenv("PATH") : "");
  for (std::string folder; std::getline(path, folder, ':');)
    if (const std::string file = folder + "/" + name; access(file.c_str(), X_OK) == 0) return file;
  return "";
}

Browser::Browser(const std::string& url, int width, int height, const std::filesystem::path& profile) : profile_(profile) {
  std::string program;
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"})
    if (program.empty()) program = find_program(name);
  if (program.empty())
    throw Error("Pictures are made with Chromium, which is not on this machine. Install it: sudo apt-get install chromium.");
  int down[2], up[2];
  if (pipe2(down, O_CLOEXEC) != 0 || pipe2(up, O_CLOEXEC) != 0)
    throw Error("No pipe to the browser could be made: too many files are open.");
  const std::vector<std::string> arguments = {program,
                                              "--headless=new",
                                              "--no-sandbox",
                                              "--remote-debugging-pipe",
                                              "--user-data-dir=" + profile.string(),
                                              "--disable-background-networking",
                                              "--no-first-run",
                                              "--mute-audio",
                                              "--hide-scrollbars",
                                              "--use-angle=swiftshader",
                                              "--enable-unsafe-swiftshader",
                                              fmt::format("--window-size={},{}", width, height)};
  process_ = fork();
  if (process_ == 0) become(arguments, down[0], up[1]);
  close(down[0]);
  close(up[1]);
  to_ = down[1];
  from_ = up[0];
  if (process_ < 0) throw Error("The browser could not be started: no further process is allowed.");

  try {
    open_page(url, width, height);
  } catch (...) {
    end();
    throw;
  }
}

void Browser::open_page(const std::string& url, int width, int height) {
  const std::string target = call("Target.createTarget", {{"url", "about:blank"}}).at("targetId");
  session_ = call("Target.attachToTarget", {{"targetId", target}, {"flatten", true}}).at("sessionId");
  call("Emulation.setDeviceMetricsOverride",
       {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
  call("Page.enable", Json::object());
  call("Page.navigate", {{"url", url}});
}

Browser::~Browser() { end(); }

void Browser::end() {
  if (to_ >= 0) close(to_);
  if (from_ >= 0) close(from_);
  if (process_ > 0) {
    kill(-process_, SIGKILL);
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    remove_socket_folder(profile_);
  }
}

/// Messages end with a zero byte.
std::string Browser::read_message() {
  for (;;) {
    if (const std::size_t end = buffer_.find('\0'); end != std::string::npos) {
      std::string message = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return message;
    }
    pollfd waiting{from_, POLLIN, 0};
    const int ready = poll(&waiting, 1, kPatience);
    if (InterruptGuard::requested()) throw Error("The browser was not waited for: interrupted.");
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0)
      throw Error("The browser did not answer for ten minutes. Show fewer bodies or simpler meshes, or a smaller picture.");
    char bytes[65536];
    const ssize_t count = read(from_, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw Error("The browser ended before it answered. Does Chromium start on this machine?");
    buffer_.append(bytes, static_cast<std::size_t>(count));
  }
}

Json Browser::call(const std::string& method, Json parameters) {
  Json message{{"id", ++last_id_}, {"method", method}, {"params", std::move(parameters)}};
  if (!session_.empty()) message["sessionId"] = session_;
  std::string text = message.dump();
  text.push_back('\0');
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = write(to_, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw Error("The browser ended before it was asked. Does Chromium start on this machine?");
    done += static_cast<std::size_t>(count);
  }
  for (;;) {
    const Json answer = Json::parse(read_message());
    if (answer.value("id", 0) != last_id_) continue;   // events
    if (answer.contains("error"))
      throw Error(fmt::format("The browser refused {}: {}", method, answer["error"].value("message", "")));
    return answer.at("result");
  }
}

Json Browser::evaluate(const std::string& expression) {
  const Json answer = call("Runtime.evaluate", {{"expression", expression}, {"awaitPromise", true}, {"returnByValue", true}});
  if (answer.contains("exceptionDetails"))
    throw Error(fmt::format("The page of the viewer failed: {}",
                            answer["exceptionDetails"].value("text", "") + " " +
                                answer["exceptionDetails"].value("/exception/description"_json_pointer, std::string())));
  return answer.at("result").value("value", Json());
}

void wait_for_viewer(Browser& browser) {
  browser.evaluate(
      "new Promise(done => { const wait = () => window.stickslip ? window.stickslip.ready.then(done) : setTimeout(wait, 20); "
      "wait(); })");
}

}   // namespace stickslip::cli
