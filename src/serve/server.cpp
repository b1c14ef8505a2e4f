#include "stickslip/serve/server.h"

#include <fmt/format.h>

#include <cmath>

#include "serve/network.h"
#include "serve/request.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

ServerOptions checked(ServerOptions options) {
  if (!(options.frames_per_second > 0 && options.frames_per_second <= 1000))
    throw Error(fmt::format("{} frames per second cannot be sent. Give a number greater than 0 and at most 1000.",
                            options.frames_per_second));
  if (!(options.speed == 0 || (options.speed >= 0.01 && options.speed <= 100)))
    throw Error(fmt::format("{} is no speed. Give 0 for as fast as it goes, or 0.01 to 100 times real time.", options.speed));
  if (!options.token.empty() && !serve::is_token(options.token))
    throw Error("The token cannot stand in an address. Give 8 to 128 letters, digits and -._~");
  std::error_code ignored;
  if (!std::filesystem::is_directory(options.directory, ignored))
    throw Error("This directory for captured problems does not exist. Create it first, or give another.")
        .in(options.directory.string());
  return options;
}

}   // namespace

struct Server::Impl {
  Impl(Scene scene, const ServerOptions& options) : simulation(std::move(scene), options), network(simulation, options) {
    network.start();
    simulation.start(network);
  }
  serve::Simulation simulation;
  serve::Network network;
};

Server::Server(Scene scene, ServerOptions options)
    : impl_(std::make_unique<Impl>(std::move(scene), checked(std::move(options)))) {}
Server::~Server() { stop(); }

std::uint16_t Server::port() const { return impl_->network.port(); }
std::string Server::url() const { return impl_->network.url(); }
ServerStatistics Server::statistics() const { return impl_->simulation.statistics(); }

void Server::stop() {
  // The simulation first: it tells the network what happens.
  impl_->simulation.stop();
  impl_->network.stop();
}

}   // namespace stickslip
