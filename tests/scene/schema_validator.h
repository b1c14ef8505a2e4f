// The part of JSON Schema (draft 2020-12) that the schema of scenes uses. Throws for a keyword it does not know, so that
// the schema cannot outgrow it unnoticed.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>

namespace stickslip {

class SchemaValidator {
 public:
  using Json = nlohmann::json;

  explicit SchemaValidator(Json schema) : schema_(std::move(schema)) {}

  bool accepts(const Json& value) const { return accepts(schema_, value); }

 private:
  bool accepts(const Json& schema, const Json& value) const {
    if (schema.is_boolean()) return schema.get<bool>();
    for (const auto& [keyword, rule] : schema.items())
      if (!keyword_accepts(schema, keyword, rule, value)) return false;
    return true;
  }

  bool keyword_accepts(const Json& schema, const std::string& keyword, const Json& rule, const Json& v) const {
    static const std::set<std::string> ignored = {"$schema", "$defs", "title", "description", "default"};
    if (ignored.contains(keyword)) return true;
    if (keyword == "$ref") return accepts(schema_.at(Json::json_pointer(rule.get<std::string>().substr(1))), v);
    if (keyword == "type") return rule.is_array() ? any(rule, [&](const Json& t) { return is(t, v); }) : is(rule, v);
    if (keyword == "enum") return any(rule, [&](const Json& one) { return one == v; });
    if (keyword == "const") return rule == v;
    if (keyword == "allOf") return all(rule, [&](const Json& one) { return accepts(one, v); });
    if (keyword == "anyOf") return any(rule, [&](const Json& one) { return accepts(one, v); });
    if (keyword == "oneOf")
      return std::count_if(rule.begin(), rule.end(), [&](const Json& one) { return accepts(one, v); }) == 1;
    if (keyword == "not") return !accepts(rule, v);
    if (keyword == "minimum") return !v.is_number() || v.get<double>() >= rule;
    if (keyword == "maximum") return !v.is_number() || v.get<double>() <= rule;
    if (keyword == "exclusiveMinimum") return !v.is_number() || v.get<double>() > rule;
    if (keyword == "exclusiveMaximum") return !v.is_number() || v.get<double>() < rule;
    if (keyword == "minItems") return !v.is_array() || v.size() >= rule;
    if (keyword == "maxItems") return !v.is_array() || v.size() <= rule;
    if (keyword == "minLength") return !v.is_string() || v.get<std::string>().size() >= rule;
    if (keyword == "pattern")
      return !v.is_string() || std::regex_search(v.get<std::string>(), std::regex(rule.get<std::string>()));
    if (keyword == "items") return !v.is_array() || all(v, [&](const Json& one) { return accepts(rule, one); });
    if (keyword == "required") return !v.is_object() || all(rule, [&](const Json& key) { return v.contains(key); });
    if (keyword == "properties") {
      if (!v.is_object()) return true;
      for (const auto& [key, sub] : rule.items())
        if (v.contains(key) && !accepts(sub, v[key])) return false;
      return true;
    }
    if (keyword == "additionalProperties") {
      if (!v.is_object()) return true;
      for (const auto& [key, one] : v.items()) {
        if (schema.contains("properties") && schema["properties"].contains(key)) continue;
        if (rule.is_boolean() ? !rule.get<bool>() : !accepts(rule, one)) return false;
      }
      return true;
    }
    if (keyword == "unevaluatedProperties") {
      if (!v.is_object() || rule != false) return true;
      const std::set<std::string> known = evaluated(schema, v);
      return std::all_of(v.items().begin(), v.items().end(), [&](const auto& item) { return known.contains(item.key()); });
    }
    throw std::logic_error("the validator does not know the keyword " + keyword);
  }

  /// The keys of an object that the schema, or a schema within it that accepts the object, speaks of.
  std::set<std::string> evaluated(const Json& schema, const Json& v) const {
    std::set<std::string> known;
    if (schema.contains("properties"))
      for (const auto& [key, rule] : schema["properties"].items()) known.insert(key);
    const auto join = [&](const Json& within) {
      if (accepts(within, v)) known.merge(evaluated(within, v));
    };
    if (schema.contains("$ref")) join(schema_.at(Json::json_pointer(schema["$ref"].get<std::string>().substr(1))));
    for (const char* keyword : {"allOf", "anyOf", "oneOf"})
      if (schema.contains(keyword))
        for (const Json& one : schema[keyword]) join(one);
    return known;
  }

  static bool is(const Json& type, const Json& v) {
    if (type == "integer") return v.is_number() && v.get<double>() == std::floor(v.get<double>());
    if (type == "number") return v.is_number();
    if (type == "string") return v.is_string();
    if (type == "boolean") return v.is_boolean();
    if (type == "array") return v.is_array();
    if (type == "object") return v.is_object();
    throw std::logic_error("the validator does not know the type " + type.dump());
  }
  template <class F>
  static bool any(const Json& list, F&& f) {
    return std::any_of(list.begin(), list.end(), f);
  }
  template <class F>
  static bool all(const Json& list, F&& f) {
    return std::all_of(list.begin(), list.end(), f);
  }

  Json schema_;
};

}   // namespace stickslip
