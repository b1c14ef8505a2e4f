# Run by cmake/web.cmake while building: the page becomes a C++ text.
file(READ ${INPUT} page)
file(WRITE ${OUTPUT} "// Generated from the page of the viewer.\n#include \"record/viewer_page.h\"\n\nnamespace stickslip {\n\nstd::string_view viewer_page() {\n  return R\"viewerpage(${page})viewerpage\";\n}\n\n}  // namespace stickslip\n")
