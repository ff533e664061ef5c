import { isIP } from 'node:net';
import type { Request } from 'express';

/**
 * The address that a request comes from; `unknown` when the connection is closed.
 *
 * Express reads `request.ip` from X-Forwarded-For as far as the setting `trust proxy` allows. Some gateways write a
 * port after the address. When the text is not an address, the address of the connection counts instead.
 */
export function callerAddress({ ip = '', socket }: Request): string {
  const [, address = ip] = /^\[(.*)\](?::\d+)?$/.exec(ip) ?? /^([\d.]+):\d+$/.exec(ip) ?? [];
  return isIP(address) !== 0 ? address : (socket.remoteAddress ?? 'unknown');
}
