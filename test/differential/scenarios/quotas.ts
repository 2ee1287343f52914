// Quotas as an administrator sets and lists them, by good requests and bad ones.
import type { Context, Message, Scenario } from "../context.js";

export const quotaRequests: Scenario = {
  name: "quotas",
  async run(context) {
    await alterations(context);
    await filters(context);
  },
};

const op = (key: string, value: number, remove = false): Message => ({ key, value, remove });

function entity(parts: Readonly<Record<string, string | null>>): Message[] {
  return Object.entries(parts).map(([entityType, entityName]) => ({ entityType, entityName }));
}

async function alterations(context: Context): Promise<void> {
  const user = context.named("u");
  const ask = (label: string, of: readonly Message[], ...ops: readonly Message[]): Promise<void> =>
    context.eachVersion(`alter, ${label}`, "AlterClientQuotas", {
      entries: [{ entity: of, ops }],
      validateOnly: false,
    });
  await ask("a user", entity({ user }), op("producer_byte_rate", 1000), op("request_percentage", 12.5));
  await ask("a client", entity({ "client-id": user }), op("consumer_byte_rate", 5));
  await ask("both", entity({ user, "client-id": null }), op("controller_mutation_rate", 0.5));
  await ask("an address", entity({ ip: "127.0.0.9" }), op("connection_creation_rate", 7));
  await ask("remove", entity({ user }), op("producer_byte_rate", 0, true));
  await ask("remove what is not there", entity({ user }), op("consumer_byte_rate", 0, true));
  await ask("no entity", [], op("producer_byte_rate", 1));
  await ask(
    "a type twice",
    [...entity({ user: `${user}-twice` }), ...entity({ user: `${user}-twice` })],
    op("producer_byte_rate", 1),
  );
  await ask("an unknown type", entity({ planet: "x" }), op("producer_byte_rate", 1));
  await ask("an empty name", entity({ user: "" }), op("producer_byte_rate", 1));
  await ask("address and user", entity({ ip: "127.0.0.1", user }), op("producer_byte_rate", 1));
  await ask("no address", entity({ ip: "no address" }), op("connection_creation_rate", 1));
  await ask("an address, bytes", entity({ ip: "127.0.0.1" }), op("producer_byte_rate", 1));
  await ask("a user, connections", entity({ user }), op("connection_creation_rate", 1));
  await ask("an unknown key", entity({ user }), op("speed", 1));
  for (const value of [0, -1, 1.5, 1e19, Number.NaN]) {
    await ask(`bytes of ${value}`, entity({ user }), op("producer_byte_rate", value));
  }
  await ask("connections beyond int", entity({ ip: "127.0.0.1" }), op("connection_creation_rate", 3e9));
  await ask("percentage of 0", entity({ user }), op("request_percentage", 0));
  await ask("nothing", entity({ user }));
  await ask("good beside bad", entity({ user }), op("consumer_byte_rate", 9), op("speed", 1));
  await context.call("alter, only checked", "AlterClientQuotas", 1, {
    entries: [{ entity: entity({ user }), ops: [op("consumer_byte_rate", 77)] }],
    validateOnly: true,
  });
  await context.call("alter, several", "AlterClientQuotas", 1, {
    entries: [
      { entity: entity({ user: context.named("v") }), ops: [op("consumer_byte_rate", 77)] },
      { entity: entity({ user: "" }), ops: [op("consumer_byte_rate", 77)] },
    ],
    validateOnly: false,
  });
}

async function filters(context: Context): Promise<void> {
  const user = context.named("u");
  const component = (entityType: string, matchType: number, match: string | null): Message => ({
    entityType,
    matchType,
    match,
  });
  const ask = (label: string, components: readonly Message[], strict: boolean): Promise<void> =>
    context.eachVersion(`list, ${label}`, "DescribeClientQuotas", { components, strict });
  await context.until("quotas are listed", async () => {
    const components = [component("user", 0, context.named("v"))];
    const { entries } = await context.quiet("DescribeClientQuotas", { components, strict: false });
    return entries?.length === 1;
  });
  await ask("a user, strict", [component("user", 0, user)], true);
  await ask("a user", [component("user", 0, user)], false);
  await ask("a user's default client", [component("user", 0, user), component("client-id", 1, null)], true);
  await ask("a user's clients", [component("user", 0, user), component("client-id", 2, null)], false);
  await ask("a client", [component("client-id", 0, user)], false);
  await ask("an address", [component("ip", 0, "127.0.0.9")], true);
  await ask("the default user", [component("user", 1, null)], true);
  await ask("nobody", [component("user", 0, "nobody")], true);
  await ask("an empty type", [component("", 0, "x")], true);
  await ask("a type twice", [component("user", 0, user), component("user", 1, null)], true);
  await ask("an unknown type", [component("planet", 0, "x")], true);
  await ask("exact without a name", [component("user", 0, null)], true);
  await ask("default with a name", [component("user", 1, "x")], true);
  await ask("any with a name", [component("user", 2, "x")], true);
  await ask("an unknown match", [component("user", 3, "x")], true);
  await ask("address and user", [component("ip", 2, null), component("user", 2, null)], true);
}
