// Owns: the JavaScript call that reads a part of a file into the system's cache.
// Must not know: what the bytes are.
#include "addon/read_ahead.h"

#include <limits>

#include "addon/arguments.h"
#include "core/file.h"

namespace framelab {

namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 53;

/** Runs on one of the host's threads for calls that wait. */
class ReadAheadWorker : public Napi::AsyncWorker {
 public:
  ReadAheadWorker(Napi::Env env, int fd, std::uint64_t offset, std::size_t bytes)
      : Napi::AsyncWorker(env, "framelab.readAhead"),
        deferred_(Napi::Promise::Deferred::New(env)),
        fd_(fd),
        offset_(offset),
        bytes_(bytes) {}

  Napi::Promise promise() const { return deferred_.Promise(); }

 protected:
  void Execute() override { read_ahead(fd_, offset_, bytes_); }
  void OnOK() override { deferred_.Resolve(Env().Undefined()); }
  void OnError(const Napi::Error& error) override { deferred_.Reject(error.Value()); }

 private:
  Napi::Promise::Deferred deferred_;
  int fd_;
  std::uint64_t offset_;
  std::size_t bytes_;
};

}  // namespace

Napi::Value read_ahead_of_use(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (info.Length() != 1 || !info[0].IsObject()) throw Napi::TypeError::New(env, "one object is expected");
  const auto given = info[0].As<Napi::Object>();
  const auto fd = static_cast<int>(whole_number(given, "fd", std::numeric_limits<int>::max()));
  const std::uint64_t offset = whole_number(given, "offset", kMostBytes);
  const std::size_t bytes = whole_number(given, "bytes", kMostBytes);
  // Deletes itself when its promise is settled.
  auto* worker = new ReadAheadWorker(env, fd, offset, bytes);
  worker->Queue();
  return worker->promise();
}

}  // namespace framelab
