// Owns: the JavaScript call that decodes a batch.
// Must not know: how a chunk is decoded.
#pragma once
#include <napi.h>

namespace framelab {

/** decodeBatch(batch) -> Promise<{ state, refused, trailing }>; rejects with { errno } when the system fails.
 */
Napi::Value decode_batch(const Napi::CallbackInfo& info);

}  // namespace framelab
