// Owns: standin.node: the addon over the stand-in device, and the calls with which a test orders its faults.
// Must not know: what a test checks. Never part of a package: scripts/metal-standin.mjs makes it under build/.
#include <string>

#include "addon/arguments.h"
#include "addon/exports.h"
#include "backends/metal/runtime.h"
#include "standin/faults.h"
#include "standin/reads.h"
#include "standin/runtime.h"

namespace {

bool flag(const Napi::Object &from, const char *name) { return from.Get(name).ToBoolean(); }

int number(const Napi::Object &from, const char *name, int otherwise) {
    return from.Has(name) ? from.Get(name).ToNumber().Int32Value() : otherwise;
}

// A word of the test's, kept for the life of the process.
const char *kept(const Napi::Object &from, const char *name) {
    return from.Has(name) ? (new std::string(from.Get(name).ToString().Utf8Value()))->c_str() : nullptr;
}

// standInFaults({ noDevice, … }): these faults and no others from now on; the next metalDevice() opens the device anew.
Napi::Value set_faults(const Napi::CallbackInfo &info) {
    standin::settle();
    const Napi::Object from = info[0].As<Napi::Object>();
    standin::Faults faults;
    faults.no_device = flag(from, "noDevice");
    faults.compile_error = flag(from, "compileError");
    faults.simd_width = number(from, "simdWidth", faults.simd_width);
    faults.most_buffer_bytes = static_cast<unsigned long>(number(from, "mostBufferBytes", 0));
    faults.working_set_bytes = static_cast<unsigned long>(number(from, "workingSetBytes", 0));
    faults.wrong_kernel = kept(from, "wrongKernel");
    standin::faults() = faults;
    framelab::metal::Runtime::shared().forget(number(from, "waitMs", 20000) / 1000.0);
    return info.Env().Undefined();
}

// standInBreak({ … }): faults that begin when the device is open.
Napi::Value set_running_faults(const Napi::CallbackInfo &info) {
    const Napi::Object from = info[0].As<Napi::Object>();
    standin::Faults &faults = standin::faults();
    faults.refuse_no_copy = flag(from, "refuseNoCopy");
    faults.refuse_buffers = flag(from, "refuseBuffers");
    faults.failing_commands = number(from, "failingCommands", 0);
    if (from.Has("failure")) faults.failure = kept(from, "failure");
    faults.never_ends = flag(from, "neverEnds");
    return info.Env().Undefined();
}

// standInCounts() -> { objects, commands }: objects alive, command buffers committed so far.
Napi::Value counts(const Napi::CallbackInfo &info) {
    standin::settle();
    Napi::Object result = Napi::Object::New(info.Env());
    result.Set("objects", Napi::Number::New(info.Env(), double(standin_live_objects())));
    result.Set("commands", Napi::Number::New(info.Env(), double(standin::commands_committed())));
    return result;
}

// standInHold(true): no command buffer runs until standInHold(false).
Napi::Value hold(const Napi::CallbackInfo &info) {
    standin::hold(info[0].ToBoolean());
    return info.Env().Undefined();
}

// standInFlow() -> { inFlight, mostInFlight, read, readStraight }: command buffers committed and not ended, now and most
// since the last hold; bytes that native code has read from files, and those of them read into the device's memory.
Napi::Value flow(const Napi::CallbackInfo &info) {
    const standin::InFlight queued = standin::in_flight();
    const standin::Reads reads = standin::reads();
    Napi::Object result = Napi::Object::New(info.Env());
    result.Set("inFlight", Napi::Number::New(info.Env(), queued.now));
    result.Set("mostInFlight", Napi::Number::New(info.Env(), queued.most));
    result.Set("read", Napi::Number::New(info.Env(), double(reads.bytes)));
    result.Set("readStraight", Napi::Number::New(info.Env(), double(reads.straight)));
    return result;
}

// standInWindows() -> [[begin, end], …]: addresses of the memory that no-copy buffers lie over now.
Napi::Value windows(const Napi::CallbackInfo &info) {
    Napi::Array result = Napi::Array::New(info.Env());
    for (const standin::Window &window : standin::windows()) {
        const auto begin = reinterpret_cast<uintptr_t>(window.begin);
        Napi::Array range = Napi::Array::New(info.Env(), 2);
        range.Set(0U, Napi::Number::New(info.Env(), double(begin)));
        range.Set(1U, Napi::Number::New(info.Env(), double(begin + window.bytes)));
        result.Set(result.Length(), range);
    }
    return result;
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
    exports.Set("standInFaults", Napi::Function::New(env, set_faults));
    exports.Set("standInBreak", Napi::Function::New(env, set_running_faults));
    exports.Set("standInCounts", Napi::Function::New(env, counts));
    exports.Set("standInHold", Napi::Function::New(env, hold));
    exports.Set("standInFlow", Napi::Function::New(env, flow));
    exports.Set("standInWindows", Napi::Function::New(env, windows));
    return framelab::init_exports(env, exports);
}

}  // namespace

NODE_API_MODULE(standin, init)
