import type {
  ClientQuota,
  Clock,
  Credentials,
  Log,
  QuotaAlteration,
  ScramAlteration,
  ScramCredential,
  ScramMechanism,
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
  newDecoySecret,
  withQuota,
  withUser,
} from "./credentials-file.js";
import { GenerationFollower } from "./generation-follower.js";

/** Where `credentials.json` is, and how it is followed. */
export interface VolumeCredentialsOptions {
  readonly files: DurableFiles;
  /** The cluster directory. */
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
}

type Change = (content: CredentialsContent) => CredentialsContent;
type Scram = ReadonlyMap<ScramMechanism, ScramCredential>;

/** The users and quotas of `credentials.json`, followed while others write it, and changed by a broker that is alone. */
export class VolumeCredentials implements Credentials, UserAdmin {
  readonly #file: CredentialsFile;
  readonly #follower: GenerationFollower<"credentials">;
  readonly #users = new Map<string, Scram>();
  #decoySecret: Buffer;
  #quotas: readonly ClientQuota[] = [];
  #pending: Change[] = [];
  /** Under way, and has not taken its changes yet. */
  #writing: Promise<void> | undefined;

  constructor({ files, directory, clock, log }: VolumeCredentialsOptions) {
    this.#file = new CredentialsFile(files, directory);
    const adopt = (document: CredentialsDocument): void => this.#adopt(document);
    this.#follower = new GenerationFollower({ file: this.#file, clock, log, adopt });
    // Until there is a file, there is no user that could be told from the others.
    this.#decoySecret = newDecoySecret(files.random);
  }

  /** Reads what is there, and follows it from then on. Rejects with `KAAS_VOLUME_INVALID` when it cannot be used. */
  start(): Promise<void> {
    return this.#follower.start();
  }

  /** Follows the file no more. */
  close(): void {
    this.#follower.close();
  }

  /** What was durable before the call is in force when it resolves; see {@link GenerationFollower.refresh}. */
  refresh(): Promise<void> {
    return this.#follower.refresh();
  }

  get generation(): number {
    return this.#follower.generation;
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
    return this.#follower.onChange(callback);
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
        this.generation,
      );
      this.#follower.adoptOwn(written);
    } catch (error) {
      // What could not be read was not changed; what came later has another writing.
      if (this.#writing !== undefined) take();
      throw storageFailure(`${this.#file.path} cannot be changed`, error);
    }
  }

  #adopt({ decoySecret, users, quotas }: CredentialsDocument): void {
    this.#decoySecret = Buffer.from(decoySecret, "base64");
    this.#users.clear();
    for (const { name, scram } of users) this.#users.set(name, credentialsOf(scram));
    this.#quotas = quotas;
  }
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
