# Writes a C file that holds text files as arrays:  cmake -DOUT=FILE -DNAMES="a;b" -DFILES="x;y" -P EmbedText.cmake
# Each becomes `const char NAME[]`, NUL-terminated.
set(text "/* Generated from ${FILES}. */\n")
foreach(name file IN ZIP_LISTS NAMES FILES)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(REPLACE "0x0a," "0x0a,\n    " bytes "${bytes}") # a line each
  string(APPEND text "extern const char ${name}[];\nconst char ${name}[] = {\n    ${bytes}0};\n")
endforeach()
file(WRITE ${OUT} "${text}")
