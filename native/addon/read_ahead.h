// Owns: the JavaScript call that reads a part of a file into the system's cache.
// Must not know: what the bytes are.
#pragma once
#include <napi.h>

namespace framelab {

/** readAhead({ fd, offset, bytes }) -> Promise: resolves when that was tried; `fd` stays open until then. */
Napi::Value read_ahead_of_use(const Napi::CallbackInfo& info);

}  // namespace framelab
