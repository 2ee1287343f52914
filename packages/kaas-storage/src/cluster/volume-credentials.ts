import type {
  ClientQuota,
  Clock,
  Credentials,
  Log,
  QuotaAlteration,
  ScramAlteration,
  ScramCredential,
  ScramMechanism,
  Timer,
  UserAdmin,
  UserChangeRefusal,
} from "@kaas/core";
import type { ScramRecord, UserRecord } from "../documents/document-types.js";
import type { DurableFiles } from "../documents/durable-files.js";
import { storageFailure } from "../file-system/storage-failure.js";
import {
  type CredentialsContent,
  type CredentialsDocument,
  CredentialsFile,
  withQuota,
  withUser,
} from "./credentials-file.js";

/** How often the file is looked at. */
const POLL_INTERVAL_MS = 1_000;

export interface VolumeCredentialsOptions {
  readonly files: DurableFiles;
  /** The cluster directory. */
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
}

type Change = (content: CredentialsContent) => CredentialsContent;
type Scram = ReadonlyMap<ScramMechanism, ScramCredential>;

/**
 * The users and quotas of `credentials.json`, followed while others write it, and changed by a broker that is alone.
 *
 * What was read once stays in force for as long as nothing newer and valid is there: a file that is gone, broken or of a
 * lower generation changes nothing, and is named in the log.
 */
export class VolumeCredentials implements Credentials, UserAdmin {
  readonly #options: VolumeCredentialsOptions;
  readonly #file: CredentialsFile;
  readonly #listeners = new Set<() => void>();
  readonly #users = new Map<string, Scram>();
  #decoySecret: Buffer;
  #quotas: readonly ClientQuota[] = [];
  #generation = 0;
  #bytes: Buffer | undefined;
  /** What was last said to be wrong. */
  #complaint = "";
  #poll: Timer | undefined;
  #isClosed = false;
  #pending: Change[] = [];
  /** Under way, and has not taken its changes yet. */
  #writing: Promise<void> | undefined;

  constructor(options: VolumeCredentialsOptions) {
    this.#options = options;
    this.#file = new CredentialsFile(options.files, options.directory);
    const { random } = options.files;
    // Until there is a file, there is no user that could be told from the others.
    this.#decoySecret = Buffer.from(`${random.uuid()}${random.uuid()}`, "base64url");
  }

  /** Reads what is there, and follows it from then on. Rejects with `KAAS_VOLUME_INVALID` when it cannot be used. */
  async start(): Promise<void> {
    await this.#look();
    this.#schedule();
  }

  /** Follows the file no more. */
  close(): void {
    this.#isClosed = true;
    this.#poll?.cancel();
  }

  get generation(): number {
    return this.#generation;
  }

  get decoySecret(): Buffer {
    return this.#decoySecret;
  }

  users(): Iterable<string> {
    return this.#users.keys();
  }

  scram(user: string): Scram | undefined {
    return this.#users.get(user);
  }

  quotas(): readonly ClientQuota[] {
    return this.#quotas;
  }

  onChange(callback: () => void): () => void {
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }

  async alterScram({ user, upserts, deletions }: ScramAlteration): Promise<UserChangeRefusal | undefined> {
    await this.#change((content) => {
      const before = content.users.find(({ name }) => name === user)?.scram ?? {};
      const kept = Object.entries(before).filter(([mechanism]) => !deletions.has(mechanism as ScramMechanism));
      const added = [...upserts].map(([mechanism, credential]) => [mechanism, recordOf(credential)]);
      return withUser(content, user, Object.fromEntries([...kept, ...added]) as UserRecord["scram"]);
    });
    return undefined;
  }

  async alterQuotas({ entity, limits }: QuotaAlteration): Promise<UserChangeRefusal | undefined> {
    await this.#change((content) => {
      const same = withQuota(content, { entity, limits: {} });
      const before = content.quotas.find((quota) => !same.quotas.includes(quota))?.limits ?? {};
      const after = Object.entries({ ...before, ...limits }).filter(([, limit]) => limit !== null);
      return withQuota(content, { entity, limits: Object.fromEntries(after) as ClientQuota["limits"] });
    });
    return undefined;
  }

  /** Changes that come while the file is being written share the next writing. */
  #change(change: Change): Promise<void> {
    this.#pending.push(change);
    this.#writing ??= this.#write();
    return this.#writing;
  }

  async #write(): Promise<void> {
    const take = (): readonly Change[] => {
      this.#writing = undefined;
      return this.#pending.splice(0);
    };
    try {
      const written = await this.#file.update(
        (content) => take().reduce((changed, change) => change(changed), content),
        this.#generation,
      );
      if (written.generation > this.#generation) this.#adopt(written);
    } catch (error) {
      // What could not be read was not changed; what came later has another writing.
      if (this.#writing !== undefined) take();
      throw storageFailure(`${this.#file.path} cannot be changed`, error);
    }
  }

  #schedule(): void {
    this.#poll = this.#options.clock.schedule(POLL_INTERVAL_MS, () => {
      void this.#look()
        .then(
          () => this.#complainOnce(""),
          (error: unknown) =>
            this.#complainOnce("credentials.json cannot be used; what it said before stays in force", error),
        )
        .finally(() => {
          if (!this.#isClosed) this.#schedule();
        });
    });
  }

  async #look(): Promise<void> {
    const known = this.#generation; // a change of our own may come in between
    const bytes = await this.#file.readBytes();
    if (this.#isClosed || isSame(bytes, this.#bytes)) return;
    if (bytes === undefined) throw new Error(`${this.#file.path} is gone`);
    const document = await this.#file.decode(bytes);
    this.#bytes = bytes;
    if (document.generation >= this.#generation) {
      this.#adopt(document);
      return;
    }
    const { generation } = document;
    if (generation >= known) return;
    const fields = { path: this.#file.path, generation, generationInForce: known };
    this.#options.log.warn(fields, "credentials.json has a lower generation than before and is ignored");
  }

  #adopt({ generation, decoySecret, users, quotas }: CredentialsDocument): void {
    this.#generation = generation;
    this.#decoySecret = Buffer.from(decoySecret, "base64");
    this.#users.clear();
    for (const { name, scram } of users) this.#users.set(name, credentialsOf(scram));
    this.#quotas = quotas;
    for (const listener of this.#listeners) listener();
  }

  #complainOnce(message: string, error?: unknown): void {
    const complaint = `${message}${error instanceof Error ? error.message : ""}`;
    if (complaint === this.#complaint) return;
    this.#complaint = complaint;
    if (message === "") this.#options.log.info({ path: this.#file.path }, "credentials.json can be used again");
    else this.#options.log.error({ path: this.#file.path, err: error }, message);
  }
}

function isSame(one: Buffer | undefined, other: Buffer | undefined): boolean {
  return one === other || (one !== undefined && other !== undefined && one.equals(other));
}

function credentialsOf(scram: UserRecord["scram"]): Scram {
  return new Map(
    Object.entries(scram).map(([mechanism, record]) => [mechanism as ScramMechanism, credentialOf(record)]),
  );
}

function credentialOf({ salt, iterations, storedKey, serverKey }: ScramRecord): ScramCredential {
  const bytes = (text: string): Buffer => Buffer.from(text, "base64");
  return { salt: bytes(salt), iterations, storedKey: bytes(storedKey), serverKey: bytes(serverKey) };
}

/** A credential as it is kept. */
export function recordOf({ salt, iterations, storedKey, serverKey }: ScramCredential): ScramRecord {
  const text = (bytes: Buffer): string => bytes.toString("base64");
  return { salt: text(salt), iterations, storedKey: text(storedKey), serverKey: text(serverKey) };
}
