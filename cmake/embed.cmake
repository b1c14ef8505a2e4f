# Makes `const std::string& <function>()` of namespace stickslip, which returns the text of a file, part of a room; the file
# stays the one source of the text.
function(stickslip_embed room file function)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${file})
  file(READ ${PROJECT_SOURCE_DIR}/${file} text)
  set(output ${PROJECT_BINARY_DIR}/generated/${function}.cpp)
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT [=[
// Generated from @file@ by cmake/embed.cmake.
#include <string>

namespace stickslip {

const std::string& @function@() {
  static const std::string text = R"embedded(@text@)embedded";
  return text;
}

}  // namespace stickslip
]=])
  target_sources(room_${room} PRIVATE ${output})
  set_source_files_properties(${output} PROPERTIES UNITY_GROUP ${room})
endfunction()
