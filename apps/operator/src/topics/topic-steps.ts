import type { Random } from "@kaas/core";
import { KAFKA_TOPICS } from "@kaas/k8s";
import type { TopicDirectories } from "@kaas/storage";
import type { Step } from "../reconciling/steps.js";
import type { StatusReporter } from "../reporting/status-reporter.js";
import { configRefusal, nameRefusal, overridesOf, partitionRefusal } from "./topic-checks.js";
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
  const { directories, reporter, random } = tools;
  return [
    { name: "check the name", run: async ({ object, surroundings }) => nameRefusal(object, surroundings.topics) },
    { name: "check the configuration", run: async ({ object }) => configRefusal(object) },
    {
      name: "look at the volume",
      run: async (run) => {
        run.found = await directories.find(run.name);
        return undefined;
      },
    },
    {
      name: "check the partitions",
      run: async ({ object, found, surroundings }) => {
        const isOurs = claimOn(found, object.status?.topicId, surroundings.cluster?.metadata.uid) === "adopt";
        const onVolume = isOurs ? (found?.partitionCount ?? 0) : 0;
        return partitionRefusal(object, Math.max(object.status?.partitionCount ?? 0, onVolume));
      },
    },
    {
      name: "decide which topic it is, and where it lies",
      run: async (run) => {
        const { object, found, surroundings } = run;
        const known = object.status?.topicId;
        const adopted = claimOn(found, known, surroundings.cluster?.metadata.uid) === "adopt" ? found : undefined;
        const volumes = placePartitions(object, adopted, surroundings);
        if ("reason" in volumes) return volumes;
        run.volumes = volumes;
        run.topicId = known ?? adopted?.id ?? mintTopicId(random);
        return undefined;
      },
    },
    {
      name: "record the decision",
      run: async (run) => {
        const { name: topicName, topicId, volumes = [] } = run;
        const volumeAssignments = volumes.map((volume, partition) => ({ partition, volume }));
        // Of two operators one is told that the object has changed, and decides nothing.
        run.object = await reporter.write(KAFKA_TOPICS, run.object, { topicName, topicId, volumeAssignments }, true);
        return undefined;
      },
    },
    {
      name: "set aside what another topic of the name has left",
      run: async ({ name, found, topicId }) => {
        if (found?.id !== undefined && found.id !== topicId) await directories.setAside(name, found.id);
        return undefined;
      },
    },
    {
      name: "make the directories",
      run: async ({ object, name, topicId = "", volumes = [], surroundings, found }) => {
        await directories.put({
          name,
          id: topicId,
          partitionCount: volumes.length,
          overrides: overridesOf(object),
          placement: placementOf(volumes, directories.volumes[0] ?? ""),
          keptFor: surroundings.cluster?.metadata.uid ?? (found?.id === topicId ? found?.keptFor : undefined),
        });
        return undefined;
      },
    },
  ];
}
