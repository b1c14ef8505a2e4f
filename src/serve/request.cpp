#include "serve/request.h"

#include <algorithm>
#include <cctype>

namespace stickslip::serve {

namespace {

/// "127.0.0.1" of "127.0.0.1:8080", "[::1]" of "[::1]:8080".
std::string_view without_port(std::string_view host) {
  const std::size_t bracket = host.rfind(']'), colon = host.rfind(':');
  const bool has_port = colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
  return has_port ? host.substr(0, colon) : host;
}

bool same_text(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

bool names_this_machine(std::string_view host) {
  const std::string_view name = without_port(host);
  return same_text(name, "localhost") || name == "[::1]" ||
         (name.starts_with("127.") && name.find_first_not_of("0123456789.") == std::string_view::npos);
}

bool is_our_page(std::string_view origin, std::string_view host) {
  for (const std::string_view scheme : {"http://", "https://"})
    if (origin.starts_with(scheme)) return same_text(origin.substr(scheme.size()), host);
  return false;
}

/// The value of token= in a query, or nothing.
std::string_view token_of(std::string_view query) {
  constexpr std::string_view name = "token=";
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    if (query.substr(0, end).starts_with(name)) return query.substr(name.size(), end - name.size());
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return {};
}

}   // namespace

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  volatile unsigned char different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) different = static_cast<unsigned char>(different | (a[i] ^ b[i]));
  return different == 0;
}

bool is_token(std::string_view token) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || std::string_view("-._~").find(c) != std::string_view::npos;
  };
  return token.size() >= 8 && token.size() <= 128 && std::all_of(token.begin(), token.end(), plain);
}

Verdict judge(const Request& r, const RequestRules& rules) {
  const std::size_t mark = std::min(r.target.find('?'), r.target.size());
  const std::string_view path = r.target.substr(0, mark), query = r.target.substr(std::min(mark + 1, r.target.size()));
  if (path != "/" && path != "/live") return {Verdict::refused, 404, "There is nothing here. The view is at /."};
  if (r.method != "GET") return {Verdict::refused, 405, "Only GET is answered."};
  if (rules.loopback && !names_this_machine(r.host))
    return {Verdict::refused, 403, "This server listens for its own machine. Open it as http://localhost with its port."};
  if (!rules.token.empty() && !equal_in_constant_time(token_of(query), rules.token))
    return {Verdict::refused, 401,
            "The token is missing or wrong. Open the address that the server printed, with ?token= at its end."};
  if (path == "/")
    return r.upgrade ? Verdict{Verdict::refused, 404, "The WebSocket is at /live."} : Verdict{Verdict::page, 200, {}};
  if (!r.upgrade) return {Verdict::refused, 426, "This is for WebSockets. The view is at /."};
  if (!r.origin.empty() && !is_our_page(r.origin, r.host))
    return {Verdict::refused, 403,
            "Another page may not connect to the simulation. Open the view that this server gives at /."};
  return {Verdict::live, 101, {}};
}

}   // namespace stickslip::serve
