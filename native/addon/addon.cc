// Owns: what a loaded module exports.
// Must not know: how a chunk is decoded. Only this folder sees Node-API.
#include "addon/exports.h"

#include <exception>

#include "addon/decode_batch.h"
#include "addon/decode_one.h"
#include "addon/memory.h"
#include "addon/metal.h"
#include "addon/read_ahead.h"

namespace framelab {

namespace {

using Call = Napi::Value (*)(const Napi::CallbackInfo&);

/** Turns what C++ throws (lack of memory or of threads) into a JavaScript error: nothing else may cross. */
template <Call kCall>
Napi::Value guarded(const Napi::CallbackInfo& info) {
  try {
    return kCall(info);
  } catch (const Napi::Error&) {
    throw;
  } catch (const std::exception& error) {
    throw Napi::Error::New(info.Env(), error.what());
  }
}

template <Call kCall>
void define(Napi::Env env, Napi::Object& exports, const char* name) {
  exports.Set(name, Napi::Function::New(env, guarded<kCall>, name));
}

}  // namespace

Napi::Object init_exports(Napi::Env env, Napi::Object exports) {
  exports.Set("version", FRAMELAB_VERSION);
  define<list_isas>(env, exports, "isas");
  define<decode_batch>(env, exports, "decodeBatch");
  define<sum_batch>(env, exports, "sumBatch");
  define<decode_one_chunk>(env, exports, "decodeChunk");
  define<decode_one_block>(env, exports, "decodeBlock");
  define<read_ahead_of_use>(env, exports, "readAhead");
  define<allocate_memory>(env, exports, "allocateMemory");
  define<advise_memory>(env, exports, "adviseMemory");
  define<release_memory>(env, exports, "releaseMemory");
  define<keep_memory>(env, exports, "keepMemory");
  define<mapped_bytes>(env, exports, "mappedBytes");
  define<metal_device>(env, exports, "metalDevice");
  define<metal_decode_batch>(env, exports, "metalDecodeBatch");
  return exports;
}

}  // namespace framelab
