import { isIP } from 'node:net';
import type { Request } from 'express';

/**
 * The address that a request comes from; `unknown` on a connection that is gone.
 *
 * Express derives `request.ip` from X-Forwarded-For as far as the setting `trust proxy` says. Some gateways write a port
 * beside the address. Text there that is no address is not believed; the neighbour that sent it is named instead.
 */
export function callerAddress({ ip = '', socket }: Request): string {
  const [, address = ip] = /^\[(.*)\](?::\d+)?$/.exec(ip) ?? /^([\d.]+):\d+$/.exec(ip) ?? [];
  return isIP(address) !== 0 ? address : (socket.remoteAddress ?? 'unknown');
}
