// The names of ACLs' parts are not seen in kafkajs by a module that imports them one by one.
import kafkajs, { Kafka, logLevel } from "kafkajs";

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;

/** What a broker is given to tell of. */
export interface Content {
  readonly topic: string;
  readonly group: string;
  readonly user: string;
  /** Of the topics that the user may read. */
  readonly prefix: string;
}

const PARTITIONS = 3;
/** What each partition holds, and how far it is read: −1 where nothing was committed. */
export const RECORDS: readonly number[] = [0, 4, 2];
export const COMMITTED: readonly number[] = [-1, 3, 0];
export const RETENTION_MS = "3600000";

/** Makes a topic with records, and a group that has read some of them. */
export async function make(port: number, { topic, group }: Content): Promise<void> {
  const client = kafka(port);
  const admin = client.admin();
  const producer = client.producer({ allowAutoTopicCreation: false });
  await Promise.all([admin.connect(), producer.connect()]);
  try {
    const configEntries = [{ name: "retention.ms", value: RETENTION_MS }];
    await admin.createTopics({ topics: [{ topic, numPartitions: PARTITIONS, configEntries }] });
    const messages = RECORDS.flatMap((count, partition) =>
      Array.from({ length: count }, (_, n) => ({ partition, value: `record ${n}` })),
    );
    await producer.send({ topic, acks: -1, messages });
    const partitions = COMMITTED.flatMap((offset, partition) =>
      offset < 0 ? [] : [{ partition, offset: String(offset) }],
    );
    await admin.setOffsets({ groupId: group, topic, partitions });
  } finally {
    await Promise.all([admin.disconnect(), producer.disconnect()]);
  }
}

/** Lets a user read topics that nobody has. */
export async function allow(port: number, { user, prefix }: Content): Promise<void> {
  const admin = kafka(port).admin();
  await admin.connect();
  try {
    const acl = {
      resourceType: AclResourceTypes.TOPIC,
      resourceName: prefix,
      resourcePatternType: ResourcePatternTypes.PREFIXED,
      principal: `User:${user}`,
      host: "127.0.0.1",
      operation: AclOperationTypes.READ,
      permissionType: AclPermissionTypes.ALLOW,
    };
    await admin.createAcls({ acl: [acl] });
  } finally {
    await admin.disconnect();
  }
}

function kafka(port: number): Kafka {
  return new Kafka({ clientId: "kaasctl-test", brokers: [`127.0.0.1:${port}`], logLevel: logLevel.NOTHING });
}
