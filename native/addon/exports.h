// Owns: filling the exports of a module.
// Must not know: which module it is.
#pragma once
#include <napi.h>

namespace framelab {

/** Sets every call of the addon. */
Napi::Object init_exports(Napi::Env env, Napi::Object exports);

}  // namespace framelab
