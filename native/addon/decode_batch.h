// Owns: the JavaScript calls that decode a batch, or add up its frames.
// Must not know: how a chunk is decoded.
#pragma once
#include <napi.h>

#include <functional>
#include <memory>

#include "backends/batch.h"

namespace framelab {

/** decodeBatch(batch) -> Promise<{ state, refused, trailing }>; rejects with { errno } when the system fails.
 */
Napi::Value decode_batch(const Napi::CallbackInfo& info);

/** sumBatch(batch): as decodeBatch, but frames are added to the arrays of batch.sums, and kept nowhere. */
Napi::Value sum_batch(const Napi::CallbackInfo& info);

using MakeJob = std::function<std::shared_ptr<DecodeJob>(Batch batch, std::function<void()> settled)>;

/** As decodeBatch, with the job that `make` makes of the batch, whose steps one thread takes. */
Napi::Value decode_batch_with(const Napi::CallbackInfo& info, const MakeJob& make);

}  // namespace framelab
