// The live view: a simulation that browsers watch and steer, by the protocol of docs/viewer-protocol.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "stickslip/scene/scene.h"

namespace stickslip {

struct ServerOptions {
  std::string address = "127.0.0.1";       ///< IPv4 or IPv6, in numbers; "localhost" is 127.0.0.1
  std::uint16_t port = 0;                  ///< 0: any that is free
  std::string token;                       ///< what viewers must show; required if the address is not loopback
  std::filesystem::path directory = ".";   ///< where captured problems go
  double frames_per_second = 60;           ///< the most that viewers get [Hz], in (0, 1000]
  double speed = 1;                        ///< simulated over real time at the start; 0: as fast as it goes
  bool paused = false;                     ///< at the start
  bool only_while_watched = true;          ///< time stands still while there is no viewer
  std::string page;                        ///< a replay to hand out in place of the live page; the scene is of no use then
};

/// What the simulation thread did since the server started.
struct ServerStatistics {
  std::uint64_t steps = 0, frames = 0;
  double step_seconds = 0;      ///< processor time of the simulation thread inside steps [s]
  double serving_seconds = 0;   ///< the same for viewers: commands, drags, frames, messages [s]
};

/// Serves one scene until it is stopped. The simulation has a thread of its own that never waits for a viewer: viewers that are
/// slow get fewer frames.
class Server {
 public:
  /// Listens when it returns. @throws Error if an option is invalid, the address cannot be used, the port is taken, or the
  /// address is not loopback and there is no token.
  explicit Server(Scene, ServerOptions = {});
  ~Server();   ///< stops
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;
  /// What to open in a browser, the token included.
  std::string url() const;
  ServerStatistics statistics() const;

  /// Ends all connections and threads. Calls after the first do nothing.
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}   // namespace stickslip
