// Owns: what the loaded module exports.
// Must not know: how a chunk is decoded. Only this folder sees Node-API.
#include <napi.h>

namespace {

Napi::Object init(Napi::Env env, Napi::Object exports) {
  exports.Set("version", Napi::String::New(env, FRAMELAB_VERSION));
  return exports;
}

}  // namespace

NODE_API_MODULE(framelab, init)
