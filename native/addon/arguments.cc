// Owns: turning JavaScript values into checked native ones: a wrong value is a JavaScript error, never memory
// damage.
// Must not know: what the values mean.
#include "addon/arguments.h"

#include <cmath>

namespace framelab {

std::uint64_t whole_number(const Napi::Object& from, const char* name, std::uint64_t most) {
  const Napi::Value value = from.Get(name);
  const double number = value.IsNumber() ? value.As<Napi::Number>().DoubleValue() : -1;
  if (!(number >= 0) || number > 9007199254740991.0 || std::trunc(number) != number ||
      static_cast<std::uint64_t>(number) > most) {
    throw Napi::RangeError::New(from.Env(),
                                std::string(name) + " is not a whole number of 0 to " + std::to_string(most));
  }
  return static_cast<std::uint64_t>(number);
}

std::string text(const Napi::Object& from, const char* name) {
  const Napi::Value value = from.Get(name);
  if (!value.IsString()) throw Napi::TypeError::New(from.Env(), std::string(name) + " is not a string");
  return value.As<Napi::String>().Utf8Value();
}

Bytes array_buffer(const Napi::Object& from, const char* name) {
  const Napi::Value value = from.Get(name);
  void* data = nullptr;
  std::size_t size = 0;
  bool detached = false;
  if (!value.IsArrayBuffer() || napi_is_detached_arraybuffer(from.Env(), value, &detached) != napi_ok ||
      detached || napi_get_arraybuffer_info(from.Env(), value, &data, &size) != napi_ok) {
    throw Napi::TypeError::New(from.Env(), std::string(name) + " is not an ArrayBuffer in use");
  }
  return {static_cast<std::uint8_t*>(data), size};
}

Bytes byte_array(const Napi::Object& from, const char* name) {
  auto array = typed_array<Napi::Uint8Array>(from, name, napi_uint8_array, 0);
  return {array.Data(), array.ByteLength()};
}

}  // namespace framelab
