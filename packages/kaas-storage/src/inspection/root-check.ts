import { CLUSTER_DIRECTORY_NAME } from "../cluster/cluster-names.js";
import { isDiscarded, isTopicName, TOPIC_ID_NAME } from "../topics/topic-files.js";
import { type Finding, finding } from "./finding.js";
import { probeDocument } from "./document-probe.js";
import { judgeStray, partitionNumbers, type TopicView, viewTopic } from "./topic-view.js";
import { isFileSystemName, listIfThere, unreadable, type VolumeView } from "./volume-view.js";

/** Below so much free space a broker refuses to append, unless it is told otherwise. */
const USABLE_BYTES_MIN = 128 * 1024 * 1024;

/** What lies in the data directory itself. */
export interface RootView {
  readonly topics: readonly TopicView[];
  readonly findings: readonly Finding[];
}

/** Every topic, and what is no topic. */
export async function viewRoot(view: VolumeView): Promise<RootView> {
  const topics: TopicView[] = [];
  const findings: Finding[] = [];
  for (const { name, isDirectory } of (await listIfThere(view, view.directory)) ?? []) {
    const path = `${view.directory}/${name}`;
    if (path === view.clusterDirectory || isFileSystemName(name)) continue;
    if (isDirectory && isDiscarded(name)) {
      findings.push(finding("deleting-leftover", path, "it is still there"));
      continue;
    }
    const topic = isDirectory && isTopicName(name) ? await tryTopic(view, name, findings) : undefined;
    if (topic !== undefined) topics.push(topic);
    else if (!findings.some(({ file }) => file === path)) {
      findings.push(finding("name-unknown", path, "it is neither a topic nor the cluster's directory"));
    }
  }
  return { topics, findings: [...findings, ...findDuplicates(topics), ...(await checkFurther(view, topics))] };
}

async function tryTopic(view: VolumeView, name: string, findings: Finding[]): Promise<TopicView | undefined> {
  try {
    return await viewTopic(view, name);
  } catch (error) {
    findings.push(unreadable(`${view.directory}/${name}`, error));
    return undefined;
  }
}

/** Further log directories: they hold partitions of topics that are here, and nothing else of kaas. */
async function checkFurther(view: VolumeView, topics: readonly TopicView[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [directoryName, root] of view.further) {
    const entries = await listIfThere(view, root);
    if (entries === undefined) findings.push(finding("log-directory-missing", root, "there is no such directory"));
    for (const { name, isDirectory } of entries ?? []) {
      const path = `${root}/${name}`;
      if (name === CLUSTER_DIRECTORY_NAME || isFileSystemName(name)) continue;
      if (isDirectory && isDiscarded(name)) findings.push(finding("deleting-leftover", path, "it is still there"));
      else if (isDirectory && isTopicName(name)) {
        findings.push(
          ...(await checkFurtherTopic(
            view,
            path,
            directoryName,
            topics.find((one) => one.name === name),
          )),
        );
      } else findings.push(finding("name-unknown", path, "it is no topic"));
    }
  }
  return findings;
}

async function checkFurtherTopic(
  view: VolumeView,
  path: string,
  directoryName: string,
  topic: TopicView | undefined,
): Promise<Finding[]> {
  const stamp = await probeDocument(view, `${path}/${TOPIC_ID_NAME}`, "topic-id");
  if (stamp.state === "bad") return [stamp.finding];
  if (stamp.state === "gone") return [finding("topic-id-missing", `${path}/${TOPIC_ID_NAME}`, "it is not there")];
  if (topic === undefined || stamp.value.id !== topic.id) {
    const whose = topic === undefined ? "there is no such topic" : `the topic here is ${topic.id ?? "without an id"}`;
    return [finding("topic-orphaned", path, `it belongs to ${stamp.value.id}, and ${whose}`)];
  }
  const findings: Finding[] = [];
  for (const partition of partitionNumbers((await listIfThere(view, path)) ?? [])) {
    if (topic.placement[partition] === directoryName) continue;
    findings.push(...(await judgeStray(view, topic, partition, `${path}/${partition}`, directoryName)));
  }
  return findings;
}

function findDuplicates(topics: readonly TopicView[]): Finding[] {
  const byId = new Map<string, TopicView>();
  const findings: Finding[] = [];
  for (const topic of topics) {
    if (topic.id === undefined) continue;
    const first = byId.get(topic.id);
    if (first === undefined) byId.set(topic.id, topic);
    else {
      const message = `its id ${topic.id} is also in ${first.directory}/${TOPIC_ID_NAME}`;
      findings.push(finding("topic-id-duplicate", `${topic.directory}/${TOPIC_ID_NAME}`, message));
    }
  }
  return findings;
}

/** Whether brokers still append. */
export async function checkSpace(view: VolumeView): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const directory of [view.directory, ...view.further.values()]) {
    if ((await listIfThere(view, directory)) === undefined) continue;
    const { usableBytes } = await view.fileSystem.space(directory);
    if (usableBytes < 0 || usableBytes >= USABLE_BYTES_MIN) continue;
    const message = `${usableBytes} bytes are free, brokers append while there are ${USABLE_BYTES_MIN}`;
    findings.push(finding("space-low", directory, message));
  }
  return findings;
}
