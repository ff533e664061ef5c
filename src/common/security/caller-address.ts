import { isIP } from 'node:net';
import type { Request } from 'express';

/**
 * The client address of a request; `unknown` if the connection is closed.
 *
 * Express reads `request.ip` from X-Forwarded-For as far as the setting `trust proxy` allows. Some gateways append a
 * port to the address. If the text is not an address, the address of the connection is used.
 */
export function callerAddress({ ip = '', socket }: Request): string {
  const [, address = ip] = /^\[(.*)\](?::\d+)?$/.exec(ip) ?? /^([\d.]+):\d+$/.exec(ip) ?? [];
  return isIP(address) !== 0 ? address : (socket.remoteAddress ?? 'unknown');
}
