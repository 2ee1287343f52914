/**
 * A certificate's subject in the words of RFC 2253, exactly as Java prints it, which is what Kafka's
 * `ssl.principal.mapping.rules`, ACLs and quotas are written against: `CN=alice,O=Example\, Inc.,C=DE`.
 *
 * Read from the certificate itself: Node prints a subject in another order, under other names of attributes.
 */

/** One element of DER: its tag, and where its content lies. */
interface Element {
  readonly tag: number;
  readonly start: number;
  readonly end: number;
}

const Tag = { OID: 0x06, SEQUENCE: 0x30, SET: 0x31, VERSION: 0xa0 } as const;

/** Attributes that have a name in RFC 2253, by object identifier; the others are written by number. */
const KEYWORDS: ReadonlyMap<string, string> = new Map([
  ["2.5.4.3", "CN"],
  ["2.5.4.6", "C"],
  ["2.5.4.7", "L"],
  ["2.5.4.8", "ST"],
  ["2.5.4.9", "STREET"],
  ["2.5.4.10", "O"],
  ["2.5.4.11", "OU"],
  ["0.9.2342.19200300.100.1.1", "UID"],
  ["0.9.2342.19200300.100.1.25", "DC"],
]);

/** UTF8String, PrintableString, T61String, IA5String, GeneralString, UniversalString, BMPString. */
const STRING_TAGS: ReadonlySet<number> = new Set([0x0c, 0x13, 0x14, 0x16, 0x1b, 0x1c, 0x1e]);

/**
 * The subject of a certificate.
 *
 * @param certificate DER
 * @throws RangeError when it is no certificate
 */
export function subjectOf(certificate: Buffer): string {
  const outer = elementAt(certificate, 0, certificate.length);
  const body = elementAt(certificate, outer.start, outer.end);
  const fields = elementsOf(certificate, body);
  // Version (left out for the first one), serial number, algorithm, issuer, validity, subject.
  const subject = fields[fields[0]?.tag === Tag.VERSION ? 5 : 4];
  if (subject?.tag !== Tag.SEQUENCE) throw new RangeError("there is no subject where a certificate has one");
  const names = elementsOf(certificate, subject).map((set) =>
    elementsOf(certificate, set)
      .map((attribute) => attributeText(certificate, attribute))
      .join("+"),
  );
  return names.reverse().join(",");
}

function attributeText(der: Buffer, attribute: Element): string {
  const [type, value] = elementsOf(der, attribute);
  if (type?.tag !== Tag.OID || value === undefined) throw new RangeError("an attribute has no type or no value");
  const oid = oidText(der.subarray(type.start, type.end));
  const keyword = KEYWORDS.get(oid);
  if (keyword === undefined || !STRING_TAGS.has(value.tag)) {
    const whole = der.subarray(type.end, value.end); // with tag and length
    return `${keyword ?? oid}=#${whole.toString("hex")}`;
  }
  return `${keyword}=${escaped(der.toString("utf8", value.start, value.end))}`;
}

function escaped(text: string): string {
  const inner = text.replace(/[,=+<>#;"\\]/g, "\\$&").replaceAll("\0", "\\00");
  return inner.replace(/^[ \r]+|[ \r]+$/g, (blanks) => blanks.replace(/[ \r]/g, "\\$&"));
}

function oidText(bytes: Buffer): string {
  const numbers: bigint[] = [];
  let number = 0n;
  for (const byte of bytes) {
    number = (number << 7n) | BigInt(byte & 0x7f);
    if ((byte & 0x80) !== 0) continue;
    if (numbers.length === 0) {
      const first = number < 80n ? number / 40n : 2n;
      numbers.push(first, number - first * 40n);
    } else {
      numbers.push(number);
    }
    number = 0n;
  }
  return numbers.join(".");
}

function elementsOf(der: Buffer, { start, end }: Element): Element[] {
  const elements: Element[] = [];
  for (let at = start; at < end; ) {
    const element = elementAt(der, at, end);
    elements.push(element);
    at = element.end;
  }
  return elements;
}

function elementAt(der: Buffer, at: number, limit: number): Element {
  const tag = der.readUInt8(at);
  const first = der.readUInt8(at + 1);
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  if (lengthBytes > 4) throw new RangeError("an element is too long");
  const length = lengthBytes === 0 ? first : der.readUIntBE(at + 2, lengthBytes);
  const start = at + 2 + lengthBytes;
  if (start + length > limit) throw new RangeError("an element is longer than what it lies in");
  return { tag, start, end: start + length };
}
