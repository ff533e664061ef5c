import { IPv4, IPv6, parse } from 'ipaddr.js';

/** Link-local addresses (RFC 3927, RFC 4291 §2.5.6), at which clouds provide the credentials of each machine. */
const LINK_LOCAL_V4: [IPv4, number] = [IPv4.parse('169.254.0.0'), 16];
const LINK_LOCAL_V6: [IPv6, number] = [IPv6.parse('fe80::'), 10];

/** Addresses of the same services outside that range: Amazon, Google, Azure, Alibaba, Oracle. */
const METADATA_ADDRESSES = new Set(
  ['fd00:ec2::254', 'fd20:ce::254', '168.63.129.16', '100.100.100.200', '192.0.0.192'].map((text) =>
    parse(text).toString(),
  ),
);

/** The names of the same services. They resolve only inside a cloud, so the names have to be checked themselves. */
const METADATA_NAMES = new Set([
  'metadata',
  'metadata.goog',
  'metadata.google.internal',
  'metadata.azure.internal',
  'instance-data',
  'instance-data.ec2.internal',
]);

/** Ranges of IPv6 that end with an IPv4 address: compatible, mapped, translated, NAT64. */
const ENDING_WITH_IPV4 = (
  [
    ['::', 96],
    ['::ffff:0:0', 96],
    ['::ffff:0:0:0', 96],
    ['64:ff9b::', 96],
    ['64:ff9b:1::', 48],
  ] as const
).map(([text, bits]): [IPv6, number] => [IPv6.parse(text), bits]);
const SIX_TO_FOUR: [IPv6, number] = [IPv6.parse('2002::'), 16];
const TEREDO: [IPv6, number] = [IPv6.parse('2001::'), 32];

/** Whether a literal address is link-local or that of a cloud's metadata service, also inside an IPv6 address. */
export function isLinkLocalAddress(address: string): boolean {
  const parsed = parse(address);
  if (METADATA_ADDRESSES.has(parsed.toString())) {
    return true;
  }
  if (parsed instanceof IPv4) {
    return parsed.match(LINK_LOCAL_V4);
  }
  const within = ipv4Within(parsed);
  return parsed.match(LINK_LOCAL_V6) || (within !== null && isLinkLocalAddress(within));
}

/** @param name in lower case without a final dot */
export function isMetadataName(name: string): boolean {
  return METADATA_NAMES.has(name);
}

function ipv4Within(address: IPv6): string | null {
  const [, first = 0, second = 0, , , , last = 0, final = 0] = address.parts;
  if (ENDING_WITH_IPV4.some(([range, bits]) => address.match(range, bits))) {
    return ipv4Of(last, final);
  }
  if (address.match(SIX_TO_FOUR)) {
    return ipv4Of(first, second);
  }
  return address.match(TEREDO) ? ipv4Of(last ^ 0xffff, final ^ 0xffff) : null;
}

function ipv4Of(high: number, low: number): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}
