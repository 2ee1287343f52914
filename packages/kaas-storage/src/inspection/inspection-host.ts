/** What looking at a volume asks of the machine beyond its {@link FileSystem}. */
export interface InspectionHost {
  /** Who owns a file and who may use it; undefined where that is not known, or when it is gone. */
  statusOf(path: string): Promise<FileStatus | undefined>;
  /** The process that has exclusive use of a directory, found out without taking anything; undefined when none has. */
  lockHolderOf(directory: string): Promise<LockHolder | undefined>;
  /** Lets a moment pass before something that changes is looked at again. */
  pause(ms: number): Promise<void>;
}

/** A file's owner and permissions. */
export interface FileStatus {
  readonly userId: number;
  readonly groupId: number;
  /** The permission bits, such as 0o600. */
  readonly mode: number;
  readonly isDirectory: boolean;
  /** Whether it is neither a file nor a directory, but a link, a pipe, a socket or a device. */
  readonly isOther?: boolean;
  /** When its content was last written, in milliseconds since 1970; undefined where that is not known. */
  readonly modifiedMs?: number;
}

/** A process that has exclusive use of a directory. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
}
