/**
 * How many array elements one message may hold in all. A frame is bounded in bytes, but an element of one byte on the
 * wire becomes an object of a hundred in memory; the largest real requests name some ten thousand partitions.
 */
export const ARRAY_ELEMENTS_MAX: number = 1 << 17;

/** Longest string: what the int16 length of the oldest versions can say. Apache Kafka refuses more in every version. */
export const STRING_BYTES_MAX: number = 0x7fff;
