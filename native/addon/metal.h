// Owns: the JavaScript calls for the GPU. One of metal.cc and metal_none.cc answers them.
// Must not know: kernels, how a batch is cut.
#pragma once
#include <napi.h>

namespace framelab {

/** metalDevice() -> { name, design, maxBufferBytes, workingSetBytes }, or { reason }. Opens it at first use. */
Napi::Value metal_device(const Napi::CallbackInfo& info);

/** metalDecodeBatch(batch): as decodeBatch, on the GPU; rejects with an Error without `errno` when the GPU fails. */
Napi::Value metal_decode_batch(const Napi::CallbackInfo& info);

}  // namespace framelab
