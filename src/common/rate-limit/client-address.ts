import { normalizeIp } from '@nestjs/throttler';
import type { Request } from 'express';
import { callerAddress } from '../security/caller-address';

/**
 * The address that anonymous requests are counted by: IPv4 as it is (IPv4-mapped IPv6 too), IPv6 by its /64, because
 * one household or server is usually given a whole /64.
 */
export function clientAddress(request: Request): string {
  return normalizeIp(callerAddress(request));
}
