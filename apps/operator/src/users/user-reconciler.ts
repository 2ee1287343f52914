import type { Log } from "@kaas/core";
import { KAFKA_USERS } from "@kaas/k8s";
import { type KafkaCluster, type KafkaUser, usernameOf } from "@kaas/operator-api";
import { type CredentialsFile, withQuota, withUser } from "@kaas/storage";
import { isStill, reconcileBySteps, type Step } from "../reconciling/steps.js";
import { OUTDATED, type Turn } from "../reconciling/work-queue.js";
import type { StatusReporter } from "../reporting/status-reporter.js";
import type { AclKeeper } from "./acl-keeper.js";
import { quotaOf } from "./user-credentials.js";
import type { UserRun } from "./user-run.js";

/** How often is asked whether a certificate has been issued. */
const PENDING_INTERVAL_MS = 15_000;

export interface UserReconcilerOptions {
  readonly steps: readonly Step<UserRun>[];
  readonly reporter: StatusReporter;
  readonly credentials: CredentialsFile;
  readonly acls: AclKeeper;
  readonly find: (name: string) => KafkaUser | undefined;
  readonly users: () => readonly KafkaUser[];
  readonly cluster: () => KafkaCluster | undefined;
  readonly leads: () => boolean;
  readonly log: Log;
}

/** Makes users on the volume, and their Secrets, what their KafkaUsers say. */
export class UserReconciler {
  readonly #options: UserReconcilerOptions;

  constructor(options: UserReconcilerOptions) {
    this.#options = options;
  }

  /**
   * Waits for a change afterwards: of the user, of a Secret that it names, of the cluster. Only cert-manager, which is not
   * watched as it may not be there, is asked again.
   */
  async reconcile(name: string): Promise<Turn> {
    const { find, cluster, steps, leads } = this.#options;
    const object = find(name);
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) return {};
    const goesOn = (): boolean => leads() && isStill(object, find(name));
    const run: UserRun = { object, cluster: cluster(), username: usernameOf(object), keys: {}, goesOn };
    const outcome = await reconcileBySteps({
      steps,
      run,
      goesOn,
      whenDone: () => this.#reportReady(run),
      whenRefused: ({ reason, message }) => this.#report(run, reason, message),
    });
    if (outcome === "outdated") return OUTDATED;
    return run.isPending === true ? { againAfterMs: PENDING_INTERVAL_MS } : {};
  }

  /** Takes away what a user had whose KafkaUser is gone. */
  async remove(username: string): Promise<void> {
    const { users, credentials, acls, leads, log } = this.#options;
    if (!leads() || users().some((user) => usernameOf(user) === username)) return;
    await acls.keep();
    await credentials.update((content) => withQuota(withUser(content, username, {}), quotaOf(username, undefined)));
    log.info({ user: username }, "a user without a KafkaUser is removed");
  }

  async #reportReady(run: UserRun): Promise<void> {
    const { object, username, secret } = run;
    const parts = [
      object.spec.authentication === undefined
        ? "no authentication of its own"
        : `logs in by ${object.spec.authentication.type}`,
      ...(secret === undefined ? [] : [`credentials in Secret ${secret}`]),
    ];
    const verdict = { isReady: true, reason: "Ready", message: parts.join("; ") };
    await this.#options.reporter.report(KAFKA_USERS, object, verdict, { username, secret: secret ?? null });
  }

  async #report({ object, username }: UserRun, reason: string, message: string): Promise<void> {
    this.#options.log.info({ user: username, reason }, `KafkaUser ${object.metadata.name}: ${message}`);
    await this.#options.reporter.report(KAFKA_USERS, object, { isReady: false, reason, message }, { username });
  }
}
