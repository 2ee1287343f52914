const SMALLEST_BITS = 12;
const LARGEST_BITS = 23;
const STEPS_BITS = 2;
const STEPS = 1 << STEPS_BITS;

/** Buffers are pooled up to this size; larger ones are made when they are wanted, and left to the garbage collector. */
export const POOLED_BYTES_MAX: number = 1 << LARGEST_BITS;

/** How many classes there are. */
export const SIZE_CLASSES: number = (LARGEST_BITS - SMALLEST_BITS) * STEPS + 1;

/** The class of the smallest buffers that so many bytes fit into: four classes to a doubling, so a fifth is the most wasted. */
export function sizeClassOf(bytes: number): number {
  if (bytes <= 1 << SMALLEST_BITS) return 0;
  const exponent = 31 - Math.clz32(bytes - 1);
  const step = (bytes - 1 - (1 << exponent)) >>> (exponent - STEPS_BITS);
  return (exponent - SMALLEST_BITS) * STEPS + step + 1;
}

/** Size of the buffers of a class. */
export function classBytes(sizeClass: number): number {
  if (sizeClass === 0) return 1 << SMALLEST_BITS;
  const exponent = SMALLEST_BITS + ((sizeClass - 1) >>> STEPS_BITS);
  const step = ((sizeClass - 1) & (STEPS - 1)) + 1;
  return (1 << exponent) + (step << (exponent - STEPS_BITS));
}
