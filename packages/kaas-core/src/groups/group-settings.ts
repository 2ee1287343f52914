/** Where settings are read from, at every use, so that a changed broker config counts at once. */
export interface GroupConfigSource {
  number(name: string): number;
}

/** The broker configs that groups depend on. */
export class GroupSettings {
  readonly #config: GroupConfigSource;

  constructor(config: GroupConfigSource) {
    this.#config = config;
  }

  get sessionTimeoutMsMin(): number {
    return this.#config.number("group.min.session.timeout.ms");
  }

  get sessionTimeoutMsMax(): number {
    return this.#config.number("group.max.session.timeout.ms");
  }

  get initialRebalanceDelayMs(): number {
    return this.#config.number("group.initial.rebalance.delay.ms");
  }

  get groupSizeMax(): number {
    return this.#config.number("group.max.size");
  }

  /** Kafka counts characters, in spite of the name of the config. */
  get offsetMetadataLengthMax(): number {
    return this.#config.number("offset.metadata.max.bytes");
  }

  get offsetsRetentionMs(): number {
    return this.#config.number("offsets.retention.minutes") * 60_000;
  }

  get offsetsRetentionCheckIntervalMs(): number {
    return this.#config.number("offsets.retention.check.interval.ms");
  }
}
