import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ServiceSecret } from '../../../common/security/service-secret';

/** Stands for addresses where they are only compared, so that no list of them lies about. */
@Injectable()
export class AddressHasher {
  private readonly keys: [Buffer, ...Buffer[]];

  constructor(secret: ServiceSecret) {
    this.keys = secret.deriveAll('verification-codes');
  }

  /** HMAC-SHA-256 of the parts, in hexadecimal. */
  hash(...parts: string[]): string {
    return hashWith(this.keys[0], parts);
  }

  /** How the parts may be kept: as `hash` has them, and as it had them under the previous secret. */
  hashes(...parts: string[]): string[] {
    return this.keys.map((key) => hashWith(key, parts));
  }
}

function hashWith(key: Buffer, parts: string[]): string {
  return createHmac('sha256', key).update(parts.join('\n')).digest('hex');
}
