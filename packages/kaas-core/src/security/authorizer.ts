import { KaasError } from "../errors/kaas-error.js";
import type { AclBinding, Acls } from "../ports/acls.js";
import type { Log } from "../ports/log.js";
import { type Access, fullAccess } from "./access.js";
import { AclAccess, type AccessRules } from "./acl-access.js";
import { AclIndex, WILDCARD } from "./acl-index.js";
import { type KafkaPrincipal, parsePrincipal } from "./kafka-principal.js";
import { plainHost } from "./plain-host.js";

/** Clients whose decisions are kept, by principal and address. Those of a connection stay with it all the same. */
const CLIENTS_MAX = 10_000;

/** How an authorizer is set up, by Kafka's names. */
export interface AuthorizerSettings {
  /** `super.users`: principals in their text form, separated by `;`. */
  readonly superUsers: string;
  /** `allow.everyone.if.no.acl.found`. */
  readonly allowsEveryoneIfNoAclFound: boolean;
}

/** Says what clients may do. */
export interface Authorizer {
  /** Whether anybody is held back at all; ACLs can be listed and changed only then. */
  readonly isOn: boolean;
  /** One object for a principal at an address; it follows changes of the ACLs. */
  accessOf(principal: KafkaPrincipal, address: string): Access;
}

/** Where an authorizer's settings come from: the part of the broker's configuration that it needs. */
export interface AuthorizerConfig {
  boolean(name: string): boolean;
  text(name: string): string | undefined;
}

/**
 * The authorizer that a broker is configured with.
 *
 * @throws KaasError KAAS_CONFIG_INVALID naming the super user that is no principal.
 */
export function configuredAuthorizer(config: AuthorizerConfig, acls: Acls, log: Log): Authorizer {
  if ((config.text("authorizer.class.name") ?? "") === "") return noAuthorizer;
  const superUsers = config.text("super.users") ?? "";
  const allowsEveryoneIfNoAclFound = config.boolean("allow.everyone.if.no.acl.found");
  return new AclAuthorizer(acls, { superUsers, allowsEveryoneIfNoAclFound }, log);
}

/** ACLs of a broker that is not given any. */
export const noAcls: Acls = {
  bindings: () => [],
  refresh: () => Promise.resolve(),
  onChange: () => () => {},
};

/** Everybody may do everything, as without `authorizer.class.name`. */
export const noAuthorizer: Authorizer = { isOn: false, accessOf: () => fullAccess };

/** All ACLs, arranged so that what holds for one client is found without looking at those of the others. */
interface CompiledAcls {
  readonly version: object;
  readonly byPrincipal: ReadonlyMap<string, readonly AclBinding[]>;
  /** For resources that are open while no ACL is about them; not needed otherwise. */
  readonly everything: AclIndex | undefined;
}

/**
 * Decides by ACLs as Kafka's StandardAuthorizer does: super users may do everything; else what any matching ACL denies
 * is denied, and only what one allows is allowed.
 */
export class AclAuthorizer implements Authorizer {
  readonly isOn = true;
  readonly #acls: Acls;
  readonly #log: Log;
  readonly #superUsers: ReadonlySet<string>;
  readonly #allowsEveryone: boolean;
  readonly #clients = new Map<string, Access>();
  #compiled: CompiledAcls | undefined;

  /** @throws KaasError KAAS_CONFIG_INVALID naming the super user that is no principal. */
  constructor(acls: Acls, settings: AuthorizerSettings, log: Log) {
    this.#acls = acls;
    this.#log = log;
    this.#superUsers = parseSuperUsers(settings.superUsers);
    this.#allowsEveryone = settings.allowsEveryoneIfNoAclFound;
    acls.onChange(() => {
      this.#compiled = undefined;
    });
  }

  accessOf(principal: KafkaPrincipal, address: string): Access {
    if (this.#superUsers.has(principal.text)) return fullAccess;
    const host = plainHost(address);
    const key = `${host} ${principal.text}`;
    const known = this.#clients.get(key);
    if (known !== undefined) return known;
    const access = this.#newAccess(principal, host);
    if (this.#clients.size >= CLIENTS_MAX) this.#clients.clear();
    this.#clients.set(key, access);
    return access;
  }

  #newAccess(principal: KafkaPrincipal, host: string): Access {
    let rules: AccessRules | undefined;
    const inForce = (): AccessRules => {
      const compiled = this.#compile();
      if (rules?.version !== compiled.version) rules = rulesOf(compiled, principal, host);
      return rules;
    };
    return new AclAccess(inForce, (operation, resourceType, resourceName) => {
      const fields = { principal: principal.text, host, operation, resourceType, resourceName };
      this.#log.info(fields, "a client is denied what it asked for");
    });
  }

  #compile(): CompiledAcls {
    if (this.#compiled !== undefined) return this.#compiled;
    const byPrincipal = new Map<string, AclBinding[]>();
    const everything = this.#allowsEveryone ? new AclIndex() : undefined;
    for (const acl of this.#acls.bindings()) {
      const own = byPrincipal.get(acl.principal);
      if (own === undefined) byPrincipal.set(acl.principal, [acl]);
      else own.push(acl);
      everything?.add(acl);
    }
    this.#compiled = { version: {}, byPrincipal, everything };
    return this.#compiled;
  }
}

function rulesOf(
  { version, byPrincipal, everything }: CompiledAcls,
  principal: KafkaPrincipal,
  host: string,
): AccessRules {
  const holds = (acl: AclBinding): boolean => acl.host === WILDCARD || plainHost(acl.host) === host;
  const everybody = `${principal.type}:${WILDCARD}`;
  const own = (byPrincipal.get(principal.text) ?? []).filter(holds);
  if (principal.text !== everybody) own.push(...(byPrincipal.get(everybody) ?? []).filter(holds));
  return { version, own, isOpen: (type, name) => everything !== undefined && !everything.has(type, name) };
}

function parseSuperUsers(text: string): ReadonlySet<string> {
  const users = new Set<string>();
  for (const item of text.split(";")) {
    const user = item.trim();
    if (user === "") continue;
    if (parsePrincipal(user) === undefined) {
      throw new KaasError(
        "KAAS_CONFIG_INVALID",
        `super.users: "${user}" is no principal; they look like User:alice and are separated by ;`,
      );
    }
    users.add(user);
  }
  return users;
}
