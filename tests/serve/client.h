// A viewer in a few lines: HTTP and WebSockets on a plain socket, so that the server is tested by code that shares nothing
// with it.
#pragma once

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stickslip::test {

/// A connection to a port of this machine. Everything that waits gives up after a few seconds.
class Socket {
 public:
  explicit Socket(std::uint16_t port, int receive_buffer = 0) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    if (receive_buffer > 0) ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~Socket() { ::close(fd_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  bool connected() const { return connected_; }

  void send(std::string_view data) {
    while (!data.empty()) {
      const ssize_t sent = ::send(fd_, data.data(), data.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      data.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  /// Waits until `count` bytes are there. @returns false if the connection ends or time runs out first
  bool fill(std::size_t count, double seconds = 5) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (buffer_.size() < count) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
      pollfd poll{fd_, POLLIN, 0};
      if (left <= 0 || ::poll(&poll, 1, static_cast<int>(left)) <= 0) return false;
      char chunk[65536];
      const ssize_t got = ::recv(fd_, chunk, sizeof chunk, 0);
      if (got <= 0) {
        closed_ = true;
        return false;
      }
      buffer_.append(chunk, static_cast<std::size_t>(got));
    }
    return true;
  }
  bool closed() const { return closed_; }

  std::string take(std::size_t count) {
    std::string data = buffer_.substr(0, count);
    buffer_.erase(0, count);
    return data;
  }
  /// Everything until the server closes.
  std::string rest() {
    while (fill(buffer_.size() + 1)) {
    }
    return take(buffer_.size());
  }
  /// Up to the end of an HTTP header.
  std::string header() {
    std::size_t end;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos)
      if (!fill(buffer_.size() + 1)) return take(buffer_.size());
    return take(end + 4);
  }

 private:
  int fd_;
  bool connected_ = false, closed_ = false;
  std::string buffer_;
};

/// The whole answer to a request. @param headers each with its line end
inline std::string http_answer(std::uint16_t port, const std::string& target,
                               const std::string& headers = "Host: localhost\r\n", const std::string& method = "GET") {
  Socket socket(port);
  socket.send(method + " " + target + " HTTP/1.1\r\n" + headers + "\r\n");
  return socket.rest();
}

/// "404" of "HTTP/1.1 404 Not Found…"
inline std::string status_of(const std::string& answer) { return answer.size() > 12 ? answer.substr(9, 3) : "none"; }

/// One side of a WebSocket.
class WebSocket {
 public:
  explicit WebSocket(std::uint16_t port, const std::string& target = "/live",
                     const std::string& headers = "Host: localhost\r\n", int receive_buffer = 0)
      : socket_(port, receive_buffer) {
    socket_.send("GET " + target + " HTTP/1.1\r\n" + headers +
                 "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
                 "dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
    answer_ = socket_.header();
  }

  const std::string& answer() const { return answer_; }
  bool open() const { return status_of(answer_) == "101"; }

  struct Message {
    int opcode;   ///< 1 text, 2 binary, 8 close
    std::string data;
  };

  /// The next message; pings are answered on the way. Nothing if the connection ends or time runs out.
  std::optional<Message> receive(double seconds = 5) {
    while (true) {
      if (!socket_.fill(2, seconds)) return {};
      const std::string head = socket_.take(2);
      const int opcode = head[0] & 15;
      std::uint64_t size = static_cast<unsigned char>(head[1]) & 127;
      if (size >= 126) {
        const std::size_t bytes = size == 126 ? 2 : 8;
        if (!socket_.fill(bytes, seconds)) return {};
        size = 0;
        for (const char c : socket_.take(bytes)) size = size << 8 | static_cast<unsigned char>(c);
      }
      if (!socket_.fill(size, seconds)) return {};
      Message message{opcode, socket_.take(size)};
      if (opcode == 9) send(message.data, 10);
      else if (opcode != 10) return message;
    }
  }

  void send(std::string_view data, int opcode = 1) {
    std::string out(1, static_cast<char>(0x80 | opcode));
    const int bytes = data.size() < 126 ? 0 : data.size() < 65536 ? 2 : 8;
    out.push_back(static_cast<char>(0x80 | (bytes == 0 ? data.size() : bytes == 2 ? 126 : 127)));
    for (int k = bytes - 1; k >= 0; --k) out.push_back(static_cast<char>(data.size() >> (8 * k) & 255));
    const char mask[4] = {0x11, 0x22, 0x33, 0x44};
    out.append(mask, 4);
    for (std::size_t i = 0; i < data.size(); ++i) out.push_back(static_cast<char>(data[i] ^ mask[i % 4]));
    socket_.send(out);
  }

  bool closed() const { return socket_.closed(); }

 private:
  Socket socket_;
  std::string answer_;
};

}   // namespace stickslip::test
