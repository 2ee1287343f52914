import type { BrokerConfigDefinition } from "./broker-config-definition.js";
import { between, gzipLevel, oneOf } from "./config-definition.js";

/** Broker configurations of how batches are compressed, and how far they may expand, where a topic does not say otherwise. */
export const compressionBrokerConfigs: readonly BrokerConfigDefinition[] = [
  {
    name: "compression.gzip.level",
    type: "int",
    defaultValue: "-1",
    rule: gzipLevel,
    dynamic: "cluster",
    standing: "honoured",
    documentation: "How hard gzip tries where the broker compresses a batch; -1: the codec's own level.",
  },
  {
    name: "compression.lz4.level",
    type: "int",
    defaultValue: "9",
    rule: between(1, 17),
    dynamic: "cluster",
    standing: "honoured",
    documentation: "The same for lz4; 9, the default, is the quick way, and all other levels look for longer matches.",
  },
  {
    name: "compression.zstd.level",
    type: "int",
    defaultValue: "3",
    rule: between(-131072, 22),
    dynamic: "cluster",
    standing: "honoured",
    documentation: "The same for zstd; from level 16 on, a MiB takes a second or more.",
  },
  {
    name: "compression.type",
    type: "string",
    defaultValue: "producer",
    rule: oneOf("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"),
    dynamic: "cluster",
    standing: "honoured",
    documentation: "How batches are compressed in the log; producer: as the producer sent them.",
  },
  {
    name: "max.decompressed.message.bytes",
    type: "int",
    defaultValue: "2147483639",
    rule: between(1, 2147483639),
    dynamic: "cluster",
    standing: "honoured",
    documentation: "The largest record, expanded, that is taken in a compressed batch.",
  },
];
