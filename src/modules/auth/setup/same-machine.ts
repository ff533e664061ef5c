import { BlockList, isIP } from 'node:net';
import type { Request } from 'express';
import type { AppConfig } from '../../../config/app.config';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** What proxies add to a request. One of these is enough to know that the caller may be anywhere. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/** Browsers say this of requests of the service's own pages, and of addresses that a person entered. */
const OWN_SITES = ['same-origin', 'none'];

/** Whether people reach the service only from its own machine, as the configuration says. */
export function isForOneMachine({ isProduction, PUBLIC_URL, TRUST_PROXY }: AppConfig): boolean {
  // A proxy on the same machine may add no header at all. Whoever sets one up sets one of these.
  return !isProduction && TRUST_PROXY === 'off' && (PUBLIC_URL === null || isOwnName(new URL(PUBLIC_URL).hostname));
}

/**
 * Whether the request comes from a program or a page on the machine of the service. `request.ip` does not count, because
 * callers write the headers that it may come from.
 */
export function isFromThisMachine({ socket, headers }: Request): boolean {
  const { host, origin } = headers;
  const site = headers['sec-fetch-site'];
  return (
    isLoopback(socket.remoteAddress ?? '') &&
    PROXY_HEADERS.every((name) => headers[name] === undefined) &&
    // Another name may be one that somebody else lets point to this machine (DNS rebinding).
    isOwnName(hostnameOf(`http://${host}`)) &&
    // Pages of other origins. Browsers of before 2023 send only the second header.
    (site === undefined || OWN_SITES.includes(String(site))) &&
    (origin === undefined || origin === `http://${host}`)
  );
}

function isOwnName(hostname: string): boolean {
  return hostname === 'localhost' || isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'));
}

/** Also in the form that IPv4 has on a socket for both: `::ffff:127.0.0.1`. */
function isLoopback(address: string): boolean {
  const version = isIP(address);
  return version !== 0 && LOOPBACK.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

function hostnameOf(address: string): string {
  return URL.canParse(address) ? new URL(address).hostname : '';
}
