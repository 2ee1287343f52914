/**
 * Bounds that Kafka has not, or has only through the size of a record in its offsets topic. None of them is near what
 * a real group needs; they keep one misbehaving client from taking the memory of the broker.
 */

/** How long a member that has not been told its id may wait in a rebalance; Kafka's own constant. */
export const NEW_MEMBER_JOIN_TIMEOUT_MS: number = 5 * 60_000;

/** Member ids given out (KIP-394) and not yet used, in one group. */
export const PENDING_MEMBERS_MAX = 10_000;

/** Protocol names and metadata of one member. Kafka's group as a whole must fit a record of about 1 MiB. */
export const MEMBER_METADATA_BYTES_MAX: number = 4 * 1024 * 1024;

/** Metadata and assignments of all members of one group. */
export const GROUP_METADATA_BYTES_MAX: number = 64 * 1024 * 1024;

/** Groups of one slot. */
export const GROUPS_PER_SLOT_MAX = 100_000;

/** How much of a client id goes into a generated member id. */
export const MEMBER_ID_PREFIX_LENGTH_MAX = 255;

/** Partitions that one journal entry holds; a larger commit is cut into several entries. */
export const ENTRY_PARTITIONS_MAX = 1_000;
