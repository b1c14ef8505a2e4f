#include "serve/network.h"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <deque>
#include <set>

#include "record/viewer_page.h"
#include "serve/request.h"
#include "stickslip/math/error.h"

namespace stickslip::serve {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr std::size_t kMostViewers = 32, kMostVisits = 64;
constexpr std::size_t kMostTexts = 256;   // waiting for one viewer; with more it is taken for dead
constexpr std::size_t kLongestHeader = 8 * 1024;
constexpr auto kVisitTime = std::chrono::seconds(10), kIdleTime = std::chrono::seconds(30);
// Frames in the pipe are old frames; a small pipe keeps slow viewers up to date.
constexpr int kPipe = 256 * 1024;

class Visit;
class Viewer;

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

}   // namespace

struct Network::Impl {
  Impl(Simulation& s, const ServerOptions& o) : simulation(s), options(o), acceptor(io) { listen(); }

  void listen();
  void accept();
  void notify();
  void deliver();
  void close_all();

  Simulation& simulation;
  const ServerOptions options;
  RequestRules rules;
  asio::io_context io{1};
  tcp::acceptor acceptor;
  std::thread thread;

  // Owned by the thread of the network.
  std::set<std::shared_ptr<Visit>> visits;
  std::map<ViewerId, std::shared_ptr<Viewer>> viewers;
  ViewerId last_viewer = 0;
  std::shared_ptr<const Snapshot> snapshot;
  std::shared_ptr<const std::string> state;

  // Where the simulation leaves its news.
  std::mutex mutex;
  std::shared_ptr<const Snapshot> new_snapshot;
  std::shared_ptr<const std::string> new_state;
  bool notified = false;
};

namespace {

using Hub = Network::Impl;

/// A viewer at /live. Writes one message at a time and picks the newest when it is done: whoever reads slowly gets fewer
/// frames.
class Viewer : public std::enable_shared_from_this<Viewer> {
 public:
  Viewer(Hub& hub, ViewerId id, beast::tcp_stream stream) : hub_(hub), id_(id), socket_(std::move(stream)) {}

  void start(const http::request<http::empty_body>& request) {
    beast::get_lowest_layer(socket_).expires_never();   // the WebSocket has timeouts of its own
    websocket::stream_base::timeout timeout{};
    timeout.handshake_timeout = kVisitTime;
    timeout.idle_timeout = kIdleTime;
    timeout.keep_alive_pings = true;
    socket_.set_option(timeout);
    socket_.read_message_max(kLongestCommand);
    socket_.auto_fragment(false);
    socket_.async_accept(request, [self = shared_from_this()](error_code error) {
      if (error) return self->end();
      self->hub_.simulation.join(self->id_);
      self->open_ = true;
      self->read();
      self->pump();
    });
  }

  void tell(std::string message) {
    texts_.push_back(std::move(message));
    if (texts_.size() > kMostTexts) return end();
    pump();
  }

  /// Sends the next message, if there is one and the pipe is free.
  void pump() {
    if (!open_ || writing_ || !hub_.snapshot) return;
    const Snapshot& s = *hub_.snapshot;
    if (scene_sent_ != s.scene) {
      scene_sent_ = s.scene;
      frame_sent_ = 0;
      write_text(*s.scene_message);
    } else if (!texts_.empty()) {
      std::string text = std::move(texts_.front());
      texts_.pop_front();
      write_text(std::move(text));
    } else if (hub_.state && state_sent_ != hub_.state) {
      state_sent_ = hub_.state;
      write_text(*hub_.state);
    } else if (s.number > frame_sent_) {
      message_ = encode_frame(s, {frame_sent_, want_contacts_, want_history_, want_joints_, want_fields_, want_overlaps_});
      frame_sent_ = s.number;
      socket_.binary(true);
      write();
    }
  }

  void end() {
    const auto self = shared_from_this();   // the map may hold the last other one
    open_ = false;
    beast::get_lowest_layer(socket_).close();
    if (hub_.viewers.erase(id_) > 0) hub_.simulation.leave(id_);
  }

 private:
  void write_text(std::string text) {
    message_ = std::move(text);
    socket_.text(true);
    write();
  }

  void write() {
    writing_ = true;
    socket_.async_write(asio::buffer(message_), [self = shared_from_this()](error_code error, std::size_t) {
      self->writing_ = false;
      if (error) return self->end();
      self->pump();
    });
  }

  void read() {
    socket_.async_read(inbox_, [self = shared_from_this()](error_code error, std::size_t) {
      if (error) return self->end();
      self->obey();
      if (self->open_) self->read();
    });
  }

  void obey() {
    const bool text = socket_.got_text();
    const auto data = inbox_.data();
    ParsedCommand parsed;
    if (text) parsed = parse_command({static_cast<const char*>(data.data()), data.size()});
    else parsed.refusal = "Binary messages mean nothing here. Send commands as JSON text.";
    inbox_.consume(inbox_.size());
    if (!parsed.command) return tell(error_message(parsed.type, parsed.refusal));
    if (const auto* want = std::get_if<Want>(&*parsed.command)) {
      want_contacts_ = want->contacts.value_or(want_contacts_);
      want_history_ = want->history.value_or(want_history_);
      want_joints_ = want->joints.value_or(want_joints_);
      want_fields_ = want->fields.value_or(want_fields_);
      want_overlaps_ = want->overlaps.value_or(want_overlaps_);
    }
    if (!hub_.simulation.command(id_, std::move(*parsed.command)))
      tell(error_message(parsed.type, "Too many commands wait for the simulation. Send fewer, or a scene with quicker steps."));
  }

  Hub& hub_;
  const ViewerId id_;
  websocket::stream<beast::tcp_stream> socket_;
  beast::flat_buffer inbox_;
  std::string message_;   ///< under way
  std::deque<std::string> texts_;
  std::shared_ptr<const std::string> state_sent_;
  std::uint64_t scene_sent_ = 0, frame_sent_ = 0;
  bool open_ = false, writing_ = false, want_contacts_ = false, want_history_ = false, want_joints_ = false,
       want_fields_ = false, want_overlaps_ = false;
};

/// One HTTP request: gets the page, a refusal, or becomes a viewer.
class Visit : public std::enable_shared_from_this<Visit> {
 public:
  Visit(Hub& hub, tcp::socket socket) : hub_(hub), stream_(std::move(socket)), buffer_(2 * kLongestHeader) {
    parser_.header_limit(kLongestHeader);
    parser_.body_limit(0);
  }

  void start() {
    stream_.expires_after(kVisitTime);
    http::async_read(stream_, buffer_, parser_, [self = shared_from_this()](error_code error, std::size_t) {
      if (!error) return self->answer();
      if (error == http::error::header_limit || error == http::error::buffer_overflow)
        return self->respond(431, "The request is too long.");
      if (error == http::error::body_limit || error == http::error::unexpected_body)
        return self->respond(413, "A request has no body here.");
      if (error.category() == make_error_code(http::error::bad_version).category() && error != http::error::end_of_stream)
        return self->respond(400, "This is not a request that can be read.");
      self->end();
    });
  }

  void end() {
    const auto self = shared_from_this();
    stream_.close();
    hub_.visits.erase(self);
  }

 private:
  void answer() {
    const auto& request = parser_.get();
    const Verdict verdict = judge({view(request.method_string()), view(request.target()), view(request[http::field::host]),
                                   view(request[http::field::origin]), websocket::is_upgrade(request)},
                                  hub_.rules);
    if (verdict.kind == Verdict::refused) return respond(verdict.status, verdict.reason);
    if (verdict.kind == Verdict::page) {
      const std::string& replay = hub_.options.page;
      return respond(200, replay.empty() ? viewer_page() : replay, "text/html; charset=utf-8");
    }
    if (hub_.viewers.size() >= kMostViewers)
      return respond(503, "As many viewers as this server takes are here. Close one of them.");
    const ViewerId id = ++hub_.last_viewer;
    const auto viewer = std::make_shared<Viewer>(hub_, id, std::move(stream_));
    hub_.viewers.emplace(id, viewer);
    viewer->start(request);
    hub_.visits.erase(shared_from_this());
  }

  void respond(int status, std::string_view body, std::string_view type = "text/plain; charset=utf-8") {
    response_.result(static_cast<unsigned>(status));
    response_.version(11);
    response_.keep_alive(false);
    response_.set(http::field::content_type, beast::string_view(type.data(), type.size()));
    response_.set(http::field::cache_control, "no-store");
    response_.set("X-Content-Type-Options", "nosniff");
    response_.set("Referrer-Policy", "no-referrer");
    response_.set("Content-Security-Policy", "frame-ancestors 'none'");   // what else the page may do, it says itself
    if (status == 405) response_.set(http::field::allow, "GET");
    if (status == 426) response_.set(http::field::upgrade, "websocket");
    response_.body() = std::string(body);
    response_.prepare_payload();
    stream_.expires_after(kVisitTime);
    http::async_write(stream_, response_, [self = shared_from_this()](error_code, std::size_t) {
      error_code ignored;
      self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
      self->end();
    });
  }

  Hub& hub_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  http::request_parser<http::empty_body> parser_;
  http::response<http::string_body> response_;
};

}   // namespace

void Network::Impl::listen() {
  error_code error;
  const asio::ip::address address =
      asio::ip::make_address(options.address == "localhost" ? "127.0.0.1" : options.address, error);
  if (error)
    throw Error(fmt::format("'{}' is not an address. Give one in numbers, such as 127.0.0.1 or ::1.", options.address));
  rules = {options.token, address.is_loopback()};
  if (!rules.loopback && rules.token.empty())
    throw Error(
        fmt::format("{} can be reached from other machines. Give a token that viewers must show, or listen on 127.0.0.1.",
                    options.address));
  const tcp::endpoint endpoint(address, options.port);
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (!error) return;
  if (error == asio::error::address_in_use)
    throw Error(fmt::format("Port {} is taken by another program. Give another, or 0 for any that is free.", options.port));
  if (error == asio::error::access_denied)
    throw Error(fmt::format("Port {} needs more rights than this program has. Give one above 1023.", options.port));
  throw Error(fmt::format("Cannot listen on {}, port {}: {}. Give an address of this machine.", options.address, options.port,
                          error.message()));
}

void Network::Impl::accept() {
  acceptor.async_accept([this](error_code error, tcp::socket socket) {
    if (!acceptor.is_open()) return;
    // A connection that broke before it was taken is no reason to stop listening.
    if (!error && visits.size() < kMostVisits) {
      error_code ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      socket.set_option(tcp::socket::send_buffer_size(kPipe), ignored);
      const auto visit = std::make_shared<Visit>(*this, std::move(socket));
      visits.insert(visit);
      visit->start();
    }
    accept();
  });
}

/// Call with the mutex held.
void Network::Impl::notify() {
  if (notified) return;
  notified = true;
  asio::post(io, [this] { deliver(); });
}

void Network::Impl::deliver() {
  {
    const std::lock_guard lock(mutex);
    notified = false;
    if (new_snapshot) snapshot = std::move(new_snapshot);
    if (new_state) state = std::move(new_state);
  }
  for (const auto& [id, viewer] : viewers) viewer->pump();
}

void Network::Impl::close_all() {
  error_code ignored;
  acceptor.close(ignored);
  for (const auto& visit : std::set(visits)) visit->end();
  for (const auto& [id, viewer] : std::map(viewers)) viewer->end();
}

Network::Network(Simulation& simulation, const ServerOptions& options) : impl_(std::make_unique<Impl>(simulation, options)) {}
Network::~Network() { stop(); }

void Network::start() {
  impl_->accept();
  impl_->thread = std::thread([this] { impl_->io.run(); });
}

void Network::stop() {
  if (!impl_->thread.joinable()) return;
  asio::post(impl_->io, [this] {
    impl_->close_all();
    impl_->io.stop();
  });
  impl_->thread.join();
}

std::uint16_t Network::port() const { return impl_->acceptor.local_endpoint().port(); }

std::string Network::url() const {
  const tcp::endpoint endpoint = impl_->acceptor.local_endpoint();
  const std::string address = endpoint.address().to_string();
  const std::string host = endpoint.address().is_unspecified() ? "localhost"
                           : endpoint.address().is_v6()        ? fmt::format("[{}]", address)
                                                               : address;
  const std::string& token = impl_->options.token;
  return fmt::format("http://{}:{}/{}", host, endpoint.port(), token.empty() ? "" : "?token=" + token);
}

void Network::publish(std::shared_ptr<const Snapshot> snapshot) {
  const std::lock_guard lock(impl_->mutex);
  impl_->new_snapshot = std::move(snapshot);
  impl_->notify();
}

void Network::publish_state(std::string message) {
  const std::lock_guard lock(impl_->mutex);
  impl_->new_state = std::make_shared<const std::string>(std::move(message));
  impl_->notify();
}

void Network::tell(ViewerId id, std::string message) {
  asio::post(impl_->io, [this, id, message = std::move(message)]() mutable {
    if (const auto viewer = impl_->viewers.find(id); viewer != impl_->viewers.end()) viewer->second->tell(std::move(message));
  });
}

void Network::tell_all(std::string message) {
  asio::post(impl_->io, [this, message = std::move(message)] {
    for (const auto& [id, viewer] : std::map(impl_->viewers)) viewer->tell(message);
  });
}

}   // namespace stickslip::serve
