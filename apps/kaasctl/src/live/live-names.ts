import { ErrorCode } from "@kaas/core";
import { parseAddresses } from "../client/broker-address.js";
import { DEFAULT_SETTINGS } from "../client/client-settings.js";
import { readCommandConfig } from "../client/command-config.js";
import { KafkaClient } from "../client/kafka-client.js";
import { readTextFile } from "../client/read-text-file.js";
import type { BrokersChoice } from "../source-choice.js";
import type { Surroundings } from "../surroundings.js";
import { liveTopics } from "./facts/live-topics.js";

/** What completions know of the process. */
export type CompletionSurroundings = Pick<Surroundings, "environment" | "random">;

/** What a name in a command line may be of. */
export type WantedName = "topic" | "partition" | "group" | "user" | "broker" | "assignment";

/** Somebody waits for it at a prompt. */
const TIMEOUT_MS = 2_000;

/** The names that brokers know; none of what only the volume does. */
export async function liveNames(
  wanted: WantedName,
  { bootstrapServer, commandConfig }: BrokersChoice,
  { random }: CompletionSurroundings,
): Promise<readonly string[]> {
  const given = commandConfig === undefined ? DEFAULT_SETTINGS : await readCommandConfig(commandConfig, readTextFile);
  const settings = { ...given, connectTimeoutMs: TIMEOUT_MS, requestTimeoutMs: TIMEOUT_MS };
  const client = await KafkaClient.connect(parseAddresses(bootstrapServer), settings, random);
  try {
    if (wanted === "topic") return (await liveTopics(client)).map(({ name }) => name);
    if (wanted === "group") return await groupNames(client);
    return wanted === "user" ? await userNames(client) : [];
  } finally {
    await client.close();
  }
}

/** Each broker knows those that it coordinates. */
async function groupNames(client: KafkaClient): Promise<readonly string[]> {
  const { brokers } = await client.cluster();
  const lists = brokers
    .filter(({ isFenced }) => !isFenced)
    .map(async ({ nodeId }) => (await (await client.at(nodeId)).call("ListGroups", {})).groups);
  return (await Promise.all(lists)).flat().map(({ groupId }) => groupId);
}

async function userNames(client: KafkaClient): Promise<readonly string[]> {
  const { errorCode, results } = await client.call("DescribeUserScramCredentials", { users: null });
  return errorCode === ErrorCode.NONE ? results.map(({ user }) => user) : [];
}
