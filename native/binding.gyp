# Owns: how the addon is compiled: one static library for each instruction set, one for the rest, one loadable module.
# Must not know: what the code does. Sources are listed by hand, so that a stray file is never compiled.
{
  "variables": {
    "framelab_version": "<!(node -p \"require('../package.json').version\")",
    "node_addon_api": "<!(node -p \"require('node-addon-api').include_dir\")",
    # Known false alarm of GCC 12 in its own AVX-512 headers; clang does not know the warning's name.
    "avx512_flags": [
      "-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mavx512vbmi", "-mgfni",
      "-Wno-unknown-warning-option", "-Wno-maybe-uninitialized",
    ],
  },
  "target_defaults": {
    "include_dirs": ["."],
    "cflags!": ["-O2"],
    "cflags": ["-O3", "-fPIC", "-fvisibility=hidden"],
    "cflags_cc!": ["-fno-exceptions", "-std=gnu++17", "-std=gnu++20"],
    "cflags_cc": ["-std=c++17", "-fexceptions", "-Wall", "-Wextra", "-Wshadow", "-Wconversion"],
    "xcode_settings": {
      "CLANG_CXX_LANGUAGE_STANDARD": "c++17",
      "GCC_ENABLE_CPP_EXCEPTIONS": "YES",
      "GCC_OPTIMIZATION_LEVEL": "3",
      "GCC_SYMBOLS_PRIVATE_EXTERN": "YES",
      "MACOSX_DEPLOYMENT_TARGET": "11.0",
      "WARNING_CFLAGS": ["-Wall", "-Wextra", "-Wshadow", "-Wconversion"],
    },
  },
  "targets": [
    {
      "target_name": "framelab_cpu",
      "type": "static_library",
      "sources": [
        "backends/batch.cc",
        "backends/cpu/batch.cc",
        "backends/cpu/chunk.cc",
        "backends/cpu/dispatch.cc",
        "backends/cpu/frame_sums.cc",
        "backends/cpu/kernels_portable.cc",
        "codecs/framing.cc",
        "core/file.cc",
        "core/mapping.cc",
        "core/pool.cc",
      ],
    },
    {
      "target_name": "framelab",
      "dependencies": ["framelab_cpu"],
      "include_dirs": ["<(node_addon_api)"],
      "defines": [
        "NAPI_VERSION=9",
        "NAPI_CPP_EXCEPTIONS",
        "NODE_ADDON_API_DISABLE_DEPRECATED",
        "FRAMELAB_VERSION=\"<(framelab_version)\"",
      ],
      # Warnings are for our code; node-addon-api's headers have some.
      "cflags_cc": ["-Wno-conversion", "-Wno-shadow"],
      "sources": [
        "addon/addon.cc",
        "addon/arguments.cc",
        "addon/decode_batch.cc",
        "addon/decode_one.cc",
        "addon/format_arguments.cc",
        "addon/memory.cc",
        "addon/module.cc",
        "addon/pins.cc",
        "addon/read_ahead.cc",
        "addon/sum_arguments.cc",
      ],
      "conditions": [
        ["target_arch=='x64'", {
          "dependencies": ["framelab_sse2", "framelab_avx2", "framelab_avx2_gfni", "framelab_avx512"],
        }],
        ["target_arch=='arm64'", {"dependencies": ["framelab_neon"]}],
        ["OS=='mac'", {
          "dependencies": ["framelab_metal"],
          "sources": ["addon/metal.cc"],
        }, {
          "sources": ["addon/metal_none.cc"],
        }],
      ],
    },
  ],
  "conditions": [
    ["OS=='mac'", {
      "targets": [
        {
          "target_name": "framelab_metal",
          "type": "static_library",
          "xcode_settings": {"CLANG_ENABLE_OBJC_ARC": "YES"},
          "sources": [
            "<(INTERMEDIATE_DIR)/kernel_text.cc",
            "backends/metal/batch.cc",
            "backends/metal/block_table.cc",
            "backends/metal/device.mm",
            "backends/metal/known_blocks.cc",
            "backends/metal/pipelines.mm",
            "backends/metal/probe_answers.cc",
            "backends/metal/runtime.cc",
            "backends/metal/self_test.cc",
            "backends/metal/slice.cc",
          ],
          # newLibraryWithSource has no include path: the kernels travel in the addon as one text.
          "actions": [
            {
              "action_name": "kernel_text",
              "inputs": ["<!@(node ../scripts/metal-source.mjs --list)", "../scripts/metal-source.mjs"],
              "outputs": ["<(INTERMEDIATE_DIR)/kernel_text.cc"],
              "action": ["node", "../scripts/metal-source.mjs", "--cpp", "<(INTERMEDIATE_DIR)/kernel_text.cc"],
            },
          ],
          # A plain process sees no Metal device unless CoreGraphics is loaded.
          "link_settings": {
            "libraries": ["-framework Foundation", "-framework Metal", "-framework CoreGraphics"],
          },
        },
      ],
    }],
    ["target_arch=='x64'", {
      "targets": [
        {
          "target_name": "framelab_sse2",
          "type": "static_library",
          "sources": ["backends/cpu/kernels_sse2.cc"],
        },
        {
          "target_name": "framelab_avx2",
          "type": "static_library",
          "cflags": ["-mavx2", "-mprfchw"],
          "xcode_settings": {"OTHER_CFLAGS": ["-mavx2", "-mprfchw"]},
          "sources": ["backends/cpu/kernels_avx2.cc"],
        },
        {
          "target_name": "framelab_avx2_gfni",
          "type": "static_library",
          "cflags": ["-mavx2", "-mgfni", "-mprfchw"],
          "xcode_settings": {"OTHER_CFLAGS": ["-mavx2", "-mgfni", "-mprfchw"]},
          "sources": ["backends/cpu/kernels_avx2_gfni.cc"],
        },
        {
          "target_name": "framelab_avx512",
          "type": "static_library",
          "cflags": ["<@(avx512_flags)"],
          "xcode_settings": {"OTHER_CFLAGS": ["<@(avx512_flags)"]},
          "sources": ["backends/cpu/kernels_avx512.cc"],
        },
      ],
    }],
    ["target_arch=='arm64'", {
      "targets": [
        {
          "target_name": "framelab_neon",
          "type": "static_library",
          "sources": ["backends/cpu/kernels_neon.cc"],
        },
      ],
    }],
  ],
}
