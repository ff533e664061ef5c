import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ServiceSecret } from '../../../common/security/service-secret';

const RANDOM_BYTES = 16;
const MAC_BYTES = 16;

/** What a token opens. A token of one kind never passes for another. */
export type SignInTokenKind = 'state' | 'login-code' | 'link-token';

/**
 * Makes and recognizes the tokens of a sign-in: 128 random bits, and 128 that only this service can compute from them. So a
 * forged one costs no query, and counts against the address that sent it.
 */
@Injectable()
export class SignInTokens {
  private readonly keys: [Buffer, ...Buffer[]];

  constructor(secret: ServiceSecret) {
    this.keys = secret.deriveAll('sign-in-tokens');
  }

  /** 43 characters. */
  make(kind: SignInTokenKind): string {
    const random = randomBytes(RANDOM_BYTES);
    return Buffer.concat([random, mac(this.keys[0], kind, random)]).toString('base64url');
  }

  /** Whether this service made the token, whatever has become of it since. */
  isOurs(kind: SignInTokenKind, token: unknown): token is string {
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

/** SHA-256, in hexadecimal: the form in which the database keeps what opens something. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Whether the verifier is that of the challenge (RFC 7636 §4.6, S256). */
export function isVerifierOf(verifier: string, challenge: string): boolean {
  const expected = Buffer.from(createHash('sha256').update(verifier).digest('base64url'));
  const known = Buffer.from(challenge);
  return expected.length === known.length && timingSafeEqual(expected, known);
}

function mac(key: Buffer, kind: SignInTokenKind, random: Buffer): Buffer {
  return createHmac('sha256', key).update(kind).update(random).digest().subarray(0, MAC_BYTES);
}
