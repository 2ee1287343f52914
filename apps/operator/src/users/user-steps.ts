import type { Random, ScramMechanism } from "@kaas/core";
import { getIfThere, isStatus, type KubernetesApi, type KubernetesObject, type Resource } from "@kaas/k8s";
import type { CredentialsFile } from "@kaas/storage";
import { withQuota, withUser } from "@kaas/storage";
import { brokerSecretName } from "../clusters/broker-certificate.js";
import { AUTHORITY_KEY, clusterAuthorityName } from "../clusters/cluster-authority.js";
import { whyNotIssued } from "../kubernetes/certificate-state.js";
import { FIELD_MANAGER, isOwnedBy, MANAGED_BY_LABEL, USER_LABEL } from "../kubernetes/ownership.js";
import { CERTIFICATES, SECRETS, type Secret } from "../kubernetes/resources.js";
import { textOf } from "../kubernetes/secret-text.js";
import type { Refusal, Step } from "../reconciling/steps.js";
import type { AclKeeper } from "./acl-keeper.js";
import { userCertificate, userCertificateName } from "./user-certificate.js";
import {
  CERTIFICATE_PENDING,
  certificatePending,
  foreignCertificate,
  foreignSecret,
  malformedPassword,
  missingSecret,
  noCertManager,
  noClientsCa,
} from "./user-checks.js";
import { keysOfPassword, keysOfSpec, quotaOf, secretBytes, SCRAM_MECHANISMS } from "./user-credentials.js";
import type { UserRun } from "./user-run.js";
import { isPassword, PASSWORD_KEY, userSecret, userSecretName } from "./user-secret.js";

export interface UserTools {
  readonly api: KubernetesApi;
  readonly credentials: CredentialsFile;
  readonly acls: AclKeeper;
  readonly random: Random;
}

/** A password of 192 bits. */
const PASSWORD_BYTES = 24;

/**
 * What is done to make a user what its KafkaUser says. ACLs come first: what a user may not do any more is taken away
 * also when the rest cannot be done.
 */
export function userSteps(tools: UserTools): readonly Step<UserRun>[] {
  const { api, credentials, acls, random } = tools;
  return [
    {
      name: "rebuild the ACLs of all users",
      run: async () => {
        await acls.keep();
        return undefined;
      },
    },
    {
      name: "keep the quotas",
      run: async ({ username, object, goesOn }) => {
        // Who logs in by certificate from now on has another name, and nothing under the one before.
        const former = object.status?.username ?? username;
        await credentials.update((content) => {
          if (!goesOn()) return content;
          const kept =
            former === username ? content : withQuota(withUser(content, former, {}), quotaOf(former, undefined));
          return withQuota(kept, quotaOf(username, object.spec.quotas));
        });
        return undefined;
      },
    },
    { name: "find the password", run: (run) => findPassword(run, tools) },
    {
      name: "derive the keys",
      run: async (run) => {
        const { authentication } = run.object.spec;
        if (authentication?.scramCredentials !== undefined) run.keys = keysOfSpec(authentication.scramCredentials);
        const mechanism = mechanismOf(run);
        if (mechanism === undefined || run.password === undefined) return undefined;
        const before = (await credentials.read())?.users.find(({ name }) => name === run.username)?.scram[mechanism];
        run.keys = await keysOfPassword(mechanism, run.password, before, random);
        return undefined;
      },
    },
    {
      name: "keep the Secret",
      run: async (run) => {
        const mechanism = mechanismOf(run);
        if (mechanism === undefined || run.password === undefined) return undefined;
        const extras = { bootstrapServers: bootstrapOf(run), authority: await authorityOf(run, api) };
        // Who waits for a Secret logs in as soon as it is there. Who has one logs in by it for as long as it says the same.
        if (run.found === undefined) await keepKeys(run, tools);
        await applySecret(api, userSecret(run.object, run.password, mechanism, extras), run.found);
        run.secret = userSecretName(run.object);
        return undefined;
      },
    },
    { name: "keep the certificate", run: (run) => keepCertificate(run, api) },
    { name: "keep the keys", run: (run) => keepKeys(run, tools) },
    { name: "remove what is not needed any more", run: (run) => removeFormer(run, api) },
  ];
}

async function keepKeys({ username, keys, goesOn }: UserRun, { credentials }: UserTools): Promise<undefined> {
  await credentials.update((content) => (goesOn() ? withUser(content, username, keys) : content));
}

/** The mechanism of a user with a password. */
function mechanismOf({ object }: UserRun): ScramMechanism | undefined {
  const { authentication } = object.spec;
  if (authentication?.type !== "scram-sha-512" && authentication?.type !== "scram-sha-256") return undefined;
  return authentication.scramCredentials === undefined ? SCRAM_MECHANISMS[authentication.type] : undefined;
}

/** The password of the Secret that the user names, or that it has been given; else a new one. */
async function findPassword(run: UserRun, { api, credentials, random }: UserTools): Promise<Refusal | undefined> {
  if (mechanismOf(run) === undefined) return undefined;
  const own = await findSecret(run, api, userSecretName(run.object));
  if (own !== undefined && !isOwnedBy(own, run.object)) return foreignSecret(own.metadata.name);
  run.found = own;
  const reference = run.object.spec.authentication?.password?.valueFrom.secretKeyRef;
  if (reference === undefined) {
    const present = textOf(own, PASSWORD_KEY);
    if (present !== undefined && !isPassword(own, PASSWORD_KEY)) {
      return malformedPassword(userSecretName(run.object), PASSWORD_KEY);
    }
    run.password = present ?? secretBytes(random, PASSWORD_BYTES).toString("base64url");
    return undefined;
  }
  const { name, key } = reference;
  const secret = await findSecret(run, api, name);
  run.password = textOf(secret, key) ?? "";
  if (run.password !== "") return isPassword(secret, key) ? undefined : malformedPassword(name, key);
  const known = (await credentials.read())?.users.find((user) => user.name === run.username)?.scram ?? {};
  return missingSecret(name, key, secret !== undefined, Object.keys(known).length > 0);
}

function findSecret({ object }: UserRun, api: KubernetesApi, name: string): Promise<Secret | undefined> {
  const { namespace = "" } = object.metadata;
  return getIfThere(api, SECRETS, { name, namespace });
}

/**
 * Writes over exactly what was found: a Secret that was deleted meanwhile, or given another password, does not come back as
 * it was. That is a conflict, and the user is looked at anew.
 */
async function applySecret(api: KubernetesApi, secret: Secret, found: Secret | undefined): Promise<void> {
  const { name, namespace = "" } = secret.metadata;
  const { uid, resourceVersion } = found?.metadata ?? {};
  const object = { ...secret, metadata: { ...secret.metadata, uid, resourceVersion } };
  const patch = { type: "apply", object, fieldManager: FIELD_MANAGER, isForced: true } as const;
  await api.patch(SECRETS, { name, namespace }, patch);
}

async function keepCertificate(run: UserRun, api: KubernetesApi): Promise<Refusal | undefined> {
  if (run.object.spec.authentication?.type !== "tls") return undefined;
  const issuerRef = run.cluster?.spec.clientsCa?.issuerRef;
  if (issuerRef === undefined) return noClientsCa;
  const certificate = userCertificate(run.object, issuerRef);
  const { name, namespace = "" } = certificate.metadata;
  const patch = { type: "apply", object: certificate, fieldManager: FIELD_MANAGER, isForced: true } as const;
  const present = await getIfThere(api, CERTIFICATES, { name, namespace });
  if (present !== undefined && present.metadata.labels?.[MANAGED_BY_LABEL] !== FIELD_MANAGER) {
    return foreignCertificate(name);
  }
  try {
    const why = whyNotIssued(await api.patch(CERTIFICATES, { name, namespace }, patch));
    if (why !== undefined) {
      run.isPending = true;
      return certificatePending(why);
    }
  } catch (error) {
    if (isStatus(error, 404)) return noCertManager;
    throw error;
  }
  run.secret = name;
  return undefined;
}

/** Whom clients are to trust, as the cluster has published it. */
async function authorityOf(run: UserRun, api: KubernetesApi): Promise<string | undefined> {
  const { cluster } = run;
  if (cluster === undefined || brokerSecretName(cluster) === undefined) return undefined;
  const secret = await findSecret(run, api, clusterAuthorityName(cluster.metadata.name));
  return secret !== undefined && isOwnedBy(secret, cluster) ? textOf(secret, AUTHORITY_KEY) : undefined;
}

/** A user that logs in otherwise by now has no use for what was made for it. */
async function removeFormer(run: UserRun, api: KubernetesApi): Promise<undefined> {
  const { secret, conditions } = run.object.status ?? {};
  // A certificate that was never issued is not in the status.
  const awaited = conditions?.some(({ reason }) => reason === CERTIFICATE_PENDING)
    ? userCertificateName(run.object)
    : "";
  for (const former of new Set([secret ?? "", awaited])) {
    if (former === "" || former === run.secret) continue;
    // The certificate first, or its Secret would be made again.
    await removeOwned(run, api, CERTIFICATES, former);
    await removeOwned(run, api, SECRETS, former);
  }
}

async function removeOwned<T extends KubernetesObject>(
  { object }: UserRun,
  api: KubernetesApi,
  resource: Resource<T>,
  name: string,
): Promise<void> {
  const ref = { name, namespace: object.metadata.namespace ?? "" };
  try {
    const found = await api.get(resource, ref);
    const isOurs = isOwnedBy(found, object) || found.metadata.labels?.[USER_LABEL] === object.metadata.name;
    const { uid } = found.metadata;
    if (isOurs) await api.delete(resource, ref, uid === undefined ? {} : { uid });
  } catch (error) {
    // Not there, or another one by now, or there is no cert-manager.
    if (!isStatus(error, 404) && !isStatus(error, 409)) throw error;
  }
}

/** What a client begins with, by the first listener that lets this kind of user log in. */
function bootstrapOf({ cluster, object }: UserRun): string | undefined {
  const type = object.spec.authentication?.type;
  const listener = cluster?.spec.listeners.find(({ authentication }) => authentication?.type === type);
  return cluster?.status?.listeners?.find(({ name }) => name === listener?.name)?.bootstrapServers;
}
