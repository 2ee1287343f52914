/** What `--help` says of a command beyond its options. */
export interface Manual {
  /** One line, in the list of commands. */
  readonly summary: string;
  readonly explanation?: string;
  /** Command lines, and what they do. */
  readonly examples: readonly (readonly [string, string])[];
}

/** By command, as it is written without its arguments. */
export const manuals: Readonly<Record<string, Manual>> = {
  kaasctl: {
    summary: "",
    explanation:
      "Nothing but repair --apply and drain changes a volume; everything else may be run while brokers do. Findings name the file they are about. Colours are shown on a terminal, unless NO_COLOR is set.\n\nWith --bootstrap-server brokers are asked instead, of kaas or of Apache Kafka: topic, offsets, user, acl, brokers and assignment show what their clients are told. Nothing is changed so. The other commands need the volume.",
    examples: [
      ["$0 doctor --data-dir /var/lib/kaas", "is everything well?"],
      ["$0 topic ls -o json", "for programs; of the volume in KAAS_DATA_DIR"],
      ["$0 brokers --bootstrap-server kaas-bootstrap:9092", "by asking a broker"],
      [
        "$0 topic ls --bootstrap-server kaas-bootstrap:9093 --command-config client.properties",
        "the same over TLS, with a login",
      ],
      ["source <($0 completion)", "completion in this shell; in zsh: kaasctl completion zsh"],
    ],
  },
  "volume info": {
    summary: "what the volume is, how full it is, and who uses it",
    explanation:
      "Brokers are listed by the fuses that their processes left. A fuse that is live belongs to a process that runs, or that ended without a word; blown, or gone, somebody has taken over from it or it has ended in order.",
    examples: [["$0 volume info", "cluster id, size, free space, brokers"]],
  },
  "topic ls": {
    summary: "all topics",
    explanation:
      "Brokers tell those that the user may see. SIZE is the sum of what the leaders say, and not known where the user may not DESCRIBE the cluster. It exits with 1 where a partition has no leader.",
    examples: [
      ["$0 topic ls -o json | jq -r '.[].name'", "their names"],
      ["$0 topic ls --bootstrap-server kaas-0:9092", "as brokers tell them"],
    ],
  },
  "topic describe": {
    summary: "one topic and its partitions",
    explanation:
      "END is where documents say that a log ends; with a + behind it, the open segment goes on from there, and log verify says up to where. Of brokers, END is the high watermark, and LEADER a node id.",
    examples: [
      ["$0 topic describe orders", "leader epochs, offsets, sizes"],
      ["$0 topic describe orders --bootstrap-server kaas-0:9092", "as the leaders tell them"],
    ],
  },
  "user ls": {
    summary: "users that log in by password, have quotas, or are named by ACLs",
    explanation:
      "Read from credentials.json and acls.json. Passwords are not kept, and the keys made from them are not shown. Users of certificates are known by their ACLs and quotas alone. Brokers tell the same to who may DESCRIBE and DESCRIBE_CONFIGS the cluster.",
    examples: [
      ["$0 user ls", "who there is"],
      ["$0 user ls --bootstrap-server kaas-0:9092 --command-config admin.properties", "by asking a broker"],
    ],
  },
  "user describe": {
    summary: "how a user logs in, what limits it, and the ACLs that name it",
    examples: [["$0 user describe alice", "mechanisms, quotas and ACLs"]],
  },
  "acl ls": {
    summary: "who may, or may not, do what with what",
    explanation:
      "Read from acls.json. A name with … behind it stands for all names that begin so, * for all. Without authorizer.class.name a broker does not look at ACLs, and tells none.",
    examples: [
      ["$0 acl ls", "all of them"],
      ["$0 acl ls User:alice", "those that name alice"],
    ],
  },
  "log dump": {
    summary: "the batches of a partition, or the records in them",
    explanation:
      "Shows what is in force on the disk, which may be more than consumers see yet. Batches come whole: the first may begin below --from. PRODUCER is id:epoch; markers that end transactions are shown as control:commit and control:abort. Keys and values that are no text are shown in base64.",
    examples: [
      ["$0 log dump orders 0", "one line a batch"],
      ["$0 log dump orders 0 --from 1000 --to 1010 --decode", "the records at these offsets"],
      ["$0 log dump orders 0 --decode -o json | jq '.[].records[].value.text'", "values alone"],
    ],
  },
  "log verify": {
    summary: "check every byte of logs, and all that describes them",
    explanation:
      "Checks the checksum of every batch, that offsets are dense (in what was compacted: ascending), offset, time and transaction indexes against the batches, and segments against seals, manifests and hand-overs.",
    examples: [
      ["$0 log verify", "every partition"],
      ["$0 log verify orders 3 && echo sound", "one partition, in a script"],
    ],
  },
  "offsets show": {
    summary: "what a consumer group committed",
    explanation:
      "Brokers tell besides how far the log goes: LAG is what lies between the committed offset and END, the high watermark. Only the volume knows when offsets were committed and when they expire.",
    examples: [
      ["$0 offsets show readers", "offsets by topic and partition"],
      ["$0 offsets show readers --bootstrap-server kaas-0:9092", "and how far behind the group is"],
    ],
  },
  "assignment show": {
    summary: "the newest assignment: how much each broker leads, or who leads a topic",
    explanation:
      "An assignment is what the controller wants; who leads is decided by claims in the partitions' directories, which topic describe shows. EPOCH is the one that the leader has reported. WISHED is where an administrator wants the partition to be led. All of it is in the JSON.\n\nBrokers tell who leads, of the topics that the user may see, and WISHED is where a partition moves to at the moment; coordinator slots are not theirs to tell. It exits with 1 then where a partition has no leader.",
    examples: [
      ["$0 assignment show", "what each broker has"],
      ["$0 assignment show orders", "the leaders of a topic's partitions"],
      ["$0 assignment show -o json | jq .topics", "everything, for programs"],
      ["$0 assignment show --bootstrap-server kaas-0:9092", "as clients are told"],
    ],
  },
  "assignment history": {
    summary: "the newest assignments, and which controllers made them",
    explanation:
      "The newest ten are kept. ASSIGNMENT is the controller's epoch and the version, as assignment diff takes it. MOVES counts the partitions and slots that went to another broker.",
    examples: [["$0 assignment history", "what was decided lately"]],
  },
  "assignment diff": {
    summary: "what has changed between two assignments",
    explanation: "Without names, the last two; with one name, that one and the newest.",
    examples: [
      ["$0 assignment diff", "what the last decision changed"],
      ["$0 assignment diff 7-40 7-42", "two of those that assignment history lists"],
    ],
  },
  brokers: {
    summary: "the brokers of the cluster, and what each of them leads",
    explanation:
      "As the newest assignment has them. STATE is what the controller last knew: alive, drained (it leads nothing and gets nothing), or lost. FUSE is what the volume says: a process whose fuse is blown or gone acknowledges nothing. Brokers tell neither fuses nor slots; fenced is a broker that leads nothing, for it drains or is lost, and LISTENERS is the one that was called.",
    examples: [
      ["$0 brokers", "states, shares, fuses, addresses"],
      ["$0 brokers --bootstrap-server kaas-bootstrap:9092", "as clients are told"],
    ],
  },
  drain: {
    summary: "have a broker of a cluster lead nothing, until that is undone",
    explanation:
      "Writes a wish to the volume that the broker, once it sees it, passes on to the controller; what it leads is handed over in order, and it gets nothing new, also after a restart. It goes on running, and clients find everything elsewhere. Where no other broker may lead, it is refused. With --wait it ends once the newest assignment gives the broker nothing and all it had claimed is handed over; it exits with 1 when that takes longer than --timeout.",
    examples: [
      ["$0 drain kaas-1 --wait", "before something is done to its machine"],
      ["$0 drain kaas-1 --undo", "it gets its share again"],
    ],
  },
  "fuse show": {
    summary: "the fuses of brokers' processes: which of them may acknowledge",
    explanation:
      "Each start of a broker has a fuse. live: it may acknowledge, if it runs; one that crashed leaves it so. blown: somebody took over from it, and it acknowledges nothing. gone: it has ended, or its successor has cleared the fuse away; that counts as blown. SINCE is when the fuse was written, by the clock of the file server. CLAIMS counts the partitions and slots that were claimed last by this process and not handed over: of one whose fuse is blown or gone, they are what nobody leads.",
    examples: [
      ["$0 fuse show", "all that the volume knows"],
      ["$0 fuse show kaas-1", "every start of one broker that has left something"],
    ],
  },
  "fences ls": {
    summary: "which processes were fenced, by whom, and what is being taken over",
    explanation:
      "A process is fenced once its fuse is blown; that is seen here until its broker is started again. Below it, claims that have overtaken another one: under way while the new leader is not through with what the old one wrote, and listed until it has swept the old claim. It exits with 1 where somebody leads without having blown the fuse of the one before. Fences of transactional producers are not files of this version; they are kept in the slots of transaction coordinators.",
    examples: [["$0 fences ls", "who must not acknowledge any more"]],
  },
  slots: {
    summary: "coordinator slots: who leads them, and what they hold",
    explanation: "Slots that were never used have no files and are not listed.",
    examples: [["$0 slots", "epochs, fuses of their coordinators, journals"]],
  },
  "producer-ids": {
    summary: "blocks of producer ids that were given out",
    examples: [["$0 producer-ids", "all blocks, and overlaps if there are any"]],
  },
  doctor: {
    summary: "find everything that is wrong with a volume, and say what to do",
    explanation:
      "Reads the whole volume. An error is something lost or refused; a warning is something that kaas works around and that should not be; a note is what a crash leaves behind, or what looks odd, and does not make a volume unsound. While a broker is at work, what it has under way is no finding, and what looks wrong is looked at again before it is reported.",
    examples: [
      ["$0 doctor", "every finding with its file, its meaning, and what to do"],
      ["$0 doctor -o json | jq -r '.findings[] | select(.severity==\"error\") | .file'", "files with errors"],
    ],
  },
  repair: {
    summary: "put right what is provably safe to put right",
    explanation:
      "Makes indexes and copies anew, removes what durable documents declare obsolete, files that were never finished, and deleted topics. Says what it would do; does it with --apply, which wants the volume for itself and refuses while a broker uses it.\n\nBrokers that share a volume are known by their fuses, and one that crashed leaves its fuse LIVE: nothing on the volume tells it from one that runs. Starting it again settles that. If it will not be started again, name it with --broker-is-gone: its fuse is blown, the way a broker does that takes over from it. Should it run after all, it stops acknowledging at once and starts anew; nothing that it acknowledged is lost.",
    examples: [
      ["$0 repair", "what would be done"],
      ["$0 repair --apply", "do it"],
      ["$0 repair --broker-is-gone kaas-2", "whose fuse would be blown, and what would be done after that"],
      ["$0 repair --apply --broker-is-gone kaas-2", "do it, though kaas-2 crashed and its fuse says LIVE"],
    ],
  },
};
