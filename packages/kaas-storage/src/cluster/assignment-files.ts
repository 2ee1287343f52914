import { type Assignment, type AssignmentStore, type Clock, KaasError, type Log } from "@kaas/core";
import { encodeDocument, readDocument } from "../documents/documents.js";
import { claimFile, type DurableFiles, replaceFile } from "../documents/durable-files.js";
import { ensureDirectory, isErrno, listIfThere, removeFile } from "../file-system/file-system.js";
import {
  assignmentName,
  type AssignmentNumber,
  assignmentNumber,
  claimedEpoch,
  claimName,
  compareAssignments,
} from "./assignment-names.js";
import { ASSIGNMENT_COPY_NAME, ASSIGNMENTS_NAME } from "./cluster-names.js";

const ATTEMPTS_MAX = 10;
/** How many assignments stay, and how many claims: for people who want to know what happened. */
const KEPT_MAX = 10;

/** Where assignments are kept, and who claims epochs there. */
export interface AssignmentFilesOptions extends DurableFiles {
  /** The cluster directory. */
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Name and process of this broker, for the claims. */
  readonly broker: string;
  readonly incarnation: string;
}

/**
 * The assignments on the volume: immutable files that are made by link-claim, of which the one with the highest name
 * counts. `assignment.json` is a copy for people and tools, and decides nothing.
 *
 * Each look is a fresh listing, so none is missed however little the caches of this machine are to be trusted.
 */
export class AssignmentFiles implements AssignmentStore {
  readonly #options: AssignmentFilesOptions;
  readonly #directory: string;
  #claiming: Promise<unknown> = Promise.resolve();
  #toCopy: Assignment | undefined;
  #tidying: Promise<void> | undefined;

  constructor(options: AssignmentFilesOptions) {
    this.#options = options;
    this.#directory = `${options.directory}/${ASSIGNMENTS_NAME}`;
  }

  /**
   * One after the other: two claims of one process and one millisecond are the same to the byte, and each would be taken
   * for the other. The lease may be lost and won again while the volume still owes an answer to the first.
   */
  claimEpoch(leaseTransitions: number): Promise<number> {
    const claim = this.#claiming.then(() => this.#claimEpoch(leaseTransitions));
    this.#claiming = claim.catch(() => undefined);
    return claim;
  }

  async #claimEpoch(leaseTransitions: number): Promise<number> {
    const { fileSystem, directory, clock, broker, incarnation } = this.#options;
    await ensureDirectory(fileSystem, directory, ASSIGNMENTS_NAME);
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const epoch = Math.max(leaseTransitions, highestEpoch(await this.#list()) + 1);
      const content = encodeDocument("controller-claim", { epoch, broker, incarnation, claimedMs: clock.now() });
      if (await claimFile(this.#options, this.#directory, claimName(epoch), content)) return epoch;
    }
    const message = `no controller epoch could be claimed in ${this.#directory}: others claim them all the time`;
    throw new KaasError("KAAS_STORAGE_FAILED", message);
  }

  /**
   * The newest one that is usable. Whoever is to decide anew needs what was decided last, and one file that nobody can read
   * must not keep the cluster without a controller: those before it say nearly the same, and the log names it. Rejects with
   * `KAAS_VOLUME_INVALID` where none is usable.
   */
  async newest(): Promise<Assignment | undefined> {
    try {
      return await this.newer(undefined);
    } catch (error) {
      if (!isUnusable(error)) throw error;
      const usable = await this.#newestUsable();
      if (usable === undefined) throw error;
      const { controllerEpoch, version } = usable;
      this.#options.log.error(
        { err: error, controllerEpoch, version },
        "an older assignment is used: the newest is not usable",
      );
      return usable;
    }
  }

  /**
   * The newest one, if it is newer than one that is known; otherwise only a listing is read. Rejects with
   * `KAAS_VOLUME_INVALID` when it is not usable, and says which file that is.
   */
  async newer(known: AssignmentNumber | undefined): Promise<Assignment | undefined> {
    for (let attempt = 1; ; attempt++) {
      const newest = newestOf(await this.#list());
      if (newest === undefined || (known !== undefined && compareAssignments(newest, known) <= 0)) return undefined;
      try {
        return await this.#read(newest);
      } catch (error) {
        // It was removed after the listing, because there are many newer ones.
        if (!isErrno(error, "ENOENT") || attempt === ATTEMPTS_MAX) throw error;
      }
    }
  }

  async publish(assignment: Assignment): Promise<void> {
    const { controllerEpoch, version } = assignment;
    const highest = highestEpoch(await this.#list());
    if (highest > controllerEpoch) {
      const message = `controller epoch ${controllerEpoch} is over: epoch ${highest} has been claimed`;
      throw new KaasError("KAAS_FENCED", message);
    }
    const content = encodeDocument("assignment", assignment);
    if (!(await claimFile(this.#options, this.#directory, assignmentName(assignment), content))) {
      const message = `version ${version} of controller epoch ${controllerEpoch} has been published with another content`;
      throw new KaasError("KAAS_STORAGE_FAILED", message);
    }
    this.#toCopy = assignment;
    this.#tidying ??= this.#tidy();
  }

  /** Resolves when the copy is that of the newest one published here. */
  async close(): Promise<void> {
    await this.#tidying;
  }

  /** Whoever waits for an assignment waits neither for its copy nor for the removal of older ones. */
  async #tidy(): Promise<void> {
    const { directory, log } = this.#options;
    try {
      while (this.#toCopy !== undefined) {
        const assignment = this.#toCopy;
        this.#toCopy = undefined;
        await replaceFile(this.#options, directory, ASSIGNMENT_COPY_NAME, encodeDocument("assignment", assignment));
        await this.#removeOld(assignment.controllerEpoch);
      }
    } catch (error) {
      log.warn(
        { err: error },
        `${ASSIGNMENT_COPY_NAME} could not be brought up to date, or older assignments not removed`,
      );
    } finally {
      this.#tidying = undefined;
    }
  }

  /** Nothing of a later controller is removed, and the highest claim never is. */
  async #removeOld(ownEpoch: number): Promise<void> {
    const names = await this.#list();
    const claims = names.filter((name) => (claimedEpoch(name) ?? Infinity) <= ownEpoch);
    const assignments = names.filter((name) => (assignmentNumber(name)?.controllerEpoch ?? Infinity) <= ownEpoch);
    for (const old of [claims, assignments].flatMap((some) => some.sort().slice(0, -KEPT_MAX))) {
      await removeFile(this.#options.fileSystem, `${this.#directory}/${old}`);
    }
  }

  async #newestUsable(): Promise<Assignment | undefined> {
    const numbers = (await this.#list()).flatMap((name) => assignmentNumber(name) ?? []);
    for (const number of numbers.sort(compareAssignments).reverse()) {
      try {
        return await this.#read(number);
      } catch (error) {
        if (!isUnusable(error) && !isErrno(error, "ENOENT")) throw error;
      }
    }
    return undefined;
  }

  async #read(number: AssignmentNumber): Promise<Assignment> {
    const path = `${this.#directory}/${assignmentName(number)}`;
    const assignment = await readDocument(this.#options.fileSystem, path, "assignment");
    if (compareAssignments(assignment, number) === 0) return assignment;
    const { controllerEpoch, version } = assignment;
    const reason = `it says that it is version ${version} of controller epoch ${controllerEpoch}`;
    throw new KaasError("KAAS_VOLUME_INVALID", `${path} is not usable: ${reason}`);
  }

  async #list(): Promise<string[]> {
    return ((await listIfThere(this.#options.fileSystem, this.#directory)) ?? []).map(({ name }) => name);
  }
}

function isUnusable(error: unknown): boolean {
  return error instanceof KaasError && error.code === "KAAS_VOLUME_INVALID";
}

function newestOf(names: readonly string[]): AssignmentNumber | undefined {
  let newest: AssignmentNumber | undefined;
  for (const name of names) {
    const number = assignmentNumber(name);
    if (number !== undefined && (newest === undefined || compareAssignments(number, newest) > 0)) newest = number;
  }
  return newest;
}

/** −1: no controller was ever here. */
function highestEpoch(names: readonly string[]): number {
  let highest = -1;
  for (const name of names) {
    highest = Math.max(highest, claimedEpoch(name) ?? assignmentNumber(name)?.controllerEpoch ?? -1);
  }
  return highest;
}
