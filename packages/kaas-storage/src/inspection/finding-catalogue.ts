/** How bad a finding is; only the first two make a volume unsound. */
export type FindingSeverity = "error" | "warning" | "note";

/** What is known about one kind of finding. */
export interface FindingKind {
  /**
   * `error`: something is lost or will be refused. `warning`: kaas works around it, and something did it that should
   * not have. `note`: what a crash may leave behind; the next opening tidies it up.
   */
  readonly severity: FindingSeverity;
  /** What it means for the data. */
  readonly meaning: string;
  /** What to do about it. */
  readonly advice: string;
}

/** The stable name of a kind of finding. */
export type FindingCode =
  | "file-unreadable"
  | "json-unreadable"
  | "format-unknown"
  | "document-invalid"
  | "hint-unreadable"
  | "copy-outdated"
  | "cluster-missing"
  | "space-low"
  | "owner-foreign"
  | "mode-unwritable"
  | "secrets-exposed"
  | "volume-exposed"
  | "name-unknown"
  | "no-plain-file"
  | "temporary-leftover"
  | "deleting-leftover"
  | "producer-ids-overlap"
  | "producer-id-unclaimed"
  | "topic-id-missing"
  | "topic-config-missing"
  | "topic-id-duplicate"
  | "topic-id-misnamed"
  | "partition-missing"
  | "partition-orphaned"
  | "partition-unfinished"
  | "move-unfinished"
  | "log-directory-unknown"
  | "log-directory-missing"
  | "topic-orphaned"
  | "claim-missing"
  | "seal-missing"
  | "manifest-missing"
  | "epoch-unsealed"
  | "segment-missing"
  | "segment-short"
  | "batch-damaged"
  | "tail-damaged"
  | "tail-torn"
  | "offsets-not-dense"
  | "segments-not-dense"
  | "segment-misdescribed"
  | "log-misdescribed"
  | "index-missing"
  | "index-wrong"
  | "producers-missing"
  | "segment-obsolete"
  | "file-obsolete"
  | "slot-out-of-range"
  | "journal-damaged"
  | "journal-torn"
  | "journal-missing"
  | "snapshot-missing"
  | "slot-entry-invalid"
  | "slot-entry-misplaced";

const RESTORE = "Put the file back from a backup; before that, keep a copy of the partition's directory as it is.";
const REPAIR = "`kaasctl repair --apply` while no broker runs, or leave it to the next opening.";
const LOOK = "Find out who changed it. Stop the broker before it is put right.";

/** Every kind of finding by its code. Codes are stable; texts may become better. */
export const findingCatalogue: Readonly<Record<FindingCode, FindingKind>> = {
  "file-unreadable": {
    severity: "error",
    meaning: "The operating system refused or failed to read it, so nothing can be said about what is in it.",
    advice: "Run kaasctl as the user that brokers run as; if that is so already, look at the disk.",
  },
  "json-unreadable": {
    severity: "error",
    meaning: "A document is not JSON. kaas writes documents whole or not at all, so something else changed it.",
    advice: RESTORE,
  },
  "format-unknown": {
    severity: "error",
    meaning: "The file has a format that this version does not know; a newer version of kaas wrote it.",
    advice: "Use the kaasctl and the broker of that version or a later one. Nothing is wrong with the data.",
  },
  "document-invalid": {
    severity: "error",
    meaning: "A document lacks fields or contradicts itself. A broker refuses to use it.",
    advice: RESTORE,
  },
  "hint-unreadable": {
    severity: "note",
    meaning: "A file that only saves time is not readable, as may be after a power failure. It decides nothing.",
    advice: REPAIR,
  },
  "copy-outdated": {
    severity: "note",
    meaning: "The copy for people is not that of the newest document. It decides nothing.",
    advice: REPAIR,
  },
  "cluster-missing": {
    severity: "error",
    meaning: "There is no cluster.json beside other data. A broker would make a new cluster id, which clients refuse.",
    advice: RESTORE,
  },
  "space-low": {
    severity: "warning",
    meaning: "So little space is left that brokers refuse to append.",
    advice: "Make room: shorten the retention of large topics, or enlarge the volume.",
  },
  "owner-foreign": {
    severity: "warning",
    meaning: "It belongs to another user than the volume does; the broker may not be able to write or remove it.",
    advice: "chown it to the user that brokers run as.",
  },
  "mode-unwritable": {
    severity: "warning",
    meaning: "Its owner may not read and write it, so the broker cannot either.",
    advice: "chmod u+rw the file, u+rwx the directory.",
  },
  "secrets-exposed": {
    severity: "warning",
    meaning: "Others than its owner may read it, and it holds keys.",
    advice: "chmod 600 the file, and change the passwords in it if others use the machine.",
  },
  "volume-exposed": {
    severity: "note",
    meaning: "Others than the owner may look into the volume; everything that clients send is in it.",
    advice: "chmod 700 the data directory, unless a group is meant to share it.",
  },
  "name-unknown": {
    severity: "note",
    meaning: "kaas did not write it and leaves it alone.",
    advice: "Move it elsewhere if nothing needs it here.",
  },
  "no-plain-file": {
    severity: "warning",
    meaning:
      "It is a link, a pipe or a device. A topic that is a link is not served; elsewhere nobody knows what it leads to.",
    advice: "Put there what it leads to. For partitions on another disk, name that as a further log directory.",
  },
  "temporary-leftover": {
    severity: "note",
    meaning: "A file that was being written when a process ended, and that never came to be.",
    advice: REPAIR,
  },
  "deleting-leftover": {
    severity: "note",
    meaning: "A deleted topic, or one that was never complete, whose files are not removed yet.",
    advice: REPAIR,
  },
  "producer-ids-overlap": {
    severity: "error",
    meaning: "Two blocks hand out the same producer ids, so one producer's batches may be taken for another's retries.",
    advice: LOOK,
  },
  "producer-id-unclaimed": {
    severity: "warning",
    meaning:
      "A log holds a producer id that no block covers. Blocks were lost and their ids will be given out again, or a client made its id up.",
    advice: "If producers get their ids from brokers, put __cluster/producer_ids back from a backup.",
  },
  "topic-id-missing": {
    severity: "warning",
    meaning:
      "The directory has partitions and no id. A broker takes it in under a new id; offsets that groups committed are forgotten.",
    advice: "Put .topic-id.json back from a backup; if there is none, let the broker take it in.",
  },
  "topic-config-missing": {
    severity: "warning",
    meaning: "The topic has no configuration. A broker counts its partition directories and uses defaults.",
    advice: "Put .config.json back from a backup, or set the topic's configuration again.",
  },
  "topic-id-duplicate": {
    severity: "error",
    meaning: "Two topics have the same id: one directory is a copy of the other. Clients and brokers mix them up.",
    advice: "Move the copy off the volume.",
  },
  "topic-id-misnamed": {
    severity: "warning",
    meaning: "The id belongs to a topic of another name: the directory was renamed or copied by hand.",
    advice: "Give the directory its name back, or move it off the volume.",
  },
  "partition-missing": {
    severity: "error",
    meaning:
      "The topic says that it has this partition, and its directory is gone with all records. A broker would begin it anew.",
    advice: RESTORE,
  },
  "partition-orphaned": {
    severity: "warning",
    meaning: "The topic has no such partition, so nobody serves what is in the directory.",
    advice: "Move it elsewhere, once it is clear what is in it.",
  },
  "partition-unfinished": {
    severity: "note",
    meaning:
      "An empty directory of a partition that the topic has not got: partitions were being added when a broker crashed. Nothing was ever in it.",
    advice: "Add the partitions again, or leave it: the directory is used when they are added.",
  },
  "move-unfinished": {
    severity: "note",
    meaning:
      "What a move to another log directory has left behind, or what was copied for one that has not come about. The partition does not lie here.",
    advice: "Nothing: whoever leads the partition next removes it.",
  },
  "log-directory-unknown": {
    severity: "warning",
    meaning: "The partition lies in a log directory that was not named, so it is not looked at.",
    advice: "Name all log directories, the data directory first: --data-dir DIR,FURTHER,…",
  },
  "log-directory-missing": {
    severity: "error",
    meaning: "A log directory is not there. The partitions in it cannot be used until it is.",
    advice: "Mount the volume, or leave the directory out if nothing was ever in it.",
  },
  "topic-orphaned": {
    severity: "warning",
    meaning: "A directory in a further log directory that belongs to no topic here; nobody serves what is in it.",
    advice: "If a topic was being made or removed when a broker crashed, it goes at the next start. Else move it away.",
  },
  "claim-missing": {
    severity: "error",
    meaning: "An epoch was sealed and its claim is gone. The next leader would claim the same epoch and be refused.",
    advice: RESTORE,
  },
  "seal-missing": {
    severity: "error",
    meaning:
      "An epoch wrote files and its seal is gone. A broker takes an older epoch for the newest, and these files for leftovers.",
    advice: RESTORE,
  },
  "manifest-missing": {
    severity: "error",
    meaning:
      "The newest manifest is gone. Records that were deleted may come back, and segments that were declared obsolete count again.",
    advice: "Put the file back: its copy, manifest.json, is beside it.",
  },
  "epoch-unsealed": {
    severity: "note",
    meaning: "A leader claimed the epoch and ended before it sealed it. It wrote nothing.",
    advice: "Nothing; the next opening removes it.",
  },
  "segment-missing": {
    severity: "error",
    meaning: "Records of the log are gone: a segment that is in force has no file.",
    advice: RESTORE,
  },
  "segment-short": {
    severity: "error",
    meaning:
      "The file ends before the length that was sealed; the records behind that were acknowledged, and are gone.",
    advice: RESTORE,
  },
  "batch-damaged": {
    severity: "error",
    meaning: "Bytes that were durable are not what was written. Consumers get an error there, or stop.",
    advice: RESTORE,
  },
  "tail-damaged": {
    severity: "error",
    meaning:
      "A batch in the open segment is bad and what follows was durable or valid: no crash of a process does that. A power failure may, to what was never acknowledged; where none was, the disk lost data.",
    advice: "Keep a copy of the file. The log ends before the batch at the next opening.",
  },
  "tail-torn": {
    severity: "note",
    meaning: "The last write was cut off by a crash. It was never acknowledged, and is left out at the next opening.",
    advice: "Nothing.",
  },
  "offsets-not-dense": {
    severity: "error",
    meaning: "Offsets of neighbouring batches leave a gap or overlap where no compaction has been.",
    advice: RESTORE,
  },
  "segments-not-dense": {
    severity: "error",
    meaning: "A segment does not begin where the one before it ends; what lies behind the gap may be left out.",
    advice: RESTORE,
  },
  "segment-misdescribed": {
    severity: "error",
    meaning: "A segment's content and the document that describes it disagree about offsets or times.",
    advice: LOOK,
  },
  "log-misdescribed": {
    severity: "error",
    meaning: "A document contradicts itself about where the log begins or ends.",
    advice: LOOK,
  },
  "index-missing": {
    severity: "note",
    meaning:
      "An index has no file or is shorter than it should be, as may be after a power failure. A broker makes it anew in memory.",
    advice: REPAIR,
  },
  "index-wrong": {
    severity: "error",
    meaning:
      "An index leads to places where no such batch begins. Reads of the segment may fail; the records themselves are there.",
    advice: "`kaasctl repair --apply` while no broker runs makes it anew.",
  },
  "producers-missing": {
    severity: "warning",
    meaning:
      "The saved state of producers is gone or unreadable. It is made anew from the records that are left; retries of older batches may go unnoticed.",
    advice: RESTORE,
  },
  "segment-obsolete": {
    severity: "note",
    meaning: "The files of a segment that a durable document declares obsolete are still there. They only take space.",
    advice: REPAIR,
  },
  "file-obsolete": {
    severity: "note",
    meaning: "A newer durable document has replaced it. It only takes space.",
    advice: REPAIR,
  },
  "slot-out-of-range": {
    severity: "warning",
    meaning: "The cluster has fewer coordinator slots; nobody reads what is in the directory.",
    advice: "See whether cluster.json is the right one; else move the directory elsewhere.",
  },
  "journal-damaged": {
    severity: "error",
    meaning: "Entries of a coordinator's journal that were durable are not readable. The coordinator does not start.",
    advice: RESTORE,
  },
  "journal-torn": {
    severity: "note",
    meaning: "The last entry was cut off by a crash. It was never acknowledged.",
    advice: "Nothing.",
  },
  "journal-missing": {
    severity: "error",
    meaning: "A snapshot has no journal beside it: what happened since the snapshot is lost.",
    advice: RESTORE,
  },
  "snapshot-missing": {
    severity: "error",
    meaning: "A journal has entries and no snapshot that they belong to: they are not applied.",
    advice: RESTORE,
  },
  "slot-entry-invalid": {
    severity: "error",
    meaning: "What a slot holds is not what its coordinator understands. It does not start.",
    advice: RESTORE,
  },
  "slot-entry-misplaced": {
    severity: "error",
    meaning: "A slot holds a group that belongs to another one; nobody finds it there.",
    advice: "See whether cluster.json has the slot count that the volume was made with.",
  },
};
