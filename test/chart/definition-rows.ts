import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ControlPlane } from "../kubernetes/control-plane.js";
import type { Rows } from "../lib/rows.js";
import { DEPLOY } from "./helm-chart.js";

const BOOK = fileURLToPath(new URL("../../docs/kubernetes.md", import.meta.url));
const COMMAND = /kubectl apply --server-side (?<flags>.*)-f deploy\/crds\//;
const NAME = "kafkatopics.kaas.rs";

/** The definitions as the next version may have them, given to the API server as the book says: Helm has installed these. */
export async function definitionRows(plane: ControlPlane, rows: Rows): Promise<void> {
  await rows.run("definitions are upgraded by the command of the book", async () => {
    const flags = COMMAND.exec(readFileSync(BOOK, "utf8"))?.groups?.["flags"];
    if (flags === undefined) throw new Error("the book has no such command");
    const next = readFileSync(`${DEPLOY}crds/${NAME}.yaml`, "utf8").replace(
      "What the topic should be.",
      "Another version.",
    );
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${NAME}`;
    const query = `fieldManager=kubectl&force=${flags.includes("--force-conflicts")}`;
    const answer = await plane.ask("PATCH", `${path}?${query}`, next, "application/apply-patch+yaml");
    if (!answer.includes("Another version.")) throw new Error(`it is not upgraded: ${answer.slice(0, 500)}`);
    return "taken over from Helm";
  });
}
