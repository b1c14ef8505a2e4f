// What the server does not put up with.
#include <gtest/gtest.h>

#include "record/viewer_page.h"
#include "serve/command.h"
#include "serve/request.h"
#include "serve/viewer.h"
#include "stickslip/math/error.h"

namespace stickslip {
namespace {

using namespace test;

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Refusal, names_every_command_by_the_type_that_its_message_has) {
  for (const std::string message : {R"({"type": "pause"})", R"({"type": "run"})", R"({"type": "step"})", R"({"type": "reset"})",
                                    R"({"type": "speed", "value": 1})", R"({"type": "set", "h": 0.01})",
                                    R"({"type": "drag", "body": 0, "node": 0, "target": [0, 0, 0]})", R"({"type": "release"})",
                                    R"({"type": "joint", "name": "a", "speed": 1})", R"({"type": "want"})",
                                    R"({"type": "capture"})", R"({"type": "compare", "solvers": ["auto"]})"}) {
    const serve::ParsedCommand parsed = serve::parse_command(message);
    ASSERT_TRUE(parsed.command) << message << ": " << parsed.refusal;
    EXPECT_EQ(serve::type_of(*parsed.command), parsed.type);
  }
}

TEST(Refusal, messages_that_are_no_commands_are_answered_with_an_error_and_the_connection_stays) {
  Server server(box_and_ball());
  Viewer viewer(server);
  const std::pair<std::string, std::string> bad[] = {
      {"", "not JSON"},
      {"{\"type\": \"pau", "not JSON"},
      {"[]", "does not say"},
      {"{\"type\": 3}", "does not say"},
      {R"({"type": "paus"})", "Did you mean 'pause'?"},
      {R"({"type": "pause", "now": true})", "no field 'now'"},
      {R"({"type": "step", "count": 0})", "1 to 1000"},
      {R"({"type": "step", "count": 1.5})", "1 to 1000"},
      {R"({"type": "step", "count": 18446744073709551615})", "1 to 1000"},
      {R"({"type": "step", "count": "1"})", "1 to 1000"},
      {R"({"type": "speed"})", "missing"},
      {R"({"type": "speed", "value": 1000})", "0.01 to 100"},
      {R"({"type": "speed", "value": -1})", "0.01 to 100"},
      {R"({"type": "set"})", "nothing to set"},
      {R"({"type": "set", "solver": "nsgsx"})", "nsgs"},
      {R"({"type": "set", "solver": 7})", "not the name"},
      {R"({"type": "set", "h": -0.01})", "1e-9 to 1 second"},
      {R"({"type": "set", "h": 1e999})", "not JSON"},
      {R"({"type": "set", "friction": "much"})", "coefficient"},
      {R"({"type": "drag", "body": -1, "local": [0, 0, 0], "target": [0, 0, 0]})", "whole number"},
      {R"({"type": "drag", "body": 1, "local": [0, 0], "target": [0, 0, 0]})", "not a place"},
      {R"({"type": "drag", "body": 1, "local": [0, 0, 0], "target": [0, 0, 1e300]})", "not a place"},
      {R"({"type": "want", "contacts": 1})", "true or false"},
      {R"({"type": "want", "joints": "all"})", "true or false"},
      {R"({"type": "joint", "speed": 1})", "'name' is missing"},
      {R"({"type": "joint", "name": 3, "speed": 1})", "which is text"},
      {R"({"type": "joint", "name": "a"})", "either speed"},
      {R"({"type": "joint", "name": "a", "speed": 1, "target": 1})", "either speed"},
      {R"({"type": "joint", "name": "a", "speed": 1e7})", "-1e6 to 1e6"},
      {R"({"type": "joint", "name": "a", "target": null})", "-1e6 to 1e6"},
      {R"({"type": "joint", "name": "axle", "speed": 1})", "'axle'"},
      {"{\"type\": \"joint\", \"speed\": 1, \"name\": \"" + std::string(60'000, 'x') + "\"}", "longer than 400"},
      {R"({"type": "compare", "solvers": []})", "1 to 8"},
      {R"({"type": "compare", "solvers": ["auto", "nope"]})", "nope"},
      {"{\"type\": \"" + std::string(60'000, 'x') + "\"}", "There is no command"},
      {std::string(60'000, '['), "not JSON"},
  };
  for (const auto& [text, reason] : bad) {
    viewer.socket.send(text);
    const std::string message = viewer.wait_for("error").value("message", "");
    EXPECT_NE(message.find(reason), std::string::npos) << text.substr(0, 80) << " → " << message;
    EXPECT_LT(message.size(), 500u);
  }
  viewer.socket.send(std::string("\x01\x02", 2), 2);
  EXPECT_NE(viewer.wait_for("error").value("message", "").find("Binary"), std::string::npos);
  EXPECT_TRUE(viewer.wait_for_frame());
}

TEST(Refusal, the_error_says_which_command_was_refused) {
  EXPECT_EQ(serve::parse_command(R"({"type": "speed", "value": 1e6})").type, "speed");
  EXPECT_TRUE(serve::parse_command(R"({"type": "speed", "value": 0})").command);
  EXPECT_TRUE(serve::parse_command(R"({"type": "step"})").command);
}

TEST(Refusal, text_that_is_not_utf8_ends_the_connection) {
  Server server(box_and_ball());
  Viewer viewer(server);
  viewer.socket.send("{\"type\": \"\xff\xfe\"}");
  while (viewer.next()) {
  }
  Viewer next(server);
  EXPECT_TRUE(next.wait_for_frame());
}

TEST(Refusal, a_message_beyond_64_kilobytes_ends_that_connection_and_no_other) {
  Server server(box_and_ball());
  Viewer loud(server), quiet(server);
  loud.socket.send(std::string(70'000, ' '));
  while (loud.next()) {
  }
  EXPECT_TRUE(quiet.wait_for_frame());
  EXPECT_TRUE(quiet.until([&] { return quiet.state.value("viewers", 0) == 1; }));
}

TEST(Refusal, two_paths_exist_and_no_other) {
  Server server(box_and_ball());
  const std::string page = http_answer(server.port(), "/");
  EXPECT_EQ(status_of(page), "200");
  EXPECT_NE(page.find("frame-ancestors 'none'"), std::string::npos);
  EXPECT_TRUE(page.ends_with(viewer_page()));
  EXPECT_EQ(status_of(http_answer(server.port(), "/?x=1")), status_of(page));
  for (const char* path : {"/../etc/passwd", "/..", "/%2e%2e/etc/passwd", "//", "/live/../../etc/passwd", "/index.html", "/./",
                           "/live%00", "/\\..\\", "http://localhost/", "*", "/%2f"})
    EXPECT_EQ(status_of(http_answer(server.port(), path)), "404") << path;
  EXPECT_EQ(status_of(http_answer(server.port(), "/live")), "426");
  EXPECT_EQ(status_of(http_answer(server.port(), "/", "Host: localhost\r\n", "DELETE")), "405");
  EXPECT_EQ(status_of(http_answer(server.port(), "/", "Host: localhost\r\nContent-Length: 100000\r\n", "POST")), "413");
}

TEST(Refusal, requests_that_are_too_long_or_no_http_are_refused) {
  Server server(box_and_ball());
  EXPECT_EQ(status_of(http_answer(server.port(), "/" + std::string(20'000, 'a'))), "431");
  EXPECT_EQ(status_of(http_answer(server.port(), "/", "Host: localhost\r\nX: " + std::string(20'000, 'a') + "\r\n")), "431");
  Socket socket(server.port());
  socket.send("\x16\x03\x01 this is not HTTP\r\n\r\n");
  EXPECT_EQ(status_of(socket.rest()), "400");
  EXPECT_NE(status_of(http_answer(server.port(), "/")), "none") << "it still answers";
}

TEST(Refusal, other_pages_and_other_names_of_this_machine_cannot_connect) {
  Server server(box_and_ball());
  const auto answer = [&](const std::string& headers) {
    return status_of(WebSocket(server.port(), "/live", headers).answer());
  };
  EXPECT_EQ(answer("Host: localhost:80\r\nOrigin: http://localhost:80\r\n"), "101");
  EXPECT_EQ(answer("Host: 127.0.0.1\r\n"), "101") << "programs send no origin";
  EXPECT_EQ(answer("Host: [::1]:8080\r\nOrigin: http://[::1]:8080\r\n"), "101");
  EXPECT_EQ(answer("Host: localhost:80\r\nOrigin: http://evil.example\r\n"), "403");
  EXPECT_EQ(answer("Host: localhost:80\r\nOrigin: http://localhost:81\r\n"), "403");
  EXPECT_EQ(answer("Host: localhost:80\r\nOrigin: null\r\n"), "403") << "a page opened from disk";
  EXPECT_EQ(answer("Host: evil.example\r\nOrigin: http://evil.example\r\n"), "403") << "a name that was made to point here";
  EXPECT_EQ(answer("Host: 127.0.0.1.evil.example\r\n"), "403");
  EXPECT_EQ(answer(""), "403");
}

TEST(Refusal, without_the_token_there_is_neither_page_nor_simulation) {
  ServerOptions options;
  options.token = "correct-horse";
  Server server(box_and_ball(), options);
  EXPECT_TRUE(server.url().ends_with("/?token=correct-horse"));
  for (const char* query :
       {"", "?token=", "?token=correct-hors", "?token=correct-horsf", "?token=correct-horse2", "?xtoken=correct-horse"}) {
    EXPECT_EQ(status_of(http_answer(server.port(), std::string("/") + query)), "401") << query;
    EXPECT_EQ(status_of(WebSocket(server.port(), std::string("/live") + query).answer()), "401") << query;
  }
  EXPECT_NE(status_of(http_answer(server.port(), "/?token=correct-horse")), "401");
  Viewer viewer(server, "/live?a=b&token=correct-horse");
  EXPECT_TRUE(viewer.wait_for_frame());
}

TEST(Refusal, a_server_that_others_can_reach_does_not_start_without_a_token) {
  ServerOptions options;
  options.address = "0.0.0.0";
  EXPECT_NE(message_of([&] { Server(box_and_ball(), options); }).find("token"), std::string::npos);
  options.token = "short";
  EXPECT_NE(message_of([&] { Server(box_and_ball(), options); }).find("8 to 128"), std::string::npos);
  options.token = "long-enough";
  EXPECT_EQ(message_of([&] { Server(box_and_ball(), options); }), "");
}

TEST(Refusal, a_port_that_is_taken_and_an_address_that_is_none_are_named) {
  Server server(box_and_ball());
  ServerOptions options;
  options.port = server.port();
  EXPECT_NE(message_of([&] { Server(box_and_ball(), options); }).find("is taken"), std::string::npos);
  options.port = 0;
  options.address = "example.com";
  EXPECT_NE(message_of([&] { Server(box_and_ball(), options); }).find("not an address"), std::string::npos);
  options.address = "127.0.0.1";
  options.directory = "/nowhere/at/all";
  EXPECT_NE(message_of([&] { Server(box_and_ball(), options); }).find("does not exist"), std::string::npos);
}

}   // namespace
}   // namespace stickslip
