import type { SimulatedProcess } from "./machine.js";
import { failure } from "./disk.js";
import type { Operation, Weather } from "./weather.js";

/**
 * An asynchronous system call: begins at once, reaches the kernel later, and its outcome reaches the process later
 * still. A process that has died meanwhile hears nothing of it, and what had not reached the kernel may never do.
 */
export function processCall<Result>(
  process: SimulatedProcess,
  weather: Weather,
  operation: Operation,
  path: string,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    if (!process.isAlive) return;
    weather.before(operation, path);
    if (!process.isAlive) return;
    const { machine } = process;
    const settle = (deliver: () => void): void => process.turn(weather.delayMs(operation), deliver);
    machine.kernel(weather.delayMs(operation), () => {
      if (!process.isAlive && machine.chance.happens(0.5)) return;
      const errno = weather.failure(operation, path);
      if (errno !== undefined) return settle(() => reject(failure(errno, path)));
      attempt(work).then(
        (result) => settle(() => resolve(result)),
        (error: unknown) => settle(() => reject(error instanceof Error ? error : new Error(String(error)))),
      );
    });
  });
}

async function attempt<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  return work();
}

/** A synchronous call. What a dead process still does has no effect: the caller must not have lived to do it. */
export function processCallSync<Result>(
  process: SimulatedProcess,
  weather: Weather,
  operation: Operation,
  path: string,
  work: () => Result,
): Result {
  if (process.isAlive) weather.before(operation, path);
  if (!process.isAlive) throw failure("EINTR", path);
  const errno = weather.failure(operation, path);
  if (errno !== undefined) throw failure(errno, path);
  return work();
}
