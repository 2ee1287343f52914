import { type Log, type LogConfig, type PartitionLog, silentLog } from "@kaas/core";
import type { FileSystem } from "../file-system/file-system.js";
import { openVolume, type Volume, type VolumeOptions } from "../volume.js";
import { defaultLogConfig } from "./log-config.js";
import { TestClock, TestRandom } from "./test-clock.js";

let seeds = 0;
/** Whoever looks at records after their release finds rubbish. */
const poisons = { poisonsReleasedReads: true };

export interface TestVolume extends Volume {
  readonly clock: TestClock;
  /** Resolves when no deleted topic is left on the volume. */
  settled(): Promise<void>;
  /** Opens the only partition of the topic `t`, which is created if need be. */
  partition(config?: Partial<LogConfig>): Promise<PartitionLog>;
}

/** A volume in `/data` of a file system that a test has made. */
export async function openTestVolume(
  fileSystem: FileSystem,
  options: Partial<VolumeOptions> & { readonly clock?: TestClock } = {},
): Promise<TestVolume> {
  const clock = options.clock ?? new TestClock();
  const random = new TestRandom(++seeds * 1_000_000);
  const volume = await openVolume({
    directory: "/data",
    log: silentLog,
    random,
    ...poisons,
    ...options,
    clock,
    fileSystem,
  });
  return {
    ...volume,
    clock,
    async settled() {
      for (let turns = 0; turns < 10_000; turns++) {
        if (!(await fileSystem.list("/data")).some(({ name }) => name.startsWith(".deleting-"))) return;
        await new Promise((resolve) => setImmediate(resolve));
      }
      throw new Error("a deleted topic is still there");
    },
    async partition(config = {}) {
      const known = [...volume.topics.topics()].find((topic) => topic.name === "t");
      const topic = known ?? (await volume.topics.create("t", 1, {}));
      return volume.logs.open({ topic: "t", topicId: topic.id, partition: 0 }, { ...defaultLogConfig, ...config });
    },
  };
}

/** A log that keeps what it is told. */
export function recordingLog(): Log & { readonly lines: { level: string; message: string; fields: object }[] } {
  const lines: { level: string; message: string; fields: object }[] = [];
  const at = (level: string) => (fields: object, message: string) => void lines.push({ level, message, fields });
  return { lines, debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
