import { isIP } from 'node:net';
import { normalizeIp } from '@nestjs/throttler';
import type { Request } from 'express';

/**
 * The address that anonymous requests are counted by: IPv4 as it is (IPv4-mapped IPv6 too), IPv6 by its /64, because
 * one household or server is usually given a whole /64.
 *
 * Express derives `request.ip` from X-Forwarded-For as far as the setting `trust proxy` says. Text there that is no
 * address is not believed; the neighbour that sent it is counted instead.
 */
export function clientAddress(request: Request): string {
  const { ip } = request;
  const address = ip !== undefined && isIP(ip) !== 0 ? ip : request.socket.remoteAddress;
  return address === undefined ? 'unknown' : normalizeIp(address);
}
