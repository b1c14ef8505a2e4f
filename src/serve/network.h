// HTTP and WebSockets: the page at /, the live protocol at /live. One thread serves all viewers.
#pragma once

#include <memory>

#include "serve/simulation.h"

namespace stickslip::serve {

class Network final : public Audience {
 public:
  /// Listens; serves from `start` on. @throws Error if the address cannot be used or the port is taken
  Network(Simulation&, const ServerOptions&);
  ~Network() override;   ///< stops

  void start();
  void stop();   ///< ends all connections

  std::uint16_t port() const;
  std::string url() const;

  void publish(std::shared_ptr<const Snapshot>) override;
  void publish_state(std::string message) override;
  void tell(ViewerId, std::string message) override;
  void tell_all(std::string message) override;

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}   // namespace stickslip::serve
