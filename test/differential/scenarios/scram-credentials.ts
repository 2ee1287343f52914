import type { Context, Message, Scenario } from "../context.js";

const SALT = Buffer.from("a salt of some bytes");

interface Change {
  readonly mechanism?: number;
  readonly iterations?: number;
  readonly salt?: Buffer;
  readonly saltedPassword?: Buffer;
}

const set = (
  name: string,
  { mechanism = 1, iterations = 4096, salt = SALT, saltedPassword }: Change = {},
): Message => ({
  name,
  mechanism,
  iterations,
  salt,
  saltedPassword: saltedPassword ?? Buffer.alloc(mechanism === 2 ? 64 : 32, 1),
});

/** Users are set, deleted and described; and what is out of place on a listener without logins. */
export const scramCredentials: Scenario = {
  name: "scram credentials",
  async run(context) {
    const user = (name: string): string => context.named(name);
    const alter = (label: string, deletions: Message[], upsertions: Message[]): Promise<Message> =>
      context.call(label, "AlterUserScramCredentials", 0, { deletions, upsertions });
    await alter("nothing", [], []);
    await alter("one", [], [set(user("a"))]);
    await alter("its other mechanism", [], [set(user("a"), { mechanism: 2, iterations: 5000 })]);
    await alter("both mechanisms at once", [], [set(user("b")), set(user("b"), { mechanism: 2 })]);
    await alter("deleted and set at once", [{ name: user("a"), mechanism: 1 }], [set(user("a"))]);
    await alter("deleted: nobody, and set", [{ name: user("b"), mechanism: 1 }], [set(user("b"), { mechanism: 2 })]);
    await alter("deleted: nobody", [{ name: user("none"), mechanism: 1 }], []);
    await alter("deleted: no name", [{ name: "", mechanism: 1 }], []);
    await alter("deleted: unknown mechanism", [{ name: user("a"), mechanism: 9 }], []);
    await alter("deleted twice", Array(2).fill({ name: user("a"), mechanism: 2 }), []);
    for (const iterations of [4095, 16_384, 16_385, -1]) {
      await alter(`iterations ${iterations}`, [], [set(user(`i${iterations}`), { iterations })]);
    }
    await alter("no name", [], [set("")]);
    await alter("no name and unknown mechanism", [], [set("", { mechanism: 7 })]);
    for (const mechanism of [0, 3, -1]) await alter(`mechanism ${mechanism}`, [], [set(user("m"), { mechanism })]);
    await alter("no salt", [], [set(user("no-salt"), { salt: Buffer.alloc(0) })]);
    await alter("no salted password", [], [set(user("no-password"), { saltedPassword: Buffer.alloc(0) })]);
    await alter("a short salted password", [], [set(user("short"), { saltedPassword: Buffer.alloc(5, 1) })]);
    await alter("good, then bad", [], [set(user("g")), set(user("g"), { iterations: 1 })]);
    await alter("bad, then good", [], [set(user("g"), { iterations: 1 }), set(user("g"))]);
    const several = [set(user("x")), set(user("y")), set(user("z"), { iterations: 1 })];
    await alter("several users", [{ name: user("none"), mechanism: 2 }], several);
    await alter("deleted", [{ name: user("y"), mechanism: 1 }], []);
    await describeAll(context, user);
    await outOfPlace(context);
  },
};

async function describeAll(context: Context, user: (name: string) => string): Promise<void> {
  const describe = (label: string, names: readonly string[]): Promise<Message> =>
    context.call(label, "DescribeUserScramCredentials", 0, { users: names.map((name) => ({ name })) });
  await describe("described", ["a", "b", "x", "y", "short"].map(user));
  await describe("described: nobody", [user("none"), ""]);
  await describe("described twice", [user("a"), user("a"), user("none"), user("none")]);
  for (const users of [null, []]) {
    const answer = await context.quiet("DescribeUserScramCredentials", { users });
    // Who has no salt exists at one of the two brokers only.
    const isOurs = (name: string): boolean => name.startsWith(user("")) && name !== user("no-salt");
    const ours = answer.results.filter((one: Message) => isOurs(one.user));
    context.keep(`described: all, by ${JSON.stringify(users)}`, { ...answer, results: ours });
  }
}

async function outOfPlace(context: Context): Promise<void> {
  for (const version of [0, 1]) await context.call("handshake", "SaslHandshake", version, { mechanism: "PLAIN" });
  for (const version of [0, 1, 2]) {
    await context.call("authenticate", "SaslAuthenticate", version, { authBytes: Buffer.from("\0a\0b") });
  }
}
