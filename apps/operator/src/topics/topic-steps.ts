import type { Random } from "@kaas/core";
import { KAFKA_TOPICS } from "@kaas/k8s";
import type { FoundTopic, TopicDirectories } from "@kaas/storage";
import type { Refusal, Step } from "../reconciling/steps.js";
import type { StatusReporter } from "../reporting/status-reporter.js";
import { configRefusal, nameRefusal, overridesOf, partitionRefusal } from "./topic-checks.js";
import { migrationOf, movesOf } from "./topic-migration.js";
import { claimOn, mintTopicId } from "./topic-identity.js";
import { placementOf, placePartitions } from "./topic-placement.js";
import type { TopicRun } from "./topic-run.js";

export interface TopicTools {
  readonly directories: TopicDirectories;
  readonly reporter: StatusReporter;
  readonly random: Random;
}

/**
 * What is done to make a topic what its KafkaTopic says. Nothing is written before all that can be refused has been;
 * decisions are recorded before they are carried out, so that another operator would carry out the same.
 */
export function topicSteps(tools: TopicTools): readonly Step<TopicRun>[] {
  return [
    { name: "check the name", run: async ({ object, surroundings }) => nameRefusal(object, surroundings.topics) },
    { name: "check the configuration", run: async ({ object }) => configRefusal(object) },
    { name: "look at the volume", run: (run) => look(tools, run) },
    { name: "check the partitions", run: async (run) => checkPartitions(run) },
    { name: "decide which topic it is, and where it lies", run: async (run) => decide(tools, run) },
    { name: "record the decision", run: (run) => record(tools, run) },
    { name: "set aside what another topic of the name has left", run: (run) => setAside(tools, run) },
    { name: "make the directories", run: (run) => make(tools, run) },
  ];
}

async function look({ directories }: TopicTools, run: TopicRun): Promise<undefined> {
  const found = await directories.find(run.name);
  run.found = found && { ...found, placement: await directories.placementOf(found) };
}

/** The directory of the name, if it is this topic's or becomes it. */
function adopted({ object, found, surroundings }: TopicRun): FoundTopic | undefined {
  const claim = claimOn(found, object.status?.topicId, surroundings.cluster?.metadata.uid);
  return claim === "adopt" ? found : undefined;
}

function checkPartitions(run: TopicRun): Refusal | undefined {
  const { object } = run;
  return partitionRefusal(object, Math.max(object.status?.partitionCount ?? 0, adopted(run)?.partitionCount ?? 0));
}

function decide({ random }: TopicTools, run: TopicRun): Refusal | undefined {
  const existing = adopted(run);
  const volumes = placePartitions(run.object, existing, run.surroundings);
  if ("reason" in volumes) return volumes;
  run.volumes = volumes;
  run.migration = migrationOf(run.object, volumes.length, run.surroundings.volumes);
  run.topicId = run.object.status?.topicId ?? existing?.id ?? mintTopicId(random);
  return undefined;
}

async function record({ reporter }: TopicTools, run: TopicRun): Promise<undefined> {
  const { name: topicName, topicId, volumes = [] } = run;
  const volumeAssignments = volumes.map((volume, partition) => ({ partition, volume }));
  run.object = await reporter.write(KAFKA_TOPICS, run.object, { topicName, topicId, volumeAssignments });
}

async function setAside({ directories }: TopicTools, { name, found, topicId }: TopicRun): Promise<undefined> {
  if (found?.id !== undefined && found.id !== topicId) await directories.setAside(name, found.id);
}

async function make({ directories }: TopicTools, run: TopicRun): Promise<undefined> {
  const { object, name, topicId = "", volumes = [], surroundings, found, migration } = run;
  const main = directories.volumes[0] ?? "";
  await directories.put({
    name,
    id: topicId,
    partitionCount: volumes.length,
    overrides: overridesOf(object),
    placement: placementOf(volumes, main),
    moves: movesOf(migration, volumes, main),
    // While there is no cluster it stays whose it was.
    keptFor: surroundings.cluster?.metadata.uid ?? (found?.id === topicId ? found?.keptFor : undefined),
  });
}
