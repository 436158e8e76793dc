#!/bin/sh
# Owns: everything that is measured and proved on an NVIDIA GPU, in one command: bench/kernels/run.sh [OUT folder].
# Must not know: how. Needs nvcc and the generated files (node bench/kernels/generate.mjs, here or before the copy).
set -u
cd "$(dirname "$0")/../.." || exit 2
OUT=${1:-${OUT:-build/metal/results}}
GEN=build/metal/cuda
WORK=build/metal/cuda-build
mkdir -p "$OUT" "$WORK"
command -v node >/dev/null 2>&1 && node bench/kernels/generate.mjs
[ -f $GEN/shipped.cu ] || { echo "no generated kernels: run node bench/kernels/generate.mjs first and carry build/metal/cuda"; exit 2; }
FLAGS="-arch=${CUDA_ARCH:-sm_90} -std=c++17 -O3 -Itest/metal/cuda -Inative ${NVCC_FLAGS:-}"

echo "== build"
fail=0
pids=""
for f in $GEN/*.cu test/metal/cuda/*.cu bench/kernels/*.cu; do
  o=$WORK/$(basename "$f" .cu).o
  nvcc $FLAGS -c "$f" -o "$o" >"$o.log" 2>&1 &
  pids="$pids $!"
done
for f in test/metal/cases/*.cpp bench/kernels/*.cpp native/backends/metal/probe_answers.cc; do
  o=$(basename "$f")
  nvcc $FLAGS -Xcompiler -O3 -x c++ -c "$f" -o "$WORK/${o%.c*}.host.o" >"$WORK/$o.log" 2>&1 &
  pids="$pids $!"
done
for p in $pids; do wait "$p" || fail=1; done
[ $fail = 0 ] || { cat $WORK/*.log; exit 1; }
FORMS=""
for f in $GEN/*.cu; do [ "$f" = $GEN/shipped.cu ] || FORMS="$FORMS $WORK/$(basename "$f" .cu).o"; done
HOST="$WORK/batch.host.o $WORK/counts.host.o $WORK/damage.host.o $WORK/encode.host.o $WORK/reference.host.o"
SUITE="$WORK/suite.host.o $WORK/probe.host.o $WORK/probe_answers.host.o"
nvcc $FLAGS -o $WORK/check $WORK/check.o $WORK/machine_cuda.o $WORK/shipped.o $HOST $SUITE -lpthread || exit 1
nvcc $FLAGS -o $WORK/bench $WORK/bench.o $WORK/machine_cuda.o $WORK/shipped.o $FORMS $WORK/workload.host.o $WORK/rotation.host.o $HOST -lpthread || exit 1
nvcc $FLAGS -o $WORK/base_damage $WORK/base_damage.o $WORK/machine_cuda.o $WORK/shipped.o $FORMS $HOST -lpthread || exit 1

echo "== suite and fuzz on the GPU"
status=0
timeout 150 $WORK/check --fuzz=${FUZZ_BLOCKS:-240000} >"$OUT/check.log" 2>&1 || status=1
grep -v "^fuzz " "$OUT/check.log" | tail -20
grep -c "^fuzz u" "$OUT/check.log"

echo "== rotation"
timeout 150 $WORK/bench "$OUT/bench.json" "${LAUNCHES:-300}" >"$OUT/bench.log" 2>&1 || status=1
cat "$OUT/bench.log"

echo "== the base form on damage"
i=0
: >"$OUT/base-damage.jsonl"
one() {
  timeout 20 $WORK/base_damage "$1" "$2" 2>$WORK/damage.$1.$2.err >$WORK/damage.$1.$2 ||
    echo "{\"case\": $1, \"path\": \"$2\", \"stopped\": \"$(head -c 120 $WORK/damage.$1.$2.err | tr -d '\n\"')\"}" >$WORK/damage.$1.$2
}
while [ $i -lt 32 ]; do
  for path in uniform windowed scratch; do one $i $path & done
  [ $((i % 3)) = 2 ] && wait
  i=$((i + 1))
done
wait
cat $WORK/damage.*.uniform $WORK/damage.*.windowed $WORK/damage.*.scratch >"$OUT/base-damage.jsonl"
grep -c stopped "$OUT/base-damage.jsonl"

echo "== compute-sanitizer"
if command -v compute-sanitizer >/dev/null 2>&1; then
  for tool in memcheck racecheck; do
    timeout ${SANITIZER_SECONDS:-100} compute-sanitizer --tool $tool --error-exitcode 9 $WORK/check --small >"$OUT/$tool.log" 2>&1
    echo "$tool: exit $?: $(grep -E 'ERROR SUMMARY|RACECHECK SUMMARY|not supported|failures' "$OUT/$tool.log" | tr '\n' ' ')"
  done
else
  echo "compute-sanitizer: not on this machine"
fi
exit $status
