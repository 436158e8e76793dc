// Owns: the JavaScript calls that decode a batch, or add up its frames: arguments in, a promise out, and the life of everything in
// between.
// Must not know: how a chunk is decoded.
//
// Life. `Pending` belongs to its thread-safe function and is deleted by that function's finalizer, on the
// JavaScript thread, after the last pool thread has let go of the batch: after the promise is settled, or
// while the environment (a worker, or the process) is torn down with the batch still running. Its references
// keep the memory that pool threads read and write alive until then.
#include "addon/decode_batch.h"

#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "addon/arguments.h"
#include "addon/format_arguments.h"
#include "addon/pins.h"
#include "addon/sum_arguments.h"
#include "backends/cpu/batch.h"

namespace framelab {

namespace {

constexpr unsigned kMostThreads = 256;
constexpr std::size_t kControlWords = 4;

struct Pending {
  Pending(Napi::Env env, const Batch& batch)
      : deferred(Napi::Promise::Deferred::New(env)), output(batch.output) {
    if (batch.output != nullptr) output_pin.emplace(batch.output);
    if (batch.memory != nullptr) memory_pin.emplace(batch.memory);
  }

  Napi::Promise::Deferred deferred;
  const std::uint8_t* output;
  /** What threads read and write. */
  std::vector<Napi::ObjectReference> kept;
  std::optional<Pin> output_pin;
  std::optional<Pin> memory_pin;
  std::shared_ptr<DecodeJob> job;
};

Napi::Value status_object(Napi::Env env, const BatchOutcome& outcome) {
  Napi::Object status = Napi::Object::New(env);
  status.Set("state", outcome.cancelled ? "cancelled" : "done");
  status.Set("trailing", Napi::Number::New(env, static_cast<double>(outcome.trailing)));
  if (outcome.copied > 0) status.Set("copied", Napi::Number::New(env, static_cast<double>(outcome.copied)));
  if (!outcome.any_refused) {
    status.Set("refused", env.Null());
  } else {
    Napi::Uint8Array refused = Napi::Uint8Array::New(env, outcome.refused.size());
    std::memcpy(refused.Data(), outcome.refused.data(), outcome.refused.size());
    status.Set("refused", refused);
  }
  return status;
}

/** On the JavaScript thread; `raw_env` is null when the environment is already being torn down. */
void settle(napi_env raw_env, napi_value, void* context, void*) {
  if (raw_env == nullptr) return;
  const Napi::Env env(raw_env);
  const Napi::HandleScope scope(env);
  auto& pending = *static_cast<Pending*>(context);
  if (pending.job->outcome().lost) abandon(pending.output);
  // No thread reads or writes any more: whoever awaits the promise may give the memory back at once.
  pending.output_pin.reset();
  pending.memory_pin.reset();
  try {
    const BatchOutcome& outcome = pending.job->outcome();
    if (!outcome.failure.empty()) {
      Napi::Error error = Napi::Error::New(env, outcome.failure);
      error.Set("lost", Napi::Boolean::New(env, outcome.lost));
      pending.deferred.Reject(error.Value());
    } else if (outcome.error != 0) {
      Napi::Error error = Napi::Error::New(env, std::strerror(outcome.error));
      error.Set("errno", Napi::Number::New(env, outcome.error));
      pending.deferred.Reject(error.Value());
    } else {
      pending.deferred.Resolve(status_object(env, outcome));
    }
  } catch (const Napi::Error& error) {
    pending.deferred.Reject(error.Value());
  }
}

/** On the JavaScript thread. */
void finalize(napi_env, void*, void* context) {
  const std::unique_ptr<Pending> pending(static_cast<Pending*>(context));
  if (pending->job) {
    pending->job->cancel();
    pending->job->wait();
  }
}

/** The last that a pool thread does for a batch. */
void announce(napi_threadsafe_function to_javascript) {
  const napi_status status = napi_call_threadsafe_function(to_javascript, nullptr, napi_tsfn_nonblocking);
  // A closing function has already taken this thread off its list.
  if (status != napi_closing) napi_release_threadsafe_function(to_javascript, napi_tsfn_release);
}

/** Numbers that no file holds become one that is past every file: the chunk is refused as such. */
std::uint64_t position(double v) {
  return v >= 0 && v <= 9007199254740991.0 && v == static_cast<double>(static_cast<std::uint64_t>(v))
             ? static_cast<std::uint64_t>(v)
             : UINT64_MAX;
}

std::vector<ChunkPlace> chunk_places(const Napi::Object& from) {
  const std::size_t count = whole_number(from, "count", INT32_MAX);
  const auto address = typed_array<Napi::Float64Array>(from, "address", napi_float64_array, count);
  const auto stored = typed_array<Napi::Float64Array>(from, "storedBytes", napi_float64_array, count);
  const auto mask = typed_array<Napi::Uint32Array>(from, "filterMask", napi_uint32_array, count);
  std::vector<ChunkPlace> places;
  places.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    places.push_back({position(address.Data()[i]), position(stored.Data()[i]), mask.Data()[i],
                      static_cast<std::uint32_t>(i), 0});
  }
  return places;
}

void read_targets(const Napi::Object& from, std::vector<ChunkPlace>& places, std::size_t chunk_bytes,
                  std::size_t output_bytes) {
  const auto target = typed_array<Napi::Float64Array>(from, "target", napi_float64_array, places.size());
  for (ChunkPlace& place : places) {
    const std::uint64_t at = position(target.Data()[place.index]);
    if (chunk_bytes > output_bytes || at > output_bytes - chunk_bytes) {
      throw Napi::RangeError::New(
          from.Env(), "target of chunk " + std::to_string(place.index) + " lies outside the output");
    }
    place.target = static_cast<std::size_t>(at);
  }
}

/** Memory of JavaScript: `bytes` from `start` on, inside the buffer. */
Bytes memory_argument(const Napi::Object& from) {
  const Bytes buffer = array_buffer(from, "buffer");
  const std::size_t start = whole_number(from, "start", buffer.size);
  return {buffer.data + start, static_cast<std::size_t>(whole_number(from, "bytes", buffer.size - start))};
}

bool in_memory(const Napi::Object& from) { return from.Get("memory").IsObject(); }

Batch batch_argument(const Napi::Object& from) {
  Batch batch{};
  if (in_memory(from)) {
    const Bytes memory = memory_argument(from.Get("memory").As<Napi::Object>());
    batch.memory = memory.data;
    batch.fd = -1;
    batch.file_bytes = memory.size;
  } else {
    batch.fd = static_cast<int>(whole_number(from, "fd", INT32_MAX));
    batch.file_bytes = whole_number(from, "fileBytes", UINT64_MAX);
  }
  batch.format = format_argument(from);
  batch.kernels = &kernels_argument(from);
  batch.chunks = chunk_places(from);
  auto words = typed_array<Napi::Int32Array>(from, "words", napi_int32_array, kControlWords);
  batch.control = {words.Data(), words.Data() + 1, words.Data() + 2};
  return batch;
}

Napi::ObjectReference kept(const Napi::Object& from, const char* name) {
  return Napi::Persistent(from.Get(name).As<Napi::Object>());
}

Napi::Object only_argument(const Napi::CallbackInfo& info) {
  if (info.Length() == 1 && info[0].IsObject()) return info[0].As<Napi::Object>();
  throw Napi::TypeError::New(info.Env(), "one object is expected");
}

/** Runs a batch on `parallel` threads of the pool; `written` are the arrays that it writes to. */
Napi::Value submit(const Napi::Object& from, Batch batch, std::vector<Napi::ObjectReference> written,
                   unsigned parallel, const MakeJob& make) {
  const Napi::Env env = from.Env();
  auto owned = std::make_unique<Pending>(env, batch);
  owned->kept = std::move(written);
  owned->kept.push_back(kept(from, "words"));
  if (in_memory(from)) owned->kept.push_back(kept(from.Get("memory").As<Napi::Object>(), "buffer"));
  const Napi::Promise promise = owned->deferred.Promise();
  const napi_value name = Napi::String::New(env, "framelab decode");
  napi_threadsafe_function to_javascript = nullptr;
  if (napi_create_threadsafe_function(env, nullptr, nullptr, name, 0, 1, nullptr, finalize, owned.get(),
                                      settle, &to_javascript) != napi_ok) {
    throw Napi::Error::New(env, "a thread-safe function cannot be created");
  }
  Pending& pending = *owned.release();
  try {
    auto job = make(std::move(batch), [to_javascript] { announce(to_javascript); });
    Pool::shared().submit(job, parallel);
    pending.job = std::move(job);
  } catch (...) {
    // Nothing runs: the function alone is left, and its finalizer deletes the rest.
    napi_release_threadsafe_function(to_javascript, napi_tsfn_abort);
    throw;
  }
  return promise;
}

Napi::Value submit_to_cpu(const Napi::Object& from, Batch batch, std::vector<Napi::ObjectReference> written) {
  const auto threads = static_cast<unsigned>(whole_number(from, "threads", kMostThreads));
  if (threads == 0) throw Napi::RangeError::New(from.Env(), "threads is 0");
  return submit(from, std::move(batch), std::move(written), threads,
                [threads](Batch taken, std::function<void()> settled) {
                  return std::make_shared<BatchJob>(std::move(taken), threads, std::move(settled));
                });
}

/** A batch with the output that it is decoded to. */
Batch output_batch(const Napi::Object& from, std::vector<Napi::ObjectReference>& written) {
  Batch batch = batch_argument(from);
  const Bytes output = memory_argument(from);
  batch.output = output.data;
  read_targets(from, batch.chunks, batch.format.chunk_bytes, output.size);
  written.push_back(kept(from, "buffer"));
  return batch;
}

}  // namespace

Napi::Value decode_batch(const Napi::CallbackInfo& info) {
  const Napi::Object from = only_argument(info);
  std::vector<Napi::ObjectReference> written;
  Batch batch = output_batch(from, written);
  return submit_to_cpu(from, std::move(batch), std::move(written));
}

Napi::Value decode_batch_with(const Napi::CallbackInfo& info, const MakeJob& make) {
  const Napi::Object from = only_argument(info);
  std::vector<Napi::ObjectReference> written;
  Batch batch = output_batch(from, written);
  return submit(from, std::move(batch), std::move(written), 1, make);
}

Napi::Value sum_batch(const Napi::CallbackInfo& info) {
  const Napi::Object from = only_argument(info);
  Batch batch = batch_argument(from);
  const Napi::Value sums = from.Get("sums");
  if (!sums.IsObject()) throw Napi::TypeError::New(info.Env(), "sums is not an object");
  SumArgument argument = sum_argument(sums.As<Napi::Object>(), batch.chunks.size(), batch.format.chunk_bytes);
  batch.sums = open_frame_sums(std::move(argument.plan));
  return submit_to_cpu(from, std::move(batch), std::move(argument.arrays));
}

}  // namespace framelab
