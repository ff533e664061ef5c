import { createHmac } from 'node:crypto';
import type { ServiceSecret } from './service-secret';

/** A user in data that leaves the installation: the same for the same user, and of no use without the secret. */
export function userPseudonym(secret: ServiceSecret, userId: number): string {
  const key = secret.derive('user-pseudonyms');
  return `u_${createHmac('sha256', key).update(String(userId)).digest('hex').slice(0, 16)}`;
}
