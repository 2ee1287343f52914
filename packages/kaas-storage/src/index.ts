/** The storage engine: partition logs, coordinator journals and cluster files on one volume. */
export type {
  DirectoryEntry,
  DirectoryLock,
  FileHandle,
  FileSystem,
  OpenMode,
  SpaceStatus,
} from "./file-system/file-system.js";
export { MemoryFileSystem } from "./file-system/memory.js";
export { posixFileSystem } from "./file-system/posix.js";
export { openMemoryVolume, openVolume, type Volume, type VolumeOptions } from "./volume.js";
