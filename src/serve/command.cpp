#include "serve/command.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "stickslip/math/error.h"
#include "stickslip/scene/scene.h"
#include "stickslip/solve/registry.h"

namespace stickslip::serve {

using Json = nlohmann::json;

namespace {

/// Text of a value for messages, cut short.
std::string shown(const Json& value) {
  std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > 40) text = text.substr(0, 40) + "…";
  return text;
}

/// The fields of one message. Every field must be asked for by name; `finish` refuses those that nobody asked for.
class Fields {
 public:
  explicit Fields(const Json& message) : message_(message) { known_.push_back("type"); }

  const Json* find(const std::string& name) {
    known_.push_back(name);
    const auto at = message_.find(name);
    return at == message_.end() ? nullptr : &*at;
  }
  const Json& need(const std::string& name) {
    const Json* value = find(name);
    if (value == nullptr) throw Error(fmt::format("The field '{}' is missing.", name));
    return *value;
  }

  double number(const std::string& name, const Json& value, double low, double high, std::string_view valid) const {
    if (!value.is_number() || !(value.get<double>() >= low && value.get<double>() <= high))
      throw Error(fmt::format("{}: {} will not do. Give {}.", name, shown(value), valid));
    return value.get<double>();
  }
  std::int64_t whole(const std::string& name, const Json& value, std::int64_t low, std::int64_t high) const {
    const bool fits =
        value.is_number_unsigned() ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(high) : value.is_number_integer();
    if (!fits || value.get<std::int64_t>() < low || value.get<std::int64_t>() > high)
      throw Error(fmt::format("{}: {} will not do. Give a whole number from {} to {}.", name, shown(value), low, high));
    return value.get<std::int64_t>();
  }
  Vec3 point(const std::string& name) {
    const Json& value = need(name);
    constexpr double far = 1e9;
    const auto fits = [](const Json& x) { return x.is_number() && std::abs(x.get<double>()) <= far; };
    if (!value.is_array() || value.size() != 3 || !std::all_of(value.begin(), value.end(), fits))
      throw Error(fmt::format("{}: {} is not a place. Give three numbers [x, y, z] in metres.", name, shown(value)));
    return {value[0].get<double>(), value[1].get<double>(), value[2].get<double>()};
  }
  std::optional<bool> flag(const std::string& name) {
    const Json* value = find(name);
    if (value == nullptr) return {};
    if (!value->is_boolean()) throw Error(fmt::format("{}: {} will not do. Give true or false.", name, shown(*value)));
    return value->get<bool>();
  }
  std::string text(const std::string& name, const Json& value) const {
    if (!value.is_string()) throw Error(fmt::format("{}: {} is not a name, which is text.", name, shown(value)));
    if (value.get_ref<const std::string&>().size() > 400)
      throw Error(fmt::format("{}: {} is longer than 400 bytes, which no name should be.", name, shown(value)));
    return value.get<std::string>();
  }
  static std::string solver(const Json& value) {
    if (!value.is_string()) throw Error(fmt::format("solver: {} is not the name of a solver, which is text.", shown(value)));
    make_solver(value.get_ref<const std::string&>());   // names an unknown one
    return value.get<std::string>();
  }

  void finish() const {
    for (const auto& [name, value] : message_.items())
      if (std::find(known_.begin(), known_.end(), name) == known_.end())
        throw Error(fmt::format("There is no field '{}'. {}", name.substr(0, 40), suggest(name.substr(0, 40), known_)));
  }

 private:
  const Json& message_;
  std::vector<std::string> known_;
};

Command step_of(Fields& f) {
  const Json* count = f.find("count");
  return StepOnce{count == nullptr ? 1 : static_cast<int>(f.whole("count", *count, 1, 1000))};
}

Command speed_of(Fields& f) {
  const Json& value = f.need("value");
  const bool full = value.is_number() && value.get<double>() == 0;
  return Speed{full ? 0 : f.number("value", value, 0.01, 100, "0 for as fast as it goes, or 0.01 to 100 times real time")};
}

Command settings_of(Fields& f) {
  Settings s;
  if (const Json* solver = f.find("solver")) s.solver = Fields::solver(*solver);
  if (const Json* h = f.find("h")) s.h = f.number("h", *h, 1e-9, 1, "a step from 1e-9 to 1 second");
  if (const Json* friction = f.find("friction"))
    s.friction = friction->is_null()
                     ? std::optional<double>()
                     : f.number("friction", *friction, 0, 100, "a coefficient from 0 to 100, or null for the scene's own");
  if (!s.solver && !s.h && !s.friction) throw Error("There is nothing to set. Give solver, h or friction.");
  return s;
}

std::uint32_t body_of(Fields& f) { return static_cast<std::uint32_t>(f.whole("body", f.need("body"), 0, 0xffffffffll)); }

Command drag_of(Fields& f) {
  DragTo drag;
  drag.body = body_of(f);
  if (const Json* node = f.find("node")) drag.node = static_cast<std::uint32_t>(f.whole("node", *node, 0, 0xfffffffell));
  else drag.local = f.point("local");
  drag.target = f.point("target");
  return drag;
}

Command joint_of(Fields& f) {
  DriveJoint joint;
  joint.name = f.text("name", f.need("name"));
  if (const Json* coordinate = f.find("coordinate")) joint.coordinate = f.text("coordinate", *coordinate);
  constexpr double most = 1e6;
  if (const Json* speed = f.find("speed"))
    joint.speed = f.number("speed", *speed, -most, most, "a speed from -1e6 to 1e6 m/s or rad/s");
  if (const Json* target = f.find("target"))
    joint.target = f.number("target", *target, -most, most, "a target from -1e6 to 1e6 m or rad");
  if (const Json* effort = f.find("effort"))
    joint.effort = f.number("effort", *effort, -1e12, 1e12, "a force from -1e12 to 1e12 N or N m");
  if (const Json* lower = f.find("lower"))
    joint.lower = f.number("lower", *lower, -most, most, "a bound from -1e6 to 1e6 m or rad");
  if (const Json* upper = f.find("upper"))
    joint.upper = f.number("upper", *upper, -most, most, "a bound from -1e6 to 1e6 m or rad");
  const int given =
      joint.speed.has_value() + joint.target.has_value() + joint.effort.has_value() + (joint.lower || joint.upper);
  if (given != 1)
    throw Error("Give either speed, of the motor, or target, of the servo, or effort, or lower and upper, the bounds.");
  return joint;
}

Command gravity_of(Fields& f) {
  const Vec3 value = f.point("value");
  if (!(value.norm() <= 1e4))
    throw Error(fmt::format("value: {:g} m/s² will not do. Give a gravity of at most 1e4 m/s².", value.norm()));
  return EditGravity{value};
}

Command material_of(Fields& f) {
  EditMaterial edit;
  if (const Json* between = f.find("between")) {
    if (!between->is_array() || between->size() != 2)
      throw Error(fmt::format("between: {} is not a pair. Give two names of materials.", shown(*between)));
    for (const Json& name : *between) edit.names.push_back(f.text("between", name));
  } else {
    edit.names.push_back(f.text("name", f.need("name")));
  }
  f.find("name");
  if (const Json* friction = f.find("friction"))
    edit.coefficients.friction = f.number("friction", *friction, 0, 100, "a coefficient from 0 to 100");
  for (const auto& [name, member] : {std::pair("restitution", &document::Coefficients::restitution),
                                     std::pair("tangential_restitution", &document::Coefficients::tangential_restitution)})
    if (const Json* value = f.find(name)) edit.coefficients.*member = f.number(name, *value, 0, 1, "a coefficient from 0 to 1");
  if (edit.coefficients.empty())
    throw Error("There is nothing to change. Give friction, restitution or tangential_restitution.");
  return edit;
}

Command body_edit_of(Fields& f) {
  EditBody edit;
  edit.body = body_of(f);
  if (f.find("position")) edit.position = f.point("position");
  if (f.find("velocity")) {
    edit.velocity = f.point("velocity");
    if (!(edit.velocity->norm() <= 1e6)) throw Error("velocity: This is too fast. Give at most 1e6 m/s.");
  }
  if (const Json* mass = f.find("mass")) edit.mass = f.number("mass", *mass, 1e-12, 1e12, "a mass from 1e-12 to 1e12 kg");
  if (!edit.position && !edit.velocity && !edit.mass)
    throw Error("There is nothing to change. Give position, velocity or mass.");
  return edit;
}

Command open_of(Fields& f) {
  return OpenScene{built_in_scene(f.text("scene", f.need("scene"))).name};   // only these: no part of a message names a file
}

Command want_of(Fields& f) {
  Want want;
  want.contacts = f.flag("contacts");
  want.history = f.flag("history");
  want.joints = f.flag("joints");
  want.fields = f.flag("fields");
  want.overlaps = f.flag("overlaps");
  return want;
}

Command compare_of(Fields& f) {
  const Json& names = f.need("solvers");
  if (!names.is_array() || names.empty() || names.size() > 8)
    throw Error(fmt::format("solvers: {} will not do. Give an array of 1 to 8 names of solvers.", shown(names)));
  Compare compare;
  for (const Json& name : names) compare.solvers.push_back(Fields::solver(name));
  return compare;
}

struct Kind {
  std::string_view type;
  Command (*read)(Fields&);
};

/// In the order of `Command`.
constexpr Kind kKinds[] = {
    {"pause", [](Fields&) -> Command { return Pause{}; }},
    {"run", [](Fields&) -> Command { return Run{}; }},
    {"step", step_of},
    {"reset", [](Fields&) -> Command { return Reset{}; }},
    {"speed", speed_of},
    {"set", settings_of},
    {"drag", drag_of},
    {"release", [](Fields&) -> Command { return Release{}; }},
    {"joint", joint_of},
    {"want", want_of},
    {"capture", [](Fields&) -> Command { return Capture{}; }},
    {"compare", compare_of},
    {"gravity", gravity_of},
    {"material", material_of},
    {"body", body_edit_of},
    {"remove", [](Fields& f) -> Command { return RemoveBody{body_of(f)}; }},
    {"copy", [](Fields& f) -> Command { return CopyBody{body_of(f)}; }},
    {"open", open_of},
    {"save", [](Fields& f) -> Command { return SaveScene{f.flag("now").value_or(false)}; }},
    {"undo", [](Fields&) -> Command { return Undo{}; }},
    {"redo", [](Fields&) -> Command { return Redo{}; }},
};
static_assert(std::size(kKinds) == std::variant_size_v<Command>);

const Kind& kind_of(const std::string& type) {
  std::vector<std::string> names;
  for (const Kind& kind : kKinds) {
    if (kind.type == type) return kind;
    names.emplace_back(kind.type);
  }
  throw Error(fmt::format("There is no command '{}'. {}", type, suggest(type, names)));
}

}   // namespace

std::string_view type_of(const Command& command) { return kKinds[command.index()].type; }

ParsedCommand parse_command(std::string_view text) {
  ParsedCommand parsed;
  try {
    const Json message = Json::parse(text, nullptr, false);
    if (message.is_discarded()) throw Error("The message is not JSON. Send one object, such as {\"type\": \"pause\"}.");
    const auto type = message.is_object() ? message.find("type") : message.end();
    if (!message.is_object() || type == message.end() || !type->is_string())
      throw Error("The message does not say what it is. Send an object with a type, such as {\"type\": \"pause\"}.");
    parsed.type = type->get<std::string>().substr(0, 40);
    const Kind& kind = kind_of(parsed.type);
    Fields fields(message);
    Command command = kind.read(fields);
    fields.finish();
    parsed.command = std::move(command);
  } catch (const std::exception& error) {
    parsed.refusal = error.what();
  }
  return parsed;
}

}   // namespace stickslip::serve
