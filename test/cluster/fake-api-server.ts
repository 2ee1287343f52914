import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { KubernetesObject, Patch, Resource } from "@kaas/k8s";
import { systemClock } from "@kaas/storage";
import { isStatus, KubernetesError } from "../../packages/kaas-k8s/src/api/kubernetes-error.js";
import { FakeKubernetesApi } from "../../packages/kaas-k8s/src/testing/fake-kubernetes-api.js";

/** Kinds by plural, of what brokers ask for. */
const KINDS: Readonly<Record<string, string>> = {
  leases: "Lease",
  endpointslices: "EndpointSlice",
  pods: "Pod",
  kafkatopics: "KafkaTopic",
  kafkausers: "KafkaUser",
  kafkaclusters: "KafkaCluster",
  kafkaclusterassignments: "KafkaClusterAssignments",
};

const PATCH_TYPES: Readonly<Record<string, Patch["type"]>> = {
  "application/apply-patch+yaml": "apply",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
};

/** The API server in memory, for processes: what `HttpKubernetesApi` asks for over HTTP, and no more. */
export class FakeApiServer {
  readonly api = new FakeKubernetesApi({ clock: systemClock });
  readonly #host: string;
  #server: Server | undefined;
  #port = 0;
  readonly #sockets = new Set<Socket>();

  constructor(host = "127.0.0.1") {
    this.#host = host;
  }

  get url(): string {
    return `http://${this.#host}:${this.#port}`;
  }

  /** Takes the same port again after it was killed. */
  async start(): Promise<void> {
    const server = createServer((request, response) => void this.#respond(request, response));
    server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(this.#port, this.#host, resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** As if it were killed: connections are cut, and new ones refused. What it knows, it knows again when it comes back. */
  async kill(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server?.close(() => resolve()) ?? resolve());
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    this.#server = undefined;
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const url = new URL(request.url ?? "", this.url);
      if (url.searchParams.get("watch") === "true") return await this.#watch(url, request, response);
      const answer = await this.#answer(url, request);
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    } catch (error) {
      const known = error instanceof KubernetesError ? error : undefined;
      const code = known?.status ?? 500;
      const { reason = "", message = String(error) } = known ?? {};
      response.writeHead(code, { "content-type": "application/json" });
      response.end(JSON.stringify({ kind: "Status", code, reason, message }));
    }
  }

  async #answer(url: URL, request: IncomingMessage): Promise<unknown> {
    const { resource, namespace, name, isStatusOf } = parsePath(url.pathname);
    const where = namespace === undefined ? {} : { namespace };
    const body = await bodyOf(request);
    const subresource = isStatusOf ? ({ subresource: "status" } as const) : {};
    switch (request.method) {
      case "GET": {
        if (name !== "") return this.api.get(resource, { ...where, name });
        const { items, resourceVersion } = await this.api.list(resource, { ...where, ...selectorsOf(url) });
        return { items, metadata: { resourceVersion } };
      }
      case "POST":
        return this.api.create(resource, body as KubernetesObject);
      case "PUT":
        return this.api.replace(resource, body as KubernetesObject, subresource);
      case "PATCH": {
        const type = PATCH_TYPES[request.headers["content-type"] ?? ""] ?? "merge";
        const fieldManager = url.searchParams.get("fieldManager") ?? "";
        const isForced = url.searchParams.get("force") === "true";
        const patch = type === "apply" ? { type, object: body, fieldManager, isForced } : { type, object: body };
        return this.api.patch(resource, { ...where, name }, patch as Patch, subresource);
      }
      default:
        await this.api.delete(resource, { ...where, name });
        return {};
    }
  }

  async #watch(url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { resource, namespace } = parsePath(url.pathname);
    const ended = new AbortController();
    request.on("close", () => ended.abort());
    response.on("close", () => ended.abort());
    const query = {
      ...(namespace === undefined ? {} : { namespace }),
      ...selectorsOf(url),
      resourceVersion: url.searchParams.get("resourceVersion") ?? "",
      timeoutSeconds: Number(url.searchParams.get("timeoutSeconds")),
    };
    response.writeHead(200, { "content-type": "application/json" });
    response.flushHeaders();
    try {
      for await (const event of this.api.watch(resource, query, { signal: ended.signal })) {
        response.write(`${JSON.stringify(lineOf(event))}\n`);
      }
    } catch (error) {
      if (isStatus(error, 410)) response.write(`${JSON.stringify({ type: "ERROR", object: { code: 410 } })}\n`);
    }
    response.end();
  }
}

function lineOf(event: { readonly type: string }): unknown {
  if (event.type !== "BOOKMARK") return event;
  const { resourceVersion } = event as { readonly type: string; readonly resourceVersion: string };
  return { type: "BOOKMARK", object: { metadata: { resourceVersion } } };
}

function parsePath(pathname: string) {
  const parts = pathname.split("/").filter((part) => part !== "");
  const group = parts.shift() === "api" ? "" : (parts.shift() ?? "");
  const version = parts.shift() ?? "";
  const namespace = parts[0] === "namespaces" ? decodeURIComponent(parts.splice(0, 2)[1] ?? "") : undefined;
  const [plural = "", name = "", subresource] = parts;
  const kind = KINDS[plural] ?? plural;
  const resource: Resource = { group, version, plural, kind, isNamespaced: true };
  return { resource, namespace, name: decodeURIComponent(name), isStatusOf: subresource === "status" };
}

function selectorsOf(url: URL): { labelSelector?: string; fieldSelector?: string } {
  const labelSelector = url.searchParams.get("labelSelector");
  const fieldSelector = url.searchParams.get("fieldSelector");
  return {
    ...(labelSelector === null ? {} : { labelSelector }),
    ...(fieldSelector === null ? {} : { fieldSelector }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString());
}
