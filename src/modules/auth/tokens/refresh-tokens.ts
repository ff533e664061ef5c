import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ServiceSecret } from '../../../common/security/service-secret';

const FAMILY_BYTES = 16;
const GENERATION_BYTES = 4;
const MAC_BYTES = 32;
const TOKEN_BYTES = FAMILY_BYTES + GENERATION_BYTES + MAC_BYTES;

/** The content of a genuine refresh token. */
export interface RefreshToken {
  /** Random id of the session, 32 hexadecimal digits. */
  family: string;
  /** Number of earlier tokens of the session. */
  generation: number;
}

/**
 * Creates and reads refresh tokens. A token consists of the session's random id, the rotation number, and 256 bits
 * (HMAC-SHA-256) that only this service can compute from both.
 *
 * Therefore a forged token costs no query, an earlier token of a session is recognized no matter how old it is, and two
 * tabs that refresh at the same time can get the same new token.
 */
@Injectable()
export class RefreshTokens {
  /** The first key creates tokens. All keys verify them, so that tokens of the previous secret still work. */
  private readonly keys: [Buffer, ...Buffer[]];

  constructor(secret: ServiceSecret) {
    this.keys = secret.deriveAll('refresh-tokens');
  }

  /** The first token of a new session. */
  newFamily(): RefreshToken {
    return { family: randomBytes(FAMILY_BYTES).toString('hex'), generation: 0 };
  }

  write(token: RefreshToken): string {
    return writeWith(this.keys[0], token);
  }

  /** Null if this service did not create the token. */
  read(token: string): RefreshToken | null {
    const bytes = Buffer.from(token, 'base64url');
    // Decoding ignores invalid characters, so only the exact text is accepted.
    if (bytes.length !== TOKEN_BYTES || bytes.toString('base64url') !== token) {
      return null;
    }
    const head = bytes.subarray(0, FAMILY_BYTES + GENERATION_BYTES);
    if (!this.keys.some((key) => timingSafeEqual(mac(key, head), bytes.subarray(head.length)))) {
      return null;
    }
    return { family: head.toString('hex', 0, FAMILY_BYTES), generation: head.readUInt32BE(FAMILY_BYTES) };
  }

  /** The stored form of a token: SHA-256, in hexadecimal. */
  hash(token: string): string {
    return createHash('sha256').update(token).digest('hex');
  }

  /** Whether `hash` belongs to this token, created with the current secret or the previous one. */
  matchesHash(token: RefreshToken, hash: string): boolean {
    return this.keys.some((key) => this.hash(writeWith(key, token)) === hash);
  }
}

function writeWith(key: Buffer, { family, generation }: RefreshToken): string {
  const head = Buffer.alloc(FAMILY_BYTES + GENERATION_BYTES, family, 'hex');
  head.writeUInt32BE(generation, FAMILY_BYTES);
  return Buffer.concat([head, mac(key, head)]).toString('base64url');
}

function mac(key: Buffer, head: Buffer): Buffer {
  return createHmac('sha256', key).update(head).digest();
}
