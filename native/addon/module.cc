// Owns: the module framelab.node.
// Must not know: what it exports.
#include "addon/exports.h"

namespace {
Napi::Object init_framelab(Napi::Env env, Napi::Object exports) {
  return framelab::init_exports(env, exports);
}
}  // namespace

NODE_API_MODULE(framelab, init_framelab)
