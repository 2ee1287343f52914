// main.ts KAAS_PORT KAFKA_PORT KAAS_STRICT_PORT KAFKA_STRICT_PORT KAAS_ACL_PORT KAFKA_ACL_PORT [SCENARIO…]: the same
// requests to both, their answers held beside each other field by field. The strict pair runs with other broker configs,
// the last one with an authorizer. Prints ok/FAIL lines, then 'done'.
import { servedNames } from "./apis.js";
import { compare, type Difference } from "./compare.js";
import { Context, type Scenario } from "./context.js";
import { KnownDifferences } from "./known-difference.js";
import { knownDifferences } from "./known-differences.js";
import { Report } from "./report.js";
import { aclScenarios, scenarios, strictScenarios } from "./scenarios/index.js";

const [kaasPort, kafkaPort, kaasStrictPort, kafkaStrictPort, kaasAclPort, kafkaAclPort, ...wanted] =
  process.argv.slice(2);
const RUN = `.${process.pid.toString(36)}${Date.now().toString(36)}`;
const known = new KnownDifferences(knownDifferences);
const report = new Report(known);
const isWanted = ({ name }: Scenario): boolean => wanted.length === 0 || wanted.includes(name);

for (const scenario of scenarios.filter(isWanted)) await run(scenario, Number(kaasPort), Number(kafkaPort));
for (const scenario of strictScenarios.filter(isWanted))
  await run(scenario, Number(kaasStrictPort), Number(kafkaStrictPort));
for (const scenario of aclScenarios.filter(isWanted)) await run(scenario, Number(kaasAclPort), Number(kafkaAclPort));
if (wanted.length === 0) {
  report.everyApiWasAsked(servedNames);
  report.everyEntryIsUsed();
}
console.log("done");
process.exitCode = report.failed > 0 ? 1 : 0;

async function run(scenario: Scenario, kaasPort: number, kafkaPort: number): Promise<void> {
  const began = performance.now();
  const [kafka, kaas] = await Promise.all([kafkaPort, kaasPort].map((port) => oneSide(scenario, port)));
  if (kafka !== undefined && kaas !== undefined) {
    const differences = new Map<string, Difference[]>();
    for (const label of new Set([...kafka.answers.keys(), ...kaas.answers.keys()])) {
      differences.set(label, compare(kafka.answers.get(label), kaas.answers.get(label)));
    }
    report.scenario(scenario.name, differences, [kafka, kaas]);
    report.ranToTheEnd(scenario.name, [kafka, kaas]);
  }
  console.log(`# ${scenario.name}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
}

async function oneSide(scenario: Scenario, port: number): Promise<Context> {
  const context = new Context(port, scenario.name.replaceAll(" ", "-"), RUN);
  try {
    await scenario.run(context);
  } catch (error) {
    context.failure = (error as Error).stack ?? String(error);
  }
  context.close();
  return context;
}
