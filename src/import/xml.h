// XML as the importers see it: a tree that remembers which of its elements and attributes were read.
//
// What nobody read when the import ends becomes a finding, so that nothing is lost silently.
#pragma once

#include <memory>
#include <optional>

#include "import/findings.h"
#include "stickslip/math/error.h"
#include "stickslip/math/types.h"

namespace stickslip::robot {

struct XmlAttribute {
  std::string name, value;
  int line = 0;
  mutable bool used = false;
};

struct XmlNode {
  std::string name;
  std::string text;   ///< of the element itself, trimmed
  std::string file;   ///< that it stands in, if that is not the file imported
  int line = 0;
  const XmlNode* parent = nullptr;
  std::vector<XmlAttribute> attributes;
  std::vector<std::unique_ptr<XmlNode>> children;
  mutable bool used = false;   ///< an importer knows this element; its attributes and children count for themselves
  mutable bool text_used = false;

  /// The value, which counts as read from now on; null if there is none.
  const std::string* find(std::string_view attribute) const;
  bool has(std::string_view attribute) const;   ///< does not count as reading
  /// @throws Error if it is missing
  const std::string& get(std::string_view attribute) const;
  /// First child of that name, or null. Does not count as reading.
  const XmlNode* child(std::string_view element) const;

  /// "line 12, joint 'elbow'"; the name is that of the next element above that has one.
  std::string place() const;
  /// @throws Error with the place
  [[noreturn]] void fail(const std::string& message) const;
  /// @throws Error with the place, the attribute and its value in front
  [[noreturn]] void fail(std::string_view attribute, const std::string& message) const;
  /// Runs `f`; an Error that it throws gets this place.
  template <class F>
  decltype(auto) within(F&& f) const {
    try {
      return f();
    } catch (const Error& e) {
      fail(e.what());
    }
  }
};

/// Numbers of an attribute, separated by white space. @throws Error if one is none, is not finite, or there are more or less
/// than asked for
std::vector<double> numbers_of(const XmlNode&, std::string_view attribute, const std::string& value, std::size_t least,
                               std::size_t most);

/// Reads a file. @throws Error naming file and line for broken XML
/// @param splice_includes <include file="…"/> is replaced by what the root element of that file contains
std::unique_ptr<XmlNode> load_xml(const std::filesystem::path&, bool splice_includes, std::string* text = nullptr);

/// The element and everything in it is accounted for by this one finding.
void account_for(const XmlNode&, Findings&, ImportFinding::Kind, const std::string& what);

/// One finding for every element and attribute below that nobody read.
void report_unread(const XmlNode&, Findings&);

}   // namespace stickslip::robot
