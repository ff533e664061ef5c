import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ServiceSecret } from '../security/service-secret';

const RANDOM_BYTES = 16;
const MAC_BYTES = 16;

/**
 * Creates and recognizes tokens that open the next step of a flow: 128 random bits, and 128 that only this service can
 * compute from them. A forged token therefore costs no query, and counts against the address that sent it. A token of
 * one kind is never valid as another.
 */
export class OneTimeTokens<Kind extends string> {
  private readonly keys: [Buffer, ...Buffer[]];

  /** @param purpose selects the key */
  constructor(secret: ServiceSecret, purpose: string) {
    this.keys = secret.deriveAll(purpose);
  }

  /** 43 characters. */
  make(kind: Kind): string {
    const random = randomBytes(RANDOM_BYTES);
    return Buffer.concat([random, mac(this.keys[0], kind, random)]).toString('base64url');
  }

  /** Whether this service issued the token. It may have been used or have expired. */
  isOurs(kind: Kind, token: unknown): token is string {
    if (typeof token !== 'string') {
      return false;
    }
    const bytes = Buffer.from(token, 'base64url');
    if (bytes.length !== RANDOM_BYTES + MAC_BYTES || bytes.toString('base64url') !== token) {
      return false;
    }
    const random = bytes.subarray(0, RANDOM_BYTES);
    return this.keys.some((key) => timingSafeEqual(mac(key, kind, random), bytes.subarray(RANDOM_BYTES)));
  }
}

/** SHA-256, in hexadecimal: the form in which the database stores tokens. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Whether the token has this hash. */
export function isTokenOf(token: string, hash: string): boolean {
  const found = tokenHash(token);
  return found.length === hash.length && timingSafeEqual(Buffer.from(found), Buffer.from(hash));
}

function mac(key: Buffer, kind: string, random: Buffer): Buffer {
  return createHmac('sha256', key).update(kind).update(random).digest().subarray(0, MAC_BYTES);
}
