// Owns: MSL text to a C++ (CPU) or CUDA translation unit; the tokens of the decoders stay as they are.
// Must not know: what the kernels do. The conventions it relies on are held by scripts/metal-check.mjs.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { kernels, THREADGROUP_ARRAY, withoutComments } from "./metal-signatures.mjs";
import { metalSource } from "./metal-source.mjs";

/** What a built-in parameter is on each target; `type` is the parameter's own. */
const BUILT_INS = {
  cpu: {
    threadgroup_position_in_grid: (type) => `${type}(ids.group)`,
    thread_index_in_simdgroup: (type) => `${type}(ids.index % ::simt::kWidth)`,
    thread_index_in_threadgroup: (type) => `${type}(ids.index)`,
    simdgroup_index_in_threadgroup: (type) => `${type}(ids.index / ::simt::kWidth)`,
    threads_per_threadgroup: (type) => `${type}(ids.threads)`,
    threads_per_simdgroup: (type) => `${type}(::simt::kWidth)`,
  },
  cuda: {
    threadgroup_position_in_grid: (type) => `${type}(blockIdx.x)`,
    thread_index_in_simdgroup: (type) => `${type}(threadIdx.x & 31u)`,
    thread_index_in_threadgroup: (type) => `${type}(threadIdx.x)`,
    simdgroup_index_in_threadgroup: (type) => `${type}(threadIdx.x >> 5)`,
    threads_per_threadgroup: (type) => `${type}(blockDim.x)`,
    threads_per_simdgroup: (type) => `${type}(32)`,
  },
};

const bareType = (type) =>
  type
    .replace(/\b(device|constant|threadgroup|const)\b/g, "")
    .replace(/[&*]\s*$/, "")
    .trim();

function builtIn(target, p) {
  const make = BUILT_INS[target][p.attribute];
  if (!make) throw new Error(`no ${target} form of [[${p.attribute}]]`);
  return make(p.type);
}

/** Replaces matches found in the comment-free text, comments left where they were. */
function replaceOutsideComments(text, pattern, replacement) {
  const plain = withoutComments(text);
  let out = "";
  let from = 0;
  for (const m of plain.matchAll(pattern)) {
    out += text.slice(from, m.index) + replacement(m);
    from = m.index + m[0].length;
  }
  return out + text.slice(from);
}

const arraysToMacro = (text) =>
  replaceOutsideComments(
    text,
    THREADGROUP_ARRAY,
    ([, type, name, length]) => `MSL_THREADGROUP_ARRAY(${type}, ${name}, (${length}));`,
  );

function cpuThunk(kernel, prefix) {
  const argument = (p) => {
    if (p.attribute !== "buffer") return builtIn("cpu", p);
    const type = bareType(p.type);
    return p.reference
      ? `*static_cast<const ${type} *>(buffers[${p.index}])`
      : `static_cast<${type} *>(buffers[${p.index}])`;
  };
  return (
    `static void thunk_${kernel.name}(void *const *buffers, const ::simt::Ids &ids) {\n` +
    `    (void)ids;\n    ${kernel.name}(${kernel.parameters.map(argument).join(", ")});\n}\n` +
    `static const ::simt::Registration register_${kernel.name}("${prefix}${kernel.name}", ${kernel.threads}, thunk_${kernel.name});\n`
  );
}

/**
 * A C++ unit that registers every kernel with the lane engine of test/metal/simt, under its name behind `prefix`. A
 * program may hold several texts.
 */
export function generateCpu(text, prefix = "") {
  const thunks = kernels(text).map((kernel) => cpuThunk(kernel, prefix));
  return `#include <metal_stdlib>\nnamespace {\n${arraysToMacro(text)}\n${thunks.join("")}}\n`;
}

// CUDA's own headers expand through the words `device` and `constant`, so these cannot be macros there.
const CUDA_WORDS = /\b(?:device|constant|thread|threadgroup)\b(?=[\s\w])|^(?:static(?: inline)?|kernel)\b/gm;
const cudaWord = ([word]) =>
  word.startsWith("static")
    ? "static __device__ __forceinline__"
    : word === "kernel"
      ? "static __device__ __forceinline__"
      : word === "constant"
        ? "const"
        : "";

function cudaThunk(kernel, prefix) {
  const buffers = kernel.parameters.filter((p) => p.attribute === "buffer");
  const declared = buffers.map((p) => {
    const read = /\bconst\b/.test(p.type) ? "const " : "";
    return p.reference
      ? `const ${bareType(p.type)} ${p.name}`
      : `${read}${bareType(p.type)} *__restrict__ ${p.name}`;
  });
  const passed = kernel.parameters.map((p) => (p.attribute === "buffer" ? p.name : builtIn("cuda", p)));
  const bounds = kernel.threads === 32 ? "32, 20" : `${kernel.threads}`;
  return (
    `extern "C" __global__ void __launch_bounds__(${bounds}) ${prefix}${kernel.name}(${declared.join(", ")}) {\n` +
    `    ${kernel.name}(${passed.join(", ")});\n}\n`
  );
}

/** The table through which a host program finds the kernels of one text: test/metal/cuda/kernels.h. */
function cudaTable(names, threads, form) {
  const rows = names.map((name, i) => `    {"${name}", (const void *)${form}_${name}, ${threads[i]}},\n`);
  return `static const cuda::Kernel table_${form}[] = {\n${rows.join("")}};\nstatic const cuda::Registration registration_${form}("${form}", table_${form}, ${names.length});\n`;
}

/**
 * A CUDA unit with one __global__ function a kernel, named `form` + "_" + kernel; `constant` references become by-value
 * parameters. `only` limits the kernels.
 */
export function generateCuda(text, { form = "shipped", only = /./ } = {}) {
  const attributes = /\[\[\s*max_total_threads_per_threadgroup\s*\(\s*\d+\s*\)\s*\]\]/g;
  const body = replaceOutsideComments(
    replaceOutsideComments(arraysToMacro(text), attributes, () => ""),
    CUDA_WORDS,
    cudaWord,
  )
    .replace(/\[\[[^\]]*\]\]/g, "")
    .replace(/^#include <metal_stdlib>$/m, "")
    .replace(/^using namespace metal;$/m, "");
  const chosen = kernels(text).filter((k) => only.test(k.name));
  const table = cudaTable(
    chosen.map((k) => k.name),
    chosen.map((k) => k.threads),
    form,
  );
  return (
    `#include <metal_stdlib>\n#include "kernels.h"\nnamespace msl_${form} {\nusing namespace metal;\n${body}\n` +
    `${chosen.map((k) => cudaThunk(k, `${form}_`)).join("")}${table}}\n`
  );
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [, , target, out, from] = process.argv;
  if (!["cpu", "cuda"].includes(target) || !out) {
    console.error("usage: node scripts/metal-generate.mjs cpu|cuda OUT [FILE.metal]");
    process.exit(2);
  }
  const text = from ? readFileSync(from, "utf8") : metalSource();
  mkdirSync(dirname(resolve(out)), { recursive: true });
  writeFileSync(out, target === "cpu" ? generateCpu(text) : generateCuda(text));
}
