// main.ts KAAS_PORT KAFKA_PORT KAAS_ACL_PORT KAFKA_ACL_PORT: what kaasctl tells of brokers that it asks, of Apache Kafka and
// of kaas, with the same on both. The second pair has an authorizer. Prints ok/FAIL lines, then 'done'.
import { deepEqual } from "node:assert/strict";
import { Rows } from "../lib/rows.js";
import { allow, type Content, make } from "./content.js";
import { brokers, groups, type Told, topics, unknown, users } from "./live-rows.js";

const [kaas = 0, kafka = 0, kaasAcl = 0, kafkaAcl = 0] = process.argv.slice(2).map(Number);
const run = process.pid.toString(36);
const content: Content = {
  topic: `told.${run}`,
  group: `readers.${run}`,
  user: `reader.${run}`,
  prefix: `untold.${run}`,
};
const sides = [
  { name: "Apache Kafka", port: kafka, aclPort: kafkaAcl },
  { name: "kaas", port: kaas, aclPort: kaasAcl },
];

const rows = new Rows();
await rows.run("topics, a group and an ACL are made", async () => {
  await Promise.all(sides.flatMap(({ port, aclPort }) => [make(port, content), allow(aclPort, content)]));
  return "on both";
});
const told = await Promise.all(
  sides.map(async ({ name, port, aclPort }) => {
    const alike: unknown[] = [];
    const row = (what: string, look: () => Promise<Told>): Promise<void> =>
      rows.run(`${what}, ${name}`, async () => {
        const found = await look();
        alike.push(found.alike);
        return found.said;
      });
    await row("topic ls, topic describe", () => topics(port, content));
    await row("brokers, assignment show", () => brokers(port, content));
    await row("offsets show", () => groups(port, content));
    await row("acl ls, user ls, user describe", () => users(aclPort, content));
    await row("what is not there, and what brokers cannot tell", () => unknown(port));
    return alike;
  }),
);
await rows.run("Apache Kafka and kaas", async () => {
  deepEqual(told[1], told[0]);
  return "are told of alike";
});
rows.end();
