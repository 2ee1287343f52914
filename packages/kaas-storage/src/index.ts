/** The storage engine: partition logs, coordinator journals and cluster files on one volume. */
export type {
  DirectoryEntry,
  DirectoryLock,
  FileHandle,
  FileSystem,
  OpenMode,
  SpaceStatus,
} from "./file-system/file-system.js";
export { AssignmentFiles, type AssignmentFilesOptions } from "./cluster/assignment-files.js";
export type { AssignmentNumber } from "./cluster/assignment-names.js";
export { defaultClusterDirectory } from "./cluster/cluster-names.js";
export {
  type CredentialsContent,
  type CredentialsDocument,
  CredentialsFile,
  withQuota,
  withUser,
} from "./cluster/credentials-file.js";
export { type AclsDocument, AclsFile } from "./cluster/acls-file.js";
export type { GenerationFile, GenerationKind } from "./cluster/generation-file.js";
export { VolumeAcls, type VolumeAclsOptions } from "./cluster/volume-acls.js";
export { recordOf, VolumeCredentials, type VolumeCredentialsOptions } from "./cluster/volume-credentials.js";
export type { CompactionOptions } from "./compaction/compaction-options.js";
export type { ScramRecord, UserRecord } from "./documents/document-types.js";
export { MemoryFileSystem } from "./file-system/memory.js";
export { checkSubstrate } from "./file-system/substrate.js";
export { posixFileSystem } from "./file-system/posix.js";
export { storageFailure } from "./file-system/storage-failure.js";
export { hasSuccessor, incarnationEndpoints } from "./leadership/known-processes.js";
export { systemClock } from "./surroundings/system-clock.js";
export { systemRandom } from "./surroundings/system-random.js";
export { openMemoryVolume, openVolume, type Volume, type VolumeOptions, type VolumeStatus } from "./volume.js";
export type { AssignmentsView, ControllerClaim, PublishedAssignment } from "./inspection/assignments-view.js";
export type { AclsView } from "./inspection/acls-view.js";
export type { BrokerView } from "./inspection/broker-view.js";
export type { ClusterBrokerView } from "./inspection/cluster-brokers.js";
export type { ProducerIdBlockView, ProducerIdsView } from "./inspection/cluster-view.js";
export type { UserMechanism, UserView, UsersView } from "./inspection/credentials-view.js";
export type { DoctorReport, Progress } from "./inspection/doctor.js";
export type { DrainsView, DrainWish } from "./inspection/drains-view.js";
export type { DumpedBatch, DumpedControl, DumpedRecord } from "./inspection/dumped-batch.js";
export type { FencesView, ProcessesView, ProcessView, Takeover } from "./inspection/fences-view.js";
export { type Finding, isSound } from "./inspection/finding.js";
export {
  type FindingCode,
  type FindingKind,
  type FindingSeverity,
  findingCatalogue,
} from "./inspection/finding-catalogue.js";
export type { CommittedOffsetView, GroupView } from "./inspection/group-view.js";
export type { FileStatus, InspectionHost, LockHolder } from "./inspection/inspection-host.js";
export type { DumpedItem, DumpOptions } from "./inspection/log-dump.js";
export type { PartitionCheck, PartitionPlace } from "./inspection/partition-check.js";
export type { PartitionSummary } from "./inspection/partition-summary.js";
export type { StateSource } from "./inspection/partition-view.js";
export { posixInspectionHost } from "./inspection/posix-inspection-host.js";
export { planRepair, type RepairOptions, repairVolume } from "./inspection/repair.js";
export type { RepairAction, RepairReport, RepairStep } from "./inspection/repair-plan.js";
export type { BatchTotals } from "./inspection/segment-scan.js";
export type { PartitionDirectory, TopicView } from "./inspection/topic-view.js";
export {
  type InspectionOptions,
  type SlotSummary,
  type Users,
  VolumeInspection,
  type VolumeInfo,
} from "./inspection/volume-inspection.js";
export {
  type RemovalFailure,
  TopicDirectories,
  type TopicDirectoriesOptions,
} from "./topics/topic-directories.js";
export type { FoundTopic, PlacedTopic } from "./topics/topic-files.js";
export { DrainWishes } from "./cluster/drain-wishes.js";
export { ExternalAddressesFile, type ExternalListener } from "./cluster/external-addresses-file.js";
