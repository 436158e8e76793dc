// Owns: the decode bench's one process: every contender on every data set, verified, then timed in turn.
// Must not know: who the contenders are, what their figures mean.
//
//   decode-bench <plan file>                        one JSON line for each data set, contender and thread
//   decode-bench encode <library> <raw> <chunks> <frame bytes> <element bytes> <block elements, 0: the default>
#include <dlfcn.h>

#include <cstdio>

#include "set_bench.h"

namespace bench {
namespace {

void* open_library(const std::string& path) {
  // Lazily: a library's functions for other formats need libraries that are not there, and are never called.
  void* const library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  return library;
}

template <class Function>
Function* find_function(void* library, const char* name) {
  Function* const function = reinterpret_cast<Function*>(dlsym(library, name));
  if (function == nullptr) throw std::runtime_error(dlerror());
  return function;
}

std::vector<Contender> open_contenders(const Plan& plan) {
  std::vector<Contender> contenders;
  for (const ContenderSpec& spec : plan.contenders) {
    const bench_decoder decoder = find_function<bench_decoder(const char*)>(
        open_library(spec.library), "bench_find")(spec.variant.c_str());
    if (decoder.decode == nullptr) {
      std::printf("{\"skipped\":\"%s\"}\n", spec.name.c_str());
      continue;
    }
    contenders.push_back({spec, decoder});
  }
  return contenders;
}

void run_plan(const std::string& path) {
  const Plan plan = read_plan(path);
  const std::vector<Contender> contenders = open_contenders(plan);
  std::vector<std::unique_ptr<Crew>> crews;
  for (const unsigned threads : plan.threads) crews.push_back(std::make_unique<Crew>(threads));
  for (const SetSpec& spec : plan.sets) {
    const DataSet set(spec.name, spec.element_bytes, spec.frame_bytes, spec.raw_path, spec.chunk_path);
    SetBench(set, plan, contenders, crews).run();
  }
}

void encode(const std::string& library_path, const std::string& raw_path, const std::string& chunk_path,
            std::size_t frame_bytes, unsigned element_bytes, std::size_t block_elements) {
  void* const library = open_library(library_path);
  const auto encode_frame = find_function<decltype(bench_encode)>(library, "bench_encode");
  const Bytes raw = read_file(raw_path);
  const auto bound = find_function<decltype(bench_encode_bound)>(library, "bench_encode_bound");
  Bytes chunk(bound(frame_bytes, element_bytes, block_elements));
  std::ofstream out(chunk_path, std::ios::binary);
  for (std::size_t at = 0; at + frame_bytes <= raw.size(); at += frame_bytes) {
    const std::size_t bytes =
        encode_frame(raw.data() + at, frame_bytes, element_bytes, block_elements, chunk.data());
    if (bytes == 0) throw std::runtime_error("the encoder failed on " + raw_path);
    for (unsigned shift = 0; shift < 32; shift += 8) out.put(static_cast<char>(bytes >> shift & 0xFF));
    out.write(reinterpret_cast<const char*>(chunk.data()), static_cast<std::streamsize>(bytes));
  }
  if (!out.flush()) throw std::runtime_error("cannot write " + chunk_path);
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    if (arguments.size() == 1) {
      bench::run_plan(arguments[0]);
    } else if (arguments.size() == 7 && arguments[0] == "encode") {
      bench::encode(arguments[1], arguments[2], arguments[3], std::stoull(arguments[4]),
                    static_cast<unsigned>(std::stoul(arguments[5])), std::stoull(arguments[6]));
    } else {
      throw std::runtime_error(
          "usage: decode-bench <plan> | encode <library> <raw> <chunks> <frame bytes> <bytes> <elements>");
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "decode-bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
