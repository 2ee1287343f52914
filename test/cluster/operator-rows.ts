import { ErrorCode } from "@kaas/core";
import type {
  CreateTopicsResponse,
  IncrementalAlterConfigsResponse,
} from "../../packages/kaas-core/src/messages/generated/index.js";
import { WireClient } from "../lib/wire-client.js";
import { kafka } from "./clients.js";
import { type Cluster, until } from "./cluster.js";
import type { ClusterOperator } from "./cluster-operator.js";
import { expect, PARTITIONS, unnoticed } from "./rows.js";

const CREATE_TOPICS = [19, 7] as const;
const INCREMENTAL_ALTER_CONFIGS = [44, 1] as const;
const TOPIC_RESOURCE = 2;
const SET = 0;
const MADE = "shipments";
const ASKED_FOR = "returns";
const CONFIG = "retention.ms";
const PATIENT_MS = 120_000;
const CREATE_MS = 5_000;
/** How long a change of configs, whose request has no time-out, is waited for. */
const ALTER_MS = 20_000;
/** Late for a machine that does much else; who waits for nothing of its own is told much sooner, or never. */
const LATE_MS = 8_000;

/** What an admin client is told, and after how long. */
interface Answer {
  readonly errorCode: number;
  readonly errorMessage: string | null;
  readonly tookMs: number;
}

/**
 * A topic that the operator made is served on without the operator, and nobody who produces or consumes notices. What
 * only the operator can do is refused in time, with the reason, and is done when there is an operator again.
 */
export async function operatorDeleted(cluster: Cluster, operator: ClusterOperator, seconds: number): Promise<string> {
  await operator.start();
  const admin = await WireClient.connect(cluster.brokers[0]?.place.kafkaPort ?? 0);
  try {
    const made = await create(admin, MADE, PATIENT_MS);
    expect(made.errorCode === ErrorCode.NONE, `${MADE}: ${made.errorMessage}`);
    const refusals: string[] = [];
    const said = await unnoticed(cluster, MADE, {
      begin: () => operator.kill(),
      async meanwhile() {
        const over = new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
        const [created, altered] = await Promise.all([create(admin, ASKED_FOR, CREATE_MS), alter(cluster, MADE)]);
        refusals.push(refusalOf(created, CREATE_MS), refusalOf(altered, ALTER_MS));
        await over;
      },
      async end() {
        await operator.start();
        await until(async () => (await topics(cluster)).includes(ASKED_FOR), PATIENT_MS);
      },
    });
    return `${said}; what was asked for meanwhile was answered with ${refusals.join(", and ")}, and was done afterwards`;
  } finally {
    admin.close();
    await operator.kill();
  }
}

function refusalOf({ errorCode, errorMessage, tookMs }: Answer, timeoutMs: number): string {
  const said = `"${errorMessage}" after ${(tookMs / 1_000).toFixed(1)} s`;
  expect(errorCode === ErrorCode.REQUEST_TIMED_OUT, `error ${errorCode}, ${said}`);
  expect(/not (there )?yet/.test(errorMessage ?? ""), said);
  expect(tookMs < timeoutMs + LATE_MS, said);
  return said;
}

async function create(client: WireClient, name: string, timeoutMs: number): Promise<Answer> {
  const began = performance.now();
  const topic = { name, numPartitions: PARTITIONS.length, replicationFactor: 1, assignments: [], configs: [] };
  const message = { topics: [topic], timeoutMs, validateOnly: false };
  const { topics } = await client.call<CreateTopicsResponse>(...CREATE_TOPICS, message);
  return answerOf(topics[0], began);
}

async function alter(cluster: Cluster, name: string): Promise<Answer> {
  const client = await WireClient.connect(cluster.brokers[0]?.place.kafkaPort ?? 0);
  try {
    const began = performance.now();
    const configs = [{ name: CONFIG, configOperation: SET, value: "3600000" }];
    const message = { resources: [{ resourceType: TOPIC_RESOURCE, resourceName: name, configs }], validateOnly: false };
    const { responses } = await client.call<IncrementalAlterConfigsResponse>(...INCREMENTAL_ALTER_CONFIGS, message);
    return answerOf(responses[0], began);
  } finally {
    client.close();
  }
}

function answerOf(answer: Omit<Answer, "tookMs"> | undefined, began: number): Answer {
  if (answer === undefined) throw new Error("the answer says nothing of what was asked for");
  const { errorCode, errorMessage } = answer;
  return { errorCode, errorMessage, tookMs: performance.now() - began };
}

async function topics(cluster: Cluster): Promise<string[]> {
  const admin = kafka(cluster.bootstrapServers).admin();
  await admin.connect();
  try {
    return await admin.listTopics();
  } finally {
    await admin.disconnect();
  }
}
