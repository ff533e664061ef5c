import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ServiceSecret } from '../../../common/security/service-secret';
import { TextCipher } from '../../../common/security/text-cipher';

/** Standard Webhooks requires 24 to 64 random bytes. */
const SECRET_BYTES = 32;

export const SECRET_PREFIX = 'whsec_';

/** Encrypts the endpoints' signing secrets for the database, with a key derived from the service secret. */
@Injectable()
export class SecretCipher extends TextCipher {
  constructor(serviceSecret: ServiceSecret) {
    super(serviceSecret.deriveAll('webhook-secrets'));
  }
}

/** A new signing secret as defined in Standard Webhooks: `whsec_` and base64. */
export function newEndpointSecret(): string {
  return `${SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
}
