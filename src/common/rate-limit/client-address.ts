import { normalizeIp } from '@nestjs/throttler';
import type { Request } from 'express';
import { callerAddress } from '../security/caller-address';

/**
 * The address by which anonymous requests are counted: the whole address for IPv4 and IPv4-mapped IPv6, the /64 for
 * IPv6, because one household or server usually has a whole /64.
 */
export function clientAddress(request: Request): string {
  return normalizeIp(callerAddress(request));
}
