// Owns: which memory native threads are writing now, so that it is not given back under them.
// Must not know: what is written.
#include "addon/pins.h"

#include <mutex>
#include <set>

namespace framelab {

namespace {

struct Pins {
  std::mutex mutex;
  std::multiset<const std::uint8_t*> at;
  std::set<const std::uint8_t*> abandoned;
};

/** Never destroyed: environments may end after static objects do. */
Pins& pins() {
  static Pins* const all = new Pins();
  return *all;
}

}  // namespace

Pin::Pin(const std::uint8_t* data) : data_(data) {
  const std::lock_guard<std::mutex> lock(pins().mutex);
  pins().at.insert(data);
}

Pin::~Pin() {
  const std::lock_guard<std::mutex> lock(pins().mutex);
  pins().at.erase(pins().at.find(data_));
}

bool is_pinned(const std::uint8_t* data, std::size_t bytes) {
  const std::lock_guard<std::mutex> lock(pins().mutex);
  const auto first = pins().at.lower_bound(data);
  return first != pins().at.end() && *first < data + bytes;
}

void abandon(const std::uint8_t* data) {
  const std::lock_guard<std::mutex> lock(pins().mutex);
  pins().abandoned.insert(data);
}

bool is_abandoned(const std::uint8_t* data, std::size_t bytes) {
  const std::lock_guard<std::mutex> lock(pins().mutex);
  const auto first = pins().abandoned.lower_bound(data);
  return first != pins().abandoned.end() && *first < data + bytes;
}

}  // namespace framelab
