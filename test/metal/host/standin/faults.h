// Owns: the faults that a test can order from the stand-in device.
// Must not know: the host, how the device shows them.
#pragma once
#include <string>
#include <vector>

namespace standin {

// A text that the device compiles: the lane engine has its kernels, their names behind `prefix`.
struct Text {
    const char *source;
    std::string prefix;
};
// Made by the build.
const std::vector<Text> &texts();

struct Faults {
    bool no_device = false;
    bool no_list = false;            // MTLCopyAllDevices answers an empty list, the default device is there
    bool separate_memory = false;
    bool compile_error = false;
    bool warning_beside_library = false;
    bool no_pipeline = false;
    bool refuse_buffers = false;     // newBufferWithLength: nil
    bool refuse_no_copy = false;     // newBufferWithBytesNoCopy: nil
    bool empty_no_copy = false;      // … a buffer of length 0
    unsigned long most_buffer_bytes = 0;  // maxBufferLength; 0: its own
    unsigned long working_set_bytes = 0;  // recommendedMaxWorkingSetSize; 0: its own
    int simd_width = 32;
    int most_threads = 1024;
    int failing_commands = 0;        // so many command buffers end with `failure`
    const char *failure = "injected fault";
    bool never_ends = false;         // the completion handler is not called
    const char *wrong_kernel = nullptr;  // this kernel does nothing
    bool no_work = false;            // no kernel does anything: what is left is the host's own time
};
Faults &faults();
// Command buffers committed since the start.
long commands_committed();
// Command buffers that are committed and have not ended: now, and most of them since the last hold.
struct InFlight {
    int now;
    int most;
};
InFlight in_flight();
// While held no command buffer runs, as behind another program's long work.
void hold(bool all);
// Ends a hold and joins what `never_ends` left running.
void settle();
// Whether these bytes lie in one buffer that the device has allocated.
bool is_shared(const void *memory, unsigned long bytes);
// Memory of the host's own that a no-copy buffer lies over.
struct Window {
    const char *begin;
    unsigned long bytes;
};
// Of the buffers that are alive.
std::vector<Window> windows();

}  // namespace standin
