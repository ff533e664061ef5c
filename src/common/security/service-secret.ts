import { createSecretKey, hkdfSync, KeyObject, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigurationError } from '../../config/configuration.error';

/**
 * The service's secret. Each use but the access tokens has a key of its own, derived from it (HKDF-SHA-256, RFC 5869),
 * so that what one use reveals tells nothing about another.
 */
export class ServiceSecret {
  constructor(private readonly secret: string) {}

  /** 256 bits for one purpose, such as `access-token` or `webhook-secrets`; always the same for the same secret. */
  derive(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.secret, '', `chat-service:${purpose}`, 32));
  }

  /**
   * The key of access tokens: the secret itself, so that other services which know it can verify our tokens (RFC 7518
   * §3.2). A key object, because verifying with text costs fifty times as much.
   */
  accessTokenKey(): KeyObject {
    return createSecretKey(Buffer.from(this.secret));
  }

  /** Reads the secret kept in `file`, or makes one there that only the file's owner can read. For development. @throws ConfigurationError */
  static fromFile(file: string): ServiceSecret {
    try {
      if (!existsSync(file)) {
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, randomBytes(48).toString('base64'), { mode: 0o600, flag: 'wx' });
      }
      return new ServiceSecret(readFileSync(file, 'utf8'));
    } catch (error) {
      throw new ConfigurationError([`JWT_SECRET is not set, and ${file} cannot keep one: ${(error as Error).message}`]);
    }
  }
}
