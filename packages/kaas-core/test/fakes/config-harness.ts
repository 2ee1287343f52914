import type { ApiHandler, RequestContext } from "../../src/api/api-handler.js";
import { TopicManager } from "../../src/cluster/topic-manager.js";
import { TopicTable } from "../../src/cluster/topic-table.js";
import { BrokerConfig } from "../../src/config/broker-config.js";
import type { Log } from "../../src/ports/log.js";
import { silentLog } from "../../src/ports/log.js";
import { FakeClusterFiles } from "./fake-cluster-files.js";
import { FakePartitionLogs, FakeTopics } from "./fake-topics.js";
import { type HandlerHarness, handlerHarness } from "./handler-context.js";
import { ManualClock } from "./manual-clock.js";
import { soleBroker } from "./sole-broker.js";

/** What the handlers of configurations work with: broker 1, one topic `t`, files and topics in memory. */
export interface ConfigHarness {
  readonly config: BrokerConfig;
  readonly fakeTopics: FakeTopics;
  readonly files: FakeClusterFiles;
  readonly topics: TopicTable;
  readonly log: Log;
  call<Request, Response>(handler: ApiHandler<Request, Response>, version: number, request: Request): Promise<Response>;
}

export async function configHarness(values: Record<string, string> = {}): Promise<ConfigHarness> {
  const fakeTopics = new FakeTopics();
  const files = new FakeClusterFiles();
  const topics = new TopicTable();
  const config = new BrokerConfig(values);
  await config.loadDynamic(files);
  const log: Log = { ...silentLog, level: "info" };
  const topicManager = new TopicManager({
    catalog: fakeTopics,
    admin: fakeTopics,
    logs: new FakePartitionLogs(),
    table: topics,
    view: soleBroker(),
    config,
    clock: new ManualClock(),
    log,
  });
  await topicManager.start();
  await topicManager.create("t", 1, { "retention.ms": "1000" });
  const harness: HandlerHarness = handlerHarness({ topics, topicManager, config, files, log });
  return {
    config,
    fakeTopics,
    files,
    topics,
    log,
    async call<Request, Response>(handler: ApiHandler<Request, Response>, version: number, request: Request) {
      const context: RequestContext = harness.context(handler.key, version);
      return (await handler.handle(context, request)) as Response;
    },
  };
}
