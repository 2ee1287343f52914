/** First four bytes of what strays onto a Kafka port, and what to call it. */
const OPENINGS: ReadonlyMap<string, string> = new Map([
  ["GET ", "an HTTP request"],
  ["POST", "an HTTP request"],
  ["PUT ", "an HTTP request"],
  ["HEAD", "an HTTP request"],
  ["DELE", "an HTTP request"],
  ["OPTI", "an HTTP request"],
  ["PATC", "an HTTP request"],
  ["CONN", "an HTTP request"],
  ["TRAC", "an HTTP request"],
  ["PRI ", "an HTTP/2 preface"],
  ["SSH-", "an SSH client"],
  ["PROX", "a PROXY protocol header"],
  ["\r\n\r\n", "a PROXY protocol header"],
]);

const TLS_HANDSHAKE = 0x16;
const TLS_MAJOR = 3;

/**
 * Names a protocol by the bytes in the place of a connection's first frame length; undefined when nothing is known of
 * them. As lengths, all of them lie beyond 200 MiB, where no client's first request lies.
 */
export function foreignProtocol(frameLength: number): string | undefined {
  const opening = Buffer.allocUnsafe(4);
  opening.writeInt32BE(frameLength);
  if (opening[0] === TLS_HANDSHAKE && opening[1] === TLS_MAJOR) return "a TLS handshake";
  return OPENINGS.get(opening.toString("latin1"));
}
