import { type IPv4, IPv6, parse } from 'ipaddr.js';

/** The public Internet of IPv6 (RFC 4291 §2.4). Addresses outside it are private, or contain another address. */
const GLOBAL_UNICAST: [IPv6, number] = [IPv6.parse('2000::'), 3];

/** Azure answers its machines' internal requests (metadata, keys) at this address of an otherwise public range. */
const CLOUD_INTERNAL: readonly string[] = ['168.63.129.16'];

/**
 * Whether a literal address is on the public Internet. Private, loopback, link-local, shared (CGNAT), metadata,
 * multicast, reserved and documentation ranges are not, nor is an IPv6 address that contains an IPv4 one (mapped,
 * compatible, NAT64, 6to4, Teredo), even if the IPv4 address is public.
 */
export function isPublicAddress(address: string): boolean {
  const parsed: IPv4 | IPv6 = parse(address);
  if (parsed.range() !== 'unicast') {
    return false;
  }
  return parsed instanceof IPv6 ? parsed.match(GLOBAL_UNICAST) : !CLOUD_INTERNAL.includes(parsed.toString());
}
