// Owns: which memory native threads are writing now, so that it is not given back under them.
// Must not know: what is written.
#pragma once
#include <cstddef>
#include <cstdint>

namespace framelab {

/** Marks the bytes from `data` on as in use, for its own lifetime. Safe on any thread. */
class Pin {
 public:
  explicit Pin(const std::uint8_t* data);
  ~Pin();
  Pin(const Pin&) = delete;
  Pin& operator=(const Pin&) = delete;

 private:
  const std::uint8_t* data_;
};

/** Whether a pin lies in these bytes. */
bool is_pinned(const std::uint8_t* data, std::size_t bytes);

/** Leaves the memory that begins here mapped for ever: a GPU that does not answer may still write it. */
void abandon(const std::uint8_t* data);
bool is_abandoned(const std::uint8_t* data, std::size_t bytes);

}  // namespace framelab
