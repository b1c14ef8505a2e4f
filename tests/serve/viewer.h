// A viewer that understands the live protocol.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "serve/client.h"
#include "stickslip/scene/scene.h"
#include "stickslip/serve/server.h"

namespace stickslip::test {

using Json = nlohmann::json;

struct ReceivedBody {
  std::vector<Vec3> nodes;
  bool known = false;
  Vec3 position = Vec3::Zero();
  Quat orientation = Quat::Identity();
  int state = -1;
};
struct ReceivedContact {
  std::uint32_t a, b;
  float position[3], normal[3], force[3], gap, slip[3], friction;
  std::uint32_t facet_a, facet_b;
  std::uint16_t shape_a, shape_b;
  std::uint32_t touch;
};
struct ReceivedJoint {
  struct Coordinate {
    float position, velocity, motor;
  };
  int state = -1;
  float error = 0, force[3] = {}, torque[3] = {}, coupling = 0;
  std::vector<Coordinate> free;
};
struct ReceivedArea {
  std::uint32_t contact;
  float depth;
  Vec3 pressure;
  std::vector<Vec3> corners;
};
struct ReceivedOverlap {
  std::uint32_t contact;
  std::vector<Vec3> vertices;   ///< from the place of the contact on
  std::vector<std::uint32_t> corners;
};
struct ReceivedFrame {
  int flags = 0;
  std::uint32_t step = 0, records = 0, node_records = 0;
  double time = 0;
  std::vector<float> telemetry;
  std::vector<ReceivedContact> contacts;
  std::vector<std::pair<std::uint32_t, float>> history;
  std::vector<ReceivedJoint> joints;
  std::vector<ReceivedArea> areas;
  std::vector<ReceivedOverlap> overlaps;
};

/// Reads numbers off a message.
class Bytes {
 public:
  explicit Bytes(const std::string& data) : data_(data) {}
  template <class T>
  T get() {
    T value{};
    EXPECT_LE(at_ + sizeof value, data_.size()) << "a frame ends too early";
    if (at_ + sizeof value <= data_.size()) std::memcpy(&value, data_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  bool at_end() const { return at_ == data_.size(); }

 private:
  const std::string& data_;
  std::size_t at_ = 0;
};

class Viewer {
 public:
  explicit Viewer(const Server& server, const std::string& target = "/live") : socket(server.port(), target) {
    const auto first = socket.receive();
    if (!first || first->opcode != 1) throw std::runtime_error("no scene: " + socket.answer());
    take_text(first->data);
    EXPECT_EQ(messages.back()["type"], "scene") << "the scene comes first";
  }

  void send(const Json& message) { socket.send(message.dump()); }

  /// Takes the next message in. @returns false if the connection ended
  bool next(double seconds = 5) {
    const auto message = socket.receive(seconds);
    if (!message || message->opcode == 8) return false;
    if (message->opcode == 1) take_text(message->data);
    else take_frame(message->data);
    return true;
  }

  /// Reads until something holds. @returns false if it does not within 5 s
  template <class Condition>
  bool until(Condition&& holds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (!holds()) {
      if (std::chrono::steady_clock::now() > end || !next()) return false;
    }
    return true;
  }
  /// The next text of a type from now on.
  Json wait_for(const std::string& type) {
    const std::size_t from = messages.size();
    Json found;
    const bool came = until([&] {
      for (std::size_t i = from; i < messages.size(); ++i)
        if (messages[i]["type"] == type) {
          found = messages[i];
          return true;
        }
      return false;
    });
    EXPECT_TRUE(came) << "no message of type " << type;
    return came ? found : Json::object();
  }
  /// The next frame from now on.
  bool wait_for_frame() {
    const std::size_t before = frames;
    return until([&] { return frames > before; });
  }
  /// Pauses and steps, and waits for the frame of the last step.
  void step(int count = 1) {
    ASSERT_TRUE(frames > 0 || wait_for_frame());
    if (state.value("running", true)) {
      send({{"type", "pause"}});
      ASSERT_TRUE(until([&] { return state.contains("running") && state["running"] == false; }));
      drain();
    }
    const std::uint32_t wanted = frame.step + static_cast<std::uint32_t>(count);
    send({{"type", "step"}, {"count", count}});
    ASSERT_TRUE(until([&] { return frame.step >= wanted; }));
  }
  /// Takes in what is on its way: the answer to a message that is refused comes after it.
  void drain() {
    send({{"type", "echo"}});
    wait_for("error");
    wait_for_idle();
  }

  WebSocket socket;
  Json description, state = Json::object();
  std::vector<Json> messages;
  std::vector<ReceivedBody> bodies;
  ReceivedFrame frame;
  std::size_t frames = 0, scenes = 0;

 private:
  void wait_for_idle() {
    while (next(0.05)) {
    }
  }

  void take_text(const std::string& text) {
    messages.push_back(Json::parse(text));
    const Json& message = messages.back();
    if (message["type"] == "state") state = message;
    if (message["type"] != "scene") return;
    description = message["description"];
    bodies.assign(description["bodies"].size(), {});
    frame = {};
    ++scenes;
  }

  void take_frame(const std::string& data) {
    Bytes in(data);
    frame = {};
    EXPECT_EQ(in.get<std::uint8_t>(), 1);
    frame.flags = in.get<std::uint8_t>();
    EXPECT_EQ(in.get<std::uint16_t>(), 0);
    frame.step = in.get<std::uint32_t>();
    frame.time = in.get<double>();
    frame.records = in.get<std::uint32_t>();
    const double quantum = description["quantum"];
    for (std::uint32_t i = 0; i < frame.records; ++i) {
      const auto body = in.get<std::uint32_t>();
      if (body >= bodies.size()) throw std::runtime_error("a frame has a body that the scene has not");
      ReceivedBody& b = bodies[body];
      b.known = true;
      for (int k = 0; k < 3; ++k) b.position[k] = in.get<std::int32_t>() * quantum;
      double q[4];
      for (double& x : q) x = in.get<std::int16_t>() / 32767.0;
      b.orientation = Quat(q[0], q[1], q[2], q[3]);
      b.state = in.get<std::uint8_t>();
      for (int k = 0; k < 3; ++k) EXPECT_EQ(in.get<std::uint8_t>(), 0);
    }
    frame.telemetry.resize(in.get<std::uint16_t>());
    EXPECT_EQ(in.get<std::uint16_t>(), 0);
    for (float& value : frame.telemetry) value = in.get<float>();
    if (frame.flags & 2) {
      frame.contacts.resize(in.get<std::uint32_t>());
      for (ReceivedContact& c : frame.contacts) c = in.get<ReceivedContact>();
    }
    if (frame.flags & 4) {
      frame.history.resize(in.get<std::uint32_t>());
      for (auto& [iteration, residual] : frame.history) {
        iteration = in.get<std::uint32_t>();
        residual = in.get<float>();
      }
    }
    if (frame.flags & 8) take_joints(in);
    if (frame.flags & 16) take_nodes(in);
    if (frame.flags & 32) take_areas(in);
    if (frame.flags & 128) take_overlaps(in);
    EXPECT_TRUE(in.at_end()) << "a frame is longer than it says";
    ++frames;
  }

  void take_areas(Bytes& in) {
    const auto place = [&] {
      const float x = in.get<float>(), y = in.get<float>(), z = in.get<float>();
      return Vec3(x, y, z);
    };
    const auto count = in.get<std::uint32_t>();
    for (std::uint32_t i = 0; i < count && !in.at_end(); ++i) {
      const auto contact = in.get<std::uint32_t>(), corners = in.get<std::uint32_t>();
      const auto depth = in.get<float>();
      frame.areas.push_back({contact, depth, place(), {}});
      for (std::uint32_t k = 0; k < corners && !in.at_end(); ++k) frame.areas.back().corners.push_back(place());
    }
  }

  void take_overlaps(Bytes& in) {
    frame.overlaps.resize(in.get<std::uint32_t>());
    for (ReceivedOverlap& overlap : frame.overlaps) {
      overlap.contact = in.get<std::uint32_t>();
      overlap.vertices.resize(in.get<std::uint32_t>());
      overlap.corners.resize(3 * in.get<std::uint32_t>());
      for (Vec3& x : overlap.vertices)
        for (int k = 0; k < 3; ++k) x[k] = in.get<float>();
      for (std::uint32_t& corner : overlap.corners) corner = in.get<std::uint32_t>();
    }
  }

  void take_nodes(Bytes& in) {
    const auto count = in.get<std::uint32_t>();
    frame.node_records = count;
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto body = in.get<std::uint32_t>(), nodes = in.get<std::uint32_t>();
      ASSERT_LT(body, bodies.size());
      const Json& described = description["bodies"][body].at("nodes");
      ASSERT_EQ(nodes, described.at("count").get<std::uint32_t>());
      const double quantum = described.at("quantum");
      bodies[body].nodes.assign(nodes, Vec3::Zero());
      for (Vec3& x : bodies[body].nodes)
        for (int k = 0; k < 3; ++k) x[k] = in.get<std::int32_t>() * quantum;
    }
  }

  void take_joints(Bytes& in) {
    frame.joints.resize(in.get<std::uint32_t>());
    ASSERT_EQ(frame.joints.size(), description["joints"].size());
    for (std::size_t i = 0; i < frame.joints.size(); ++i) {
      ReceivedJoint& j = frame.joints[i];
      j.state = in.get<std::uint8_t>();
      for (int k = 0; k < 3; ++k) EXPECT_EQ(in.get<std::uint8_t>(), 0);
      j.error = in.get<float>();
      for (float& x : j.force) x = in.get<float>();
      for (float& x : j.torque) x = in.get<float>();
      j.coupling = in.get<float>();
      j.free.resize(description["joints"][i]["free"].size());
      for (auto& c : j.free) c = in.get<ReceivedJoint::Coordinate>();
    }
  }
};

inline BodyDescription body_of(const Shape& shape, const Vec3& position, const std::string& name,
                               MotionType motion = MotionType::dynamic) {
  BodyDescription d;
  d.name = name;
  d.motion = motion;
  d.parts = {{shape, {}, {}}};
  d.pose.position = position;
  return d;
}

/// A box of 0.5 m that rests on the ground beside a ball that falls.
inline Scene box_and_ball() {
  Scene scene;
  scene.name = "box and ball";
  scene.description = "the ball falls";
  scene.document = "{}";
  scene.world.add(body_of(HalfSpace{}, Vec3::Zero(), "ground", MotionType::fixed));
  scene.world.add(body_of(Box{Vec3::Constant(0.25)}, {0, 0, 0.25}, "box"));
  scene.world.add(body_of(Sphere{0.2}, {2, 0, 5}, "ball"));
  return scene;
}

/// As fast as it goes.
inline ServerOptions quick() {
  ServerOptions options;
  options.speed = 0;
  return options;
}

/// Waits to be told.
inline ServerOptions paused() {
  ServerOptions options = quick();
  options.paused = true;
  return options;
}

}   // namespace stickslip::test
