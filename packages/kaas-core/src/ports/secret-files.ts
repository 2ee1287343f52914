/** Reads the files that the configuration names: certificates and private keys. */
export interface SecretFiles {
  /** The whole content. Rejects when there is no such file, or it may not be read. */
  read(path: string): Promise<Buffer>;
}
