import type { AclBinding, ClientQuota, ScramMechanism } from "@kaas/core";
import { generationFileName } from "../cluster/generation-file.js";
import { probeDocument } from "./document-probe.js";
import type { Finding } from "./finding.js";
import type { VolumeView } from "./volume-view.js";

/** A mechanism that a user can log in by. Salts and keys are not shown. */
export interface UserMechanism {
  readonly mechanism: ScramMechanism;
  readonly iterations: number;
}

/** What is known of a user: how it logs in, what limits it, and the ACLs that name it. */
export interface UserView {
  readonly name: string;
  readonly mechanisms: readonly UserMechanism[];
  readonly quotas: readonly ClientQuota[];
  readonly acls: readonly AclBinding[];
}

/** The users of a cluster, as `credentials.json` and `acls.json` name them. */
export interface UsersView {
  /** Ascending by name. */
  readonly users: readonly UserView[];
  readonly findings: readonly Finding[];
}

const USER_PREFIX = "User:";
const EVERYBODY = "*";

/** All users that can log in by password, have quotas of their own, or are named by ACLs. */
export async function viewUsers(view: VolumeView): Promise<UsersView> {
  const credentials = await probeDocument(
    view,
    `${view.clusterDirectory}/${generationFileName("credentials")}`,
    "credentials",
  );
  const acls = await probeDocument(view, `${view.clusterDirectory}/${generationFileName("acls")}`, "acls");
  const known = credentials.state === "valid" ? credentials.value : { users: [], quotas: [] };
  const bindings = acls.state === "valid" ? acls.value.acls : [];
  const names = new Set<string>([
    ...known.users.map(({ name }) => name),
    ...known.quotas.flatMap(({ entity: { user } }) => (typeof user === "string" ? [user] : [])),
    ...bindings.flatMap(({ principal }) => nameOf(principal)),
  ]);
  const users = [...names].sort().map((name): UserView => {
    const { scram = {} } = known.users.find((user) => user.name === name) ?? {};
    return {
      name,
      mechanisms: Object.entries(scram).map(([mechanism, { iterations }]) => ({
        mechanism: mechanism as ScramMechanism,
        iterations,
      })),
      quotas: known.quotas.filter(({ entity }) => entity.user === name),
      acls: bindings.filter(({ principal }) => principal === `${USER_PREFIX}${name}`),
    };
  });
  const findings = [credentials, acls].flatMap((probe) => (probe.state === "bad" ? [probe.finding] : []));
  return { users, findings };
}

function nameOf(principal: string): readonly string[] {
  if (!principal.startsWith(USER_PREFIX)) return [];
  const name = principal.slice(USER_PREFIX.length);
  return name === EVERYBODY ? [] : [name];
}
