// Owns: turning JavaScript values into checked native ones: a wrong value is a JavaScript error, never memory
// damage.
// Must not know: what the values mean.
#pragma once
#include <napi.h>

#include <cstdint>
#include <string>

namespace framelab {

/** A property that must be a whole number of 0 to `most`. */
std::uint64_t whole_number(const Napi::Object& from, const char* name, std::uint64_t most);

std::string text(const Napi::Object& from, const char* name);

/** A property that must be a typed array of this type with at least `elements` elements. */
template <class Array>
Array typed_array(const Napi::Object& from, const char* name, napi_typedarray_type type,
                  std::size_t elements) {
  const Napi::Value value = from.Get(name);
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != type ||
      value.As<Napi::TypedArray>().ElementLength() < elements) {
    throw Napi::TypeError::New(from.Env(),
                               std::string(name) + " is not a typed array of the right type and length");
  }
  return value.As<Array>();
}

/** Bytes of memory that JavaScript owns. */
struct Bytes {
  std::uint8_t* data;
  std::size_t size;
};

/** A property that must be an ArrayBuffer that is not detached. Works above 4 GiB. */
Bytes array_buffer(const Napi::Object& from, const char* name);

/** A property that must be a Uint8Array. */
Bytes byte_array(const Napi::Object& from, const char* name);

}  // namespace framelab
