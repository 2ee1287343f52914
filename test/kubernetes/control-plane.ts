import { execFile } from "node:child_process";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { COMPONENTS, type Component, filesOf, flagsOf, type Ports } from "./components.js";
import { freePort } from "../lib/free-port.js";
import { kill, launch, runningPid } from "./processes.js";

const BUILD = fileURLToPath(new URL("build.sh", import.meta.url));

/** The API server starts in 4 s on a quiet machine. */
const READY_MS = 180_000;

/** A user of the API server, known by a token, without any rights but those that are given to it. */
export interface User {
  readonly name: string;
  readonly token: string;
}

export interface ControlPlaneOptions {
  /** Everything is kept here; what is there already is used again. */
  readonly folder: string;
  /** Beside etcd and the API server. */
  readonly components?: readonly Component[];
  /** Users beside the administrator. Theirs are the kubeconfigs `FOLDER/kubeconfig-NAME`. */
  readonly users?: readonly string[];
}

/**
 * A real Kubernetes API server with its etcd, and whatever else of the control plane a test wants, on free ports of
 * 127.0.0.1. No container runs anywhere; `kubelets` plays nodes.
 */
export class ControlPlane {
  readonly folder: string;
  readonly #program: string;
  readonly #ports: Ports;
  readonly #hasControllers: boolean;

  private constructor(folder: string, program: string, ports: Ports, hasControllers: boolean) {
    this.folder = folder;
    this.#program = program;
    this.#ports = ports;
    this.#hasControllers = hasControllers;
  }

  /** Builds the control plane if that was not done yet (ten minutes), starts it, and resolves when it answers. */
  static async start({ folder, components = [], users = [] }: ControlPlaneOptions): Promise<ControlPlane> {
    const { stdout } = await promisify(execFile)(BUILD, { maxBuffer: 16 << 20 });
    const home = resolve(folder);
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const files = filesOf(home);
    if (!existsSync(files.ports)) {
      writeFileSync(files.tokens, tokenLines(["admin", ...users]));
      writeServiceAccountKey(files.serviceAccountKey);
      const ports: Ports = { etcd: await freePort(), apiServer: await freePort() };
      writeFileSync(files.ports, JSON.stringify(ports));
    }
    const ports = JSON.parse(readFileSync(files.ports, "utf8")) as Ports;
    const hasControllers = components.includes("kube-controller-manager");
    const plane = new ControlPlane(home, stdout.trim(), ports, hasControllers);
    for (const component of COMPONENTS) {
      const isWanted = component === "etcd" || component === "kube-apiserver" || components.includes(component);
      if (isWanted) await plane.startComponent(component);
    }
    return plane;
  }

  get port(): number {
    return this.#ports.apiServer;
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  /** Of the administrator. */
  get kubeconfig(): string {
    return filesOf(this.folder).kubeconfig;
  }

  /** PEM: who vouches for the API server. */
  get ca(): string {
    return readFileSync(filesOf(this.folder).certificate, "utf8");
  }

  user(name: string): User {
    const line = readFileSync(filesOf(this.folder).tokens, "utf8").match(new RegExp(`^(\\w+),${name},`, "m"));
    if (line?.[1] === undefined) throw new Error(`the control plane has no user ${name}`);
    return { name, token: line[1] };
  }

  /** Starts a component, also one that was killed: with the same data, and at the same port. */
  async startComponent(component: Component): Promise<void> {
    const flags = flagsOf(component, this.folder, this.#ports, this.#hasControllers);
    await launch(this.#program, this.folder, component, flags);
    if (component !== "kube-apiserver") return;
    await this.#ready();
    this.#writeKubeconfigs();
  }

  /** Ends a component as a crash would. */
  async killComponent(component: Component): Promise<void> {
    await kill(this.folder, component);
  }

  /** The controllers learn of new kinds every half minute only: garbage of theirs is collected promptly after this. */
  async restartControllers(): Promise<void> {
    await this.killComponent("kube-controller-manager");
    await this.startComponent("kube-controller-manager");
  }

  async stop(): Promise<void> {
    await stopAll(this.folder);
  }

  /** An answer of the API server to the administrator. */
  async ask(method: string, path: string, body?: string, contentType = "application/json"): Promise<string> {
    const { token } = this.user("admin");
    return await new Promise((resolve, reject) => {
      const options = {
        method,
        ca: this.ca,
        agent: false,
        timeout: 60_000,
        headers: { authorization: `Bearer ${token}`, "content-type": contentType },
      } as const;
      const sent = request(this.url + path, options, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("end", () => {
          const status = response.statusCode ?? 0;
          if (status >= 200 && status < 300) resolve(text);
          else reject(new Error(`${method} ${path}: ${status} ${text}`));
        });
        response.on("error", reject);
      });
      sent.on("error", reject);
      sent.on("timeout", () => void sent.destroy(new Error(`${method} ${path}: no answer`)));
      sent.end(body);
    });
  }

  async #ready(): Promise<void> {
    const until = Date.now() + READY_MS;
    let reason = "";
    while (Date.now() < until) {
      for (const component of ["etcd", "kube-apiserver"] as const) {
        if (runningPid(this.folder, component) !== undefined) continue;
        throw new Error(`${component} ended: see ${filesOf(this.folder).log(component)}`);
      }
      try {
        if ((await this.ask("GET", "/readyz")) === "ok") return;
      } catch (error) {
        reason = (error as Error).message;
      }
      await sleep(50);
    }
    throw new Error(`the API server is not ready (${reason}): see ${filesOf(this.folder).log("kube-apiserver")}`);
  }

  #writeKubeconfigs(): void {
    const { tokens, kubeconfig } = filesOf(this.folder);
    for (const [, token = "", name = ""] of readFileSync(tokens, "utf8").matchAll(/^(\w+),([\w-]+),/gm)) {
      const file = name === "admin" ? kubeconfig : `${kubeconfig}-${name}`;
      writeFileSync(file, kubeconfigText(this.url, this.ca, { name, token }), { mode: 0o600 });
    }
  }
}

/** Ends whatever runs of the control plane in a folder. */
export async function stopAll(folder: string): Promise<void> {
  for (const component of [...COMPONENTS].reverse()) await kill(resolve(folder), component);
}

/** How a user reaches an API server; JSON is YAML. */
export function kubeconfigText(server: string, ca: string, user: User): string {
  const cluster = { server, "certificate-authority-data": Buffer.from(ca).toString("base64") };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "test", cluster }],
    users: [{ name: user.name, user: { token: user.token } }],
    contexts: [{ name: "test", context: { cluster: "test", user: user.name, namespace: "default" } }],
    "current-context": "test",
  });
}

function tokenLines(users: readonly string[]): string {
  const lines = users.map((name) => {
    const groups = name === "admin" ? ",system:masters" : "";
    return `${randomBytes(16).toString("hex")},${name},${name}${groups}`;
  });
  return `${lines.join("\n")}\n`;
}

function writeServiceAccountKey(file: string): void {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  writeFileSync(file, privateKey.export({ type: "pkcs1", format: "pem" }), { mode: 0o600 });
}
