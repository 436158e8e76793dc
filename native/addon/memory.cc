// Owns: the JavaScript calls for output memory.
// Must not know: frames.
#include "addon/memory.h"

#include <memory>

#include "addon/arguments.h"
#include "addon/pins.h"
#include "core/mapping.h"

namespace framelab {

namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 53;
constexpr std::size_t kPageAlignment = 16384;

void give_back(napi_env, void*, void* hint) {
  const std::unique_ptr<Mapping> mapping(static_cast<Mapping*>(hint));
  if (!is_abandoned(mapping->data, mapping->size)) Mappings::shared().give(*mapping);
}

Napi::Object wrapped(const Napi::CallbackInfo& info, const char* name) {
  Napi::Object from = Napi::Object::New(info.Env());
  from.Set(name, info.Length() > 0 ? info[0] : info.Env().Undefined());
  return from;
}

}  // namespace

Napi::Value allocate_memory(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const std::size_t bytes = whole_number(wrapped(info, "bytes"), "bytes", kMostBytes);
  auto mapping = std::make_unique<Mapping>(Mappings::shared().take(bytes));
  const bool zeroed = mapping->zeroed;
  napi_value buffer = nullptr;
  // The C call: the C++ wrapper ends the process where the host refuses (above 4 GiB, or no outside memory at
  // all).
  if (napi_create_external_arraybuffer(env, mapping->data, bytes, give_back, mapping.get(), &buffer) !=
      napi_ok) {
    Mappings::shared().give(*mapping);
    if (env.IsExceptionPending()) env.GetAndClearPendingException();
    return env.Null();
  }
  mapping.release();
  Napi::Object result = Napi::Object::New(env);
  result.Set("buffer", Napi::Value(env, buffer));
  result.Set("zeroed", zeroed);
  return result;
}

Napi::Value advise_memory(const Napi::CallbackInfo& info) {
  const Bytes bytes = array_buffer(wrapped(info, "buffer"), "buffer");
  advise_huge_pages(bytes.data, bytes.size);
  const auto address = reinterpret_cast<std::uintptr_t>(bytes.data);
  return Napi::Number::New(info.Env(),
                           static_cast<double>((kPageAlignment - address % kPageAlignment) % kPageAlignment));
}

Napi::Value release_memory(const Napi::CallbackInfo& info) {
  const Bytes bytes = array_buffer(wrapped(info, "buffer"), "buffer");
  if (is_pinned(bytes.data, bytes.size)) throw Napi::Error::New(info.Env(), "buffer is being decoded into");
  if (napi_detach_arraybuffer(info.Env(), info[0]) != napi_ok) {
    throw Napi::Error::New(info.Env(), "buffer cannot be detached");
  }
  return info.Env().Undefined();
}

Napi::Value keep_memory(const Napi::CallbackInfo& info) {
  Mappings::shared().keep_at_most(whole_number(wrapped(info, "bytes"), "bytes", kMostBytes));
  return info.Env().Undefined();
}

Napi::Value mapped_bytes(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(Mappings::shared().mapped_bytes()));
}

}  // namespace framelab
