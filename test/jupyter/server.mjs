// Owns: a JupyterLab server on a copy of our notebooks, with the project's kernel and nothing of the user's settings.
// Must not know: what is looked at.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
export const venvBin = join(root, "build", "jupyter", "bin");

/** The repository's notebooks, by name without `.ipynb`. */
export const notebookNames = readdirSync(join(root, "notebooks"))
  .filter((name) => name.endsWith(".ipynb"))
  .map((name) => name.replace(/\.ipynb$/, ""))
  .sort();

/** Environment of Jupyter programs: settings, trust and connection files in `folder`, our kernel, no other. */
export function jupyterEnvironment(folder) {
  const env = { ...process.env };
  // Inside a test run Node tells its children so, and a kernel is none of them.
  for (const name of Object.keys(env))
    if (/^(JUPYTER|IPYTHON|NODE_TEST_CONTEXT)/.test(name)) delete env[name];
  return {
    ...env,
    HOME: join(folder, "home"),
    JUPYTER_CONFIG_DIR: join(folder, "config"),
    JUPYTER_DATA_DIR: join(folder, "data"),
    JUPYTER_RUNTIME_DIR: join(folder, "runtime"),
    JUPYTER_PATH: join(root, ".kernels"),
  };
}

/** A folder that looks like the repository to its notebooks; they are copies, because saving one must not change ours. */
export function copyProject(folder) {
  mkdirSync(join(folder, "notebooks", "node_modules"), { recursive: true });
  for (const name of notebookNames) {
    copyFileSync(join(root, "notebooks", `${name}.ipynb`), join(folder, "notebooks", `${name}.ipynb`));
  }
  for (const name of ["demo", "scripts", "node_modules"])
    symlinkSync(join(root, name), join(folder, name), "dir");
  symlinkSync(root, join(folder, "notebooks", "node_modules", "framelab"), "dir");
}

/** JupyterLab asks a new user whether it may fetch news; its box would cover the page. */
function answerNews(folder) {
  const settings = join(folder, "config", "lab", "user-settings", "@jupyterlab", "apputils-extension");
  mkdirSync(settings, { recursive: true });
  const answer = { fetchNews: "false", checkForUpdates: false };
  writeFileSync(join(settings, "notification.jupyterlab-settings"), JSON.stringify(answer));
}

/**
 * Starts a program of the venv whose children end with this process, however it ends: see keeper.mjs. `folder` holds its
 * settings and is removed at the end.
 */
function startKept(folder, program, args, more = {}) {
  mkdirSync(join(folder, "runtime"), { recursive: true });
  mkdirSync(join(folder, "home"), { recursive: true });
  const keeper = join(root, "test", "jupyter", "keeper.mjs");
  return spawn(process.execPath, [keeper, folder, join(venvBin, program), ...args], {
    detached: true, // An interrupt of the terminal must not take the keeper along.
    env: { ...jupyterEnvironment(folder), ...more },
    stdio: ["pipe", "ignore", "pipe"],
  });
}

/** Runs a program of the venv to its end; its kernels end with it. */
export async function runJupyter(program, args) {
  const keeper = startKept(mkdtempSync(join(tmpdir(), "framelab-jupyter-")), program, args);
  let log = "";
  keeper.stderr.on("data", (text) => {
    log += text;
  });
  const [status] = await once(keeper, "exit");
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status}:\n${log}`);
}

/**
 * Starts the server. `project` is the folder that it serves, `url(path)` the address of a notebook in it;
 * `close()` ends server and kernels, and so does the end of this process, however it ends.
 */
export async function startLab() {
  const folder = mkdtempSync(join(tmpdir(), "framelab-jupyter-"));
  const project = join(folder, "project");
  copyProject(project);
  answerNews(folder);
  const token = randomBytes(16).toString("hex");
  const options = ["--no-browser", "--allow-root", "--ServerApp.port=0", "--ServerApp.ip=127.0.0.1"];
  const keeper = startKept(folder, "jupyter-lab", [...options, `--ServerApp.root_dir=${project}`], {
    JUPYTER_TOKEN: token,
  });
  let log = "";
  keeper.stderr.on("data", (text) => {
    log += text;
  });
  const close = async () => {
    if (keeper.exitCode !== null) return;
    keeper.stdin.end();
    await once(keeper, "exit");
  };
  try {
    const base = await serverAddress(join(folder, "runtime"), () => {
      if (keeper.exitCode !== null) throw new Error(`JupyterLab ended at once:\n${log}`);
    });
    return {
      project,
      notebooks: join(project, "notebooks"),
      url: (path) => `${base}lab/tree/${path}?token=${token}&reset`,
      log: () => log,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The server writes its address into its runtime folder once it listens. */
async function serverAddress(runtime, alive) {
  for (let waited = 0; waited < 60_000; waited += 100) {
    alive();
    const file = readdirSync(runtime).find((name) => /^jpserver-\d+\.json$/.test(name));
    if (file !== undefined) {
      try {
        return JSON.parse(readFileSync(join(runtime, file), "utf8")).url;
      } catch {
        // Half written: it is whole the next time.
      }
    }
    await delay(100);
  }
  throw new Error("JupyterLab did not say its address within a minute.");
}
