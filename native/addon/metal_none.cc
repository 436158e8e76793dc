// Owns: the calls of metal.h in a binary that was built without Metal.
// Must not know: anything more.
#include "addon/metal.h"

namespace framelab {

Napi::Value metal_device(const Napi::CallbackInfo& info) {
  Napi::Object result = Napi::Object::New(info.Env());
  result.Set("reason", "built without Metal");
  return result;
}

Napi::Value metal_decode_batch(const Napi::CallbackInfo& info) {
  throw Napi::Error::New(info.Env(), "built without Metal");
}

}  // namespace framelab
