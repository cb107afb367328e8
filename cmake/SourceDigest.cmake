# cmake -DOUTPUT=FILE -DLIST=FILE -P SourceDigest.cmake
#
# Writes a digest of the files that LIST names, one a line, as a C++ constant.
# The file is left alone where it would stay the same.

file(STRINGS ${LIST} files)
set(digests)
foreach(file ${files})
  file(SHA256 ${file} digest)
  string(APPEND digests "${digest}\n")
endforeach()
string(SHA256 digest "${digests}")
string(SUBSTRING ${digest} 0 32 digest)
file(CONFIGURE OUTPUT ${OUTPUT}
     CONTENT "static constexpr char kSourceDigest[] = \"${digest}\";\n")
