/**
 * The form of an address that others are compared with: IPv6 in its shortest form, whichever way it was written. What
 * is no address stays as it is, and matches nothing but itself.
 */
export function plainHost(address: string): string {
  if (!address.includes(":")) return address;
  if (address.startsWith("::ffff:") && address.includes(".")) return address.slice("::ffff:".length);
  try {
    return new URL(`http://[${address}]/`).hostname.slice(1, -1);
  } catch {
    return address; // a zone or a typing error: compared as it is
  }
}

/** Whether a text is an address rather than a name. */
export function isAddress(text: string): boolean {
  if (text.includes(":")) return plainHost(text) !== text || URL.canParse(`http://[${text}]/`);
  return /^(\d{1,3}\.){3}\d{1,3}$/.test(text) && text.split(".").every((part) => Number(part) <= 255);
}
