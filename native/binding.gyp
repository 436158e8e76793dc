# Owns: how the addon is compiled: one static library for each instruction set, one for the rest, one loadable module.
# Must not know: what the code does. Sources of a folder are listed by hand, so that a stray file is never compiled.
{
  "variables": {
    "framelab_version": "<!(node -p \"require('../package.json').version\")",
    "node_addon_api": "<!(node -p \"require('node-addon-api').include_dir\")",
  },
  "target_defaults": {
    "include_dirs": ["."],
    "cflags!": ["-fno-exceptions", "-O2"],
    "cflags": ["-O3", "-fvisibility=hidden"],
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
      "target_name": "framelab",
      "include_dirs": ["<(node_addon_api)"],
      "defines": [
        "NAPI_VERSION=9",
        "NAPI_CPP_EXCEPTIONS",
        "NODE_ADDON_API_DISABLE_DEPRECATED",
        "FRAMELAB_VERSION=\"<(framelab_version)\"",
      ],
      # The warnings are ours; the headers of Node-API are not.
      "cflags_cc": ["-Wno-conversion", "-Wno-shadow"],
      "sources": ["addon/addon.cc"],
    },
  ],
}
