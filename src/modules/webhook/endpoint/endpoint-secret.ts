import { randomBytes } from 'node:crypto';

/** Standard Webhooks asks for 24 to 64 random bytes. */
const SECRET_BYTES = 32;

/** A new signing secret in the form of Standard Webhooks: `whsec_` and base64. */
export function newEndpointSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}
