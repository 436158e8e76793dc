// Owns: the JavaScript calls that decode one chunk or one block at once, for tests of every instruction set.
// Must not know: how a chunk is decoded.
#pragma once
#include <napi.h>

namespace framelab {

/** decodeChunk(format and isa, filterMask, stored, out) -> number of the damage reason, 0 = none. */
Napi::Value decode_one_chunk(const Napi::CallbackInfo& info);

/** decodeBlock({ isa, stream, out }) -> number of the damage reason; `out` is written when there is none. */
Napi::Value decode_one_block(const Napi::CallbackInfo& info);

/** isas() -> [{ name, text, supported }], fastest first. */
Napi::Value list_isas(const Napi::CallbackInfo& info);

}  // namespace framelab
