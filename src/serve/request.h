// Which requests the server answers, and how. Two paths exist and both are compared as text: no part of a request ever names
// a file.
#pragma once

#include <string>
#include <string_view>

namespace stickslip::serve {

/// What the server was started with, as far as requests are concerned.
struct RequestRules {
  std::string token;      ///< empty: none is asked for
  bool loopback = true;   ///< bound to a loopback address
};

struct Request {
  std::string_view method, target, host, origin;   ///< host and origin as in the headers, empty if there are none
  bool upgrade = false;                            ///< asks for a WebSocket
};

struct Verdict {
  enum Kind { page, live, refused } kind = refused;
  int status = 404;          ///< of HTTP, if it is refused
  std::string_view reason;   ///< a sentence for people
};

/// Beside paths and token this checks, on loopback, that the browser means us: `Host` must be a name of this machine
/// (otherwise a foreign name was made to point here), and an `Origin` must be the page we served (otherwise a foreign page
/// tries to connect).
Verdict judge(const Request&, const RequestRules&);

/// Equality in a time that depends on the lengths alone.
bool equal_in_constant_time(std::string_view, std::string_view);

/// Whether a token can stand in an address as it is: 8 to 128 letters, digits and -._~
bool is_token(std::string_view);

}   // namespace stickslip::serve
