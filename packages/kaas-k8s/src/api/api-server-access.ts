/** What a connection to the API server is made with. */
export interface Credentials {
  /** Such as `Authorization`. */
  readonly headers: Readonly<Record<string, string>>;
  /** PEM: who may vouch for the server; the system's authorities where it is left out. */
  readonly ca?: string | Buffer | undefined;
  /** PEM: a client certificate and its key. */
  readonly cert?: string | Buffer | undefined;
  readonly key?: string | Buffer | undefined;
  /** The name that the server's certificate has to carry, where it is not that of the address. */
  readonly servername?: string | undefined;
  /** Left unchecked only where a kubeconfig says so. */
  readonly rejectUnauthorized?: boolean | undefined;
}

/** Where the API server is, and how to be let in. */
export interface ApiServerAccess {
  /** Such as `https://10.96.0.1:443`; what comes after the host is put before every path. */
  readonly server: string;
  /** The namespace to work in where none is said. */
  readonly namespace: string;
  /** Asked before every request: tokens are short-lived. Rejects when there are none to be had. */
  credentials(): Promise<Credentials>;
}
