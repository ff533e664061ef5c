import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ServiceSecret } from '../../../common/security/service-secret';

/** Hashes addresses that only need to be compared, so that the database stores no list of addresses. */
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

  /** All hashes of the parts that the database may contain: with the current secret and with the previous one. */
  hashes(...parts: string[]): string[] {
    return this.keys.map((key) => hashWith(key, parts));
  }
}

function hashWith(key: Buffer, parts: string[]): string {
  return createHmac('sha256', key).update(parts.join('\n')).digest('hex');
}
