import yargs, { type Argv } from "yargs";
import { listAcls } from "./commands/acls.js";
import { diffAssignments } from "./commands/assignment-diff.js";
import { assignmentHistory } from "./commands/assignment-history.js";
import { showAssignment } from "./commands/assignment-show.js";
import { listBrokers } from "./commands/brokers.js";
import { doctor } from "./commands/doctor.js";
import { listFences } from "./commands/fences.js";
import { showFuses } from "./commands/fuses.js";
import { drain } from "./commands/drain.js";
import { dumpLog } from "./commands/log-dump.js";
import { verifyLogs } from "./commands/log-verify.js";
import { showOffsets } from "./commands/offsets-show.js";
import { listProducerIds } from "./commands/producer-ids.js";
import { repair } from "./commands/repair.js";
import { listSlots } from "./commands/slots.js";
import { describeTopic, listTopics } from "./commands/topics.js";
import { describeUser, listUsers } from "./commands/users.js";
import { volumeInfo } from "./commands/volume-info.js";
import { listLiveAcls } from "./live/acls.js";
import { showLiveAssignment } from "./live/assignment.js";
import { listLiveBrokers } from "./live/brokers.js";
import { showLiveOffsets } from "./live/offsets.js";
import { describeLiveTopic, listLiveTopics } from "./live/topics.js";
import { describeLiveUser, listLiveUsers } from "./live/users.js";
import { type Manual, manuals } from "./manuals.js";
import { offlineOnly } from "./offline-only.js";
import { OUTPUT_FORMATS } from "./output/output.js";
import type { Program } from "./program.js";
import type { Action, GlobalOptions } from "./session.js";
import { type SourceChoice, sourceOf } from "./source-choice.js";
import { UsageError } from "./usage-error.js";

/** Told what the command line asks for, once it is known. */
export type Choose = (action: Action, options: GlobalOptions) => void;

const EXIT_STATUS = "Exit status: 0 all is well · 1 something is wrong with the volume or the cluster · 2 wrong usage";

/** The command line: its commands, options, help and completion. `width` is that of the help's lines. */
export function createCli(program: Program, version: string, width: number, choose: Choose): Argv {
  const { name } = program;
  const cli = yargs()
    .scriptName(name)
    .usage(`$0: ${program.purpose}\n\n$0 <command> [options]`)
    .option("data-dir", {
      type: "string",
      requiresArg: true,
      description:
        "the data directory; further log directories after it, separated by commas (default: $KAAS_DATA_DIR)",
    })
    .option("cluster-dir", {
      type: "string",
      requiresArg: true,
      description:
        "where the cluster's files are, if not in it (default: $KAAS_CLUSTER_DIR, unless --data-dir is given)",
    })
    .option("bootstrap-server", {
      type: "string",
      requiresArg: true,
      description: "ask brokers instead of looking at the volume: HOST:PORT, or several of them with commas",
    })
    .option("command-config", {
      type: "string",
      requiresArg: true,
      description: "a file with Kafka's client configurations for that, as for TLS and logins",
    })
    .option("output", {
      alias: "o",
      choices: OUTPUT_FORMATS,
      default: "table" as const,
      requiresArg: true,
      description: "how results are written",
    })
    .global(["data-dir", "cluster-dir", "bootstrap-server", "command-config", "output"])
    .alias("h", "help")
    .version(version)
    .wrap(width)
    .strict()
    .recommendCommands()
    .demandCommand(1, `which command? See ${name} --help`)
    .exitProcess(false)
    .showHelpOnFail(false)
    .fail((message, error) => {
      throw error instanceof UsageError ? error : new UsageError(message ?? String(error));
    });
  if (program.completes) {
    cli.completion("completion", "print a completion script; for the shell that is named: bash or zsh");
  }
  addCommands(program.addOptions(cli), choose);
  return withManual(cli, program.manual).epilogue(EXIT_STATUS);
}

function addCommands(cli: Argv, choose: Choose): void {
  group(cli, "volume", "the volume as a whole", (volume) => {
    leaf(volume, "info", "volume info", choose, () => volumeInfo);
  });
  group(cli, "topic", "topics and their partitions", (topic) => {
    leaf(topic, "ls", "topic ls", choose, {
      offline: () => listTopics,
      live: () => listLiveTopics,
    });
    leaf(
      topic,
      "describe <topic>",
      "topic describe",
      choose,
      {
        offline: (argv) => describeTopic(text(argv, "topic")),
        live: (argv) => describeLiveTopic(text(argv, "topic")),
      },
      (one) => one.positional("topic", { type: "string", demandOption: true, description: "a topic's name" }),
    );
  });
  group(cli, "log", "what partitions hold", (log) => {
    addDump(log, choose);
    leaf(
      log,
      "verify [topic] [partition]",
      "log verify",
      choose,
      (argv) => verifyLogs(argv["topic"] as string | undefined, wholeNumber(argv, "partition")),
      (one) =>
        one
          .positional("topic", { type: "string", description: "one topic; all by default" })
          .positional("partition", { type: "number", description: "one partition of it; all by default" }),
    );
  });
  group(cli, "offsets", "what consumer groups committed", (offsets) => {
    leaf(
      offsets,
      "show <group>",
      "offsets show",
      choose,
      {
        offline: (argv) => showOffsets(text(argv, "group")),
        live: (argv) => showLiveOffsets(text(argv, "group")),
      },
      (one) => one.positional("group", { type: "string", demandOption: true, description: "a group's id" }),
    );
  });
  addUsers(cli, choose);
  addAcls(cli, choose);
  addAssignment(cli, choose);
  leaf(cli, "brokers", "brokers", choose, { offline: () => listBrokers, live: () => listLiveBrokers });
  addDrain(cli, choose);
  addFuses(cli, choose);
  leaf(cli, "slots", "slots", choose, () => listSlots);
  leaf(cli, "producer-ids", "producer-ids", choose, () => listProducerIds);
  leaf(cli, "doctor", "doctor", choose, () => doctor);
  addRepair(cli, choose);
}

function addUsers(cli: Argv, choose: Choose): void {
  group(cli, "user", "who may log in, and what limits them", (user) => {
    leaf(user, "ls", "user ls", choose, { offline: () => listUsers, live: () => listLiveUsers });
    leaf(
      user,
      "describe <user>",
      "user describe",
      choose,
      {
        offline: (argv) => describeUser(text(argv, "user")),
        live: (argv) => describeLiveUser(text(argv, "user")),
      },
      (one) => one.positional("user", { type: "string", demandOption: true, description: "a user's name" }),
    );
  });
}

function addAcls(cli: Argv, choose: Choose): void {
  group(cli, "acl", "who may do what", (acl) => {
    leaf(
      acl,
      "ls [principal]",
      "acl ls",
      choose,
      {
        offline: (argv) => listAcls(argv["principal"] as string | undefined),
        live: (argv) => listLiveAcls(argv["principal"] as string | undefined),
      },
      (one) =>
        one.positional("principal", { type: "string", description: "such as User:alice; everybody's by default" }),
    );
  });
}

function addRepair(cli: Argv, choose: Choose): void {
  leaf(
    cli,
    "repair",
    "repair",
    choose,
    (argv) => repair(argv["apply"] === true, (argv["broker-is-gone"] ?? []) as readonly string[]),
    (one) =>
      one
        .option("apply", {
          type: "boolean",
          default: false,
          description: "do it, instead of saying what would be done",
        })
        .option("broker-is-gone", {
          type: "string",
          array: true,
          nargs: 1,
          requiresArg: true,
          description:
            "a broker that crashed and will not be started again: blow its fuse (may be given several times)",
        }),
  );
}

function addAssignment(cli: Argv, choose: Choose): void {
  group(cli, "assignment", "who leads what, as the cluster's controller decided", (assignment) => {
    leaf(
      assignment,
      "show [topic]",
      "assignment show",
      choose,
      {
        offline: (argv) => showAssignment(argv["topic"] as string | undefined),
        live: (argv) => showLiveAssignment(argv["topic"] as string | undefined),
      },
      (one) => one.positional("topic", { type: "string", description: "one topic; what brokers have by default" }),
    );
    leaf(assignment, "history", "assignment history", choose, () => assignmentHistory);
    leaf(
      assignment,
      "diff [from] [to]",
      "assignment diff",
      choose,
      (argv) => diffAssignments(argv["from"] as string | undefined, argv["to"] as string | undefined),
      (one) =>
        one
          .positional("from", { type: "string", description: "EPOCH-VERSION; the last but one by default" })
          .positional("to", { type: "string", description: "EPOCH-VERSION; the newest by default" }),
    );
  });
}

function addDrain(cli: Argv, choose: Choose): void {
  leaf(
    cli,
    "drain <broker>",
    "drain",
    choose,
    (argv) =>
      drain(text(argv, "broker"), {
        undo: argv["undo"] === true,
        wait: argv["wait"] === true,
        timeoutMs: (wholeNumber(argv, "timeout") ?? 0) * 1_000,
      }),
    (one) =>
      one
        .positional("broker", { type: "string", demandOption: true, description: "a broker's name, such as kaas-1" })
        .option("undo", { type: "boolean", description: "take it back: the broker may lead again" })
        .option("wait", { type: "boolean", description: "until the broker leads nothing" })
        .option("timeout", { type: "number", default: 300, requiresArg: true, description: "seconds to wait at most" })
        .conflicts("undo", "wait"),
  );
}

function addFuses(cli: Argv, choose: Choose): void {
  group(cli, "fuse", "which processes of brokers may acknowledge", (fuse) => {
    leaf(
      fuse,
      "show [broker]",
      "fuse show",
      choose,
      (argv) => showFuses(argv["broker"] as string | undefined),
      (one) =>
        one.positional("broker", { type: "string", description: "a broker's name, such as kaas-0; all by default" }),
    );
  });
  group(cli, "fences", "which processes were taken over from", (fences) => {
    leaf(fences, "ls", "fences ls", choose, () => listFences);
  });
}

function addDump(log: Argv, choose: Choose): void {
  leaf(
    log,
    "dump <topic> <partition>",
    "log dump",
    choose,
    (argv) =>
      dumpLog({
        topic: text(argv, "topic"),
        partition: wholeNumber(argv, "partition") ?? 0,
        from: wholeNumber(argv, "from"),
        to: wholeNumber(argv, "to"),
        decode: argv["decode"] === true,
      }),
    (one) =>
      one
        .positional("topic", { type: "string", demandOption: true, description: "a topic's name" })
        .positional("partition", { type: "number", demandOption: true, description: "a partition's number" })
        .option("from", { type: "number", requiresArg: true, description: "first offset; that of the log by default" })
        .option("to", { type: "number", requiresArg: true, description: "last offset; that of the log by default" })
        .option("decode", { type: "boolean", default: false, description: "show the records in each batch" }),
  );
}

type Values = Readonly<Record<string, unknown>>;

function group(cli: Argv, name: string, description: string, add: (sub: Argv) => void): void {
  cli.command(name, description, (sub) => {
    add(sub);
    const { $0: program } = cli as Argv & { readonly $0: string };
    return sub.demandCommand(1, `which command of ${name}? See ${program} ${name} --help`);
  });
}

type ActionOf = (argv: Values) => Action;

/** What a command does at a volume, and through brokers where it can be done so. */
type Actions = ActionOf | { readonly offline: ActionOf; readonly live: ActionOf };

/** @throws UsageError for a command that only a volume can answer */
function chosenAction(name: string, actions: Actions, { kind }: SourceChoice): ActionOf {
  if (typeof actions === "object") return kind === "volume" ? actions.offline : actions.live;
  if (kind === "brokers") throw offlineOnly(name);
  return actions;
}

/** A command that does something. Its description, explanation and examples stand in the manual. */
function leaf(
  cli: Argv,
  syntax: string,
  name: string,
  choose: Choose,
  actions: Actions,
  build: (sub: Argv) => Argv = (sub) => sub,
): void {
  const { summary } = manuals[name] ?? { summary: "" };
  cli.command(
    syntax,
    summary,
    (sub) => {
      const own = typeof actions === "object" ? build(sub) : withoutBrokers(build(sub));
      const groupName = name.includes(" ") ? name.replace(/ .*/, " ") : "";
      return withManual(own.usage(`$0 ${groupName}${syntax}`), manuals[name]).epilogue(EXIT_STATUS);
    },
    (argv) => {
      const source = sourceOf(argv);
      const actionOf = chosenAction(name, actions, source);
      const isLiveToo = typeof actions === "object";
      choose(actionOf(argv), { source, isLiveToo, format: argv["output"] as GlobalOptions["format"] });
    },
  );
}

/** Help does not show what would be refused. */
function withoutBrokers(cli: Argv): Argv {
  return cli.hide("bootstrap-server").hide("command-config");
}

function withManual(cli: Argv, manual: Manual | undefined): Argv {
  if (manual === undefined) return cli;
  for (const [example, meaning] of manual.examples) cli.example(example, meaning);
  return manual.explanation === undefined ? cli : cli.epilogue(manual.explanation);
}

function text(argv: Values, name: string): string {
  return String(argv[name]);
}

function wholeNumber(argv: Values, name: string): number | undefined {
  const value = argv[name];
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw new UsageError(`${name} has to be a whole number from 0 on`);
}
