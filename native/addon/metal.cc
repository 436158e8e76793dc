// Owns: the calls of metal.h where there is Metal.
// Must not know: kernels, how a batch is cut, Objective-C.
#include "addon/metal.h"

#include <memory>
#include <utility>

#include "addon/decode_batch.h"
#include "backends/metal/batch.h"
#include "backends/metal/runtime.h"

namespace framelab {

Napi::Value metal_device(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const metal::Opened opened = metal::Runtime::shared().open();
  Napi::Object result = Napi::Object::New(env);
  if (opened.device == nullptr) {
    result.Set("reason", opened.why);
    return result;
  }
  const metal::DeviceFacts& facts = opened.device->facts();
  result.Set("name", facts.name);
  result.Set("design", opened.why);
  result.Set("maxBufferBytes", Napi::Number::New(env, static_cast<double>(facts.max_buffer_bytes)));
  result.Set("workingSetBytes", Napi::Number::New(env, static_cast<double>(facts.working_set_bytes)));
  return result;
}

Napi::Value metal_decode_batch(const Napi::CallbackInfo& info) {
  return decode_batch_with(info, [&info](Batch batch, std::function<void()> settled) {
    metal::Runtime& runtime = metal::Runtime::shared();
    const metal::Opened opened = runtime.open();
    if (opened.device == nullptr) throw Napi::Error::New(info.Env(), opened.why);
    const unsigned element = batch.format.filter_element_bytes;
    if (batch.format.layout != Layout::bitshuffle_lz4 || element > 4 || batch.format.swap_bytes != 0)
      throw Napi::RangeError::New(info.Env(), "no kernel decodes this format");
    return std::make_shared<metal::MetalBatchJob>(
        std::move(batch),
        metal::Machine{opened.device, opened.shelf, opened.design, runtime.pace(), runtime.wait_seconds()},
        std::move(settled));
  });
}

}  // namespace framelab
