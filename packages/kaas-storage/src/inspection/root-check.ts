import { isDiscarded, isTopicName } from "../topics/topic-files.js";
import { type Finding, finding } from "./finding.js";
import { type TopicView, viewTopic } from "./topic-view.js";
import { listIfThere, unreadable, type VolumeView } from "./volume-view.js";

const FILE_SYSTEM_NAME = /^(\.nfs.*|lost\+found|\.snapshot)$/;
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
    if (path === view.clusterDirectory || FILE_SYSTEM_NAME.test(name)) continue;
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
  return { topics, findings: [...findings, ...findDuplicates(topics)] };
}

async function tryTopic(view: VolumeView, name: string, findings: Finding[]): Promise<TopicView | undefined> {
  try {
    return await viewTopic(view, name);
  } catch (error) {
    findings.push(unreadable(`${view.directory}/${name}`, error));
    return undefined;
  }
}

function findDuplicates(topics: readonly TopicView[]): Finding[] {
  const byId = new Map<string, TopicView>();
  const findings: Finding[] = [];
  for (const topic of topics) {
    if (topic.id === undefined) continue;
    const first = byId.get(topic.id);
    if (first === undefined) byId.set(topic.id, topic);
    else {
      const message = `its id ${topic.id} is also in ${first.directory}/.topic-id.json`;
      findings.push(finding("topic-id-duplicate", `${topic.directory}/.topic-id.json`, message));
    }
  }
  return findings;
}

/** Whether brokers still append. */
export async function checkSpace(view: VolumeView): Promise<Finding[]> {
  const { usableBytes } = await view.fileSystem.space(view.directory);
  if (usableBytes < 0 || usableBytes >= USABLE_BYTES_MIN) return [];
  const message = `${usableBytes} bytes are free, brokers append while there are ${USABLE_BYTES_MIN}`;
  return [finding("space-low", view.directory, message)];
}
