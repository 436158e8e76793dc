// Owns: a small Jupyter client over the real wire protocol: starts a tslab kernel process, runs cells, interrupts, ends it.
// Must not know: what the cells do.
import { type ChildProcess, spawn } from "node:child_process";
import { createHmac, randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface Socket {
  connect(address: string): void;
  close(): void;
  send(parts: (string | Buffer)[]): Promise<void>;
  receive(): Promise<Buffer[]>;
  linger: number;
}
interface Subscriber extends Socket {
  subscribe(): void;
  receiveHighWaterMark: number;
}
interface Zeromq {
  Dealer: new () => Socket;
  Subscriber: new () => Subscriber;
}

// zeromq comes with tslab: resolved from there, so that the client speaks with the kernel's own version.
const tslabFolder = join(require.resolve("tslab/package.json"), "..");
const zeromq = createRequire(join(tslabFolder, "package.json"))("zeromq") as Zeromq;
const DELIMITER = "<IDS|MSG>";

/** One message of the kernel's publishing socket that belongs to a cell. */
export interface Published {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: the content of a Jupyter message depends on its type
  readonly content: any;
}

/** What a cell gave: the reply's status and every published message up to `idle`. */
export interface CellRun {
  readonly status: string;
  readonly messages: readonly Published[];
}

/** Text that a cell wrote to one stream. */
export function streamText(run: CellRun, name: "stdout" | "stderr"): string {
  return run.messages
    .filter(({ type, content }) => type === "stream" && content.name === name)
    .map(({ content }) => content.text)
    .join("");
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}

/** A running tslab kernel. Always `close()` it: a kernel outlives its client. */
export class KernelClient {
  readonly #process: ChildProcess;
  readonly #folder: string;
  readonly #key = randomUUID();
  readonly #session = randomUUID();
  readonly #shell = new zeromq.Dealer();
  readonly #iopub = new zeromq.Subscriber();
  readonly #listeners = new Map<string, (message: Published) => void>();

  /** Starts a kernel whose working directory is `cwd`, with `env` added to the environment. */
  static async start(cwd: string, env: Record<string, string> = {}): Promise<KernelClient> {
    const client = new KernelClient(cwd, env, await freePorts(5));
    await client.#request("kernel_info_request", {});
    // A subscription takes effect some time after it is made: a cell whose messages all arrive proves it.
    for (;;) {
      const run = await Promise.race([
        client.execute("1"),
        new Promise<null>((end) => setTimeout(end, 500, null)),
      ]);
      if (run !== null) return client;
    }
  }

  private constructor(cwd: string, env: Record<string, string>, ports: readonly number[]) {
    this.#folder = mkdtempSync(join(tmpdir(), "framelab-kernel-"));
    const [shell, iopub, stdin, control, hb] = ports;
    const connection = join(this.#folder, "connection.json");
    const facts = { transport: "tcp", ip: "127.0.0.1", signature_scheme: "hmac-sha256", key: this.#key };
    const named = {
      shell_port: shell,
      iopub_port: iopub,
      stdin_port: stdin,
      control_port: control,
      hb_port: hb,
    };
    writeFileSync(connection, JSON.stringify({ ...facts, ...named }));
    const argv = [join(tslabFolder, "bin", "tslab"), "kernel", "--config-path", connection];
    const stdio = ["ignore", "ignore", "inherit"] as const;
    this.#process = spawn(process.execPath, argv, {
      cwd,
      env: { ...process.env, ...env },
      stdio: [...stdio],
    });
    this.#iopub.receiveHighWaterMark = 0;
    this.#iopub.connect(`tcp://127.0.0.1:${iopub}`);
    this.#iopub.subscribe();
    this.#shell.connect(`tcp://127.0.0.1:${shell}`);
    for (const socket of [this.#shell, this.#iopub]) socket.linger = 0;
    void this.#listen(this.#iopub);
    void this.#listen(this.#shell);
  }

  get alive(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  /** Runs a cell until its reply and its `idle` have arrived. */
  execute(code: string): Promise<CellRun> {
    return this.#request("execute_request", { code, silent: false, store_history: true, allow_stdin: false });
  }

  /** What a front end does for "interrupt kernel". */
  interrupt(): void {
    this.#process.kill("SIGINT");
  }

  async close(): Promise<void> {
    this.#shell.close();
    this.#iopub.close();
    if (this.alive) {
      this.#process.kill("SIGKILL");
      await once(this.#process, "exit");
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #request(type: string, content: object): Promise<CellRun> {
    const id = randomUUID();
    const header = { msg_id: id, session: this.#session, username: "test", msg_type: type, version: "5.3" };
    const parts = [header, {}, {}, content].map((part) => JSON.stringify(part));
    const signature = createHmac("sha256", this.#key).update(parts.join("")).digest("hex");
    const messages: Published[] = [];
    let status: string | null = null;
    let idle = type === "kernel_info_request"; // Its idle may pass before the subscription holds.
    const run = new Promise<CellRun>((resolve, reject) => {
      const exited = (): void => reject(new Error("The kernel process ended while it ran a cell."));
      this.#process.once("exit", exited);
      this.#listeners.set(id, (message) => {
        messages.push(message);
        if (message.type.endsWith("_reply")) status = message.content.status ?? "ok";
        if (message.type === "status" && message.content.execution_state === "idle") idle = true;
        if (status === null || !idle) return;
        this.#process.removeListener("exit", exited);
        resolve({ status, messages });
      });
    });
    void this.#shell.send([DELIMITER, signature, ...parts]);
    return run;
  }

  async #listen(socket: Socket): Promise<void> {
    try {
      for (;;) {
        const parts = (await socket.receive()).map(String);
        const [, header, parent, , content] = parts.slice(parts.indexOf(DELIMITER) + 1);
        const listener = this.#listeners.get(JSON.parse(parent!).msg_id);
        listener?.({ type: JSON.parse(header!).msg_type, content: JSON.parse(content!) });
      }
    } catch (error) {
      if (this.alive && (error as { code?: string }).code !== "EAGAIN") throw error;
    }
  }
}
