import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigurationError } from '../../config/configuration.error';

/** The current secret, which signs and encrypts, and after it the previous one, which only verifies and decrypts. */
type Present<Value> = [Value, ...Value[]];

/**
 * The service's secret. Every use except access tokens has its own key, derived from the secret (HKDF-SHA-256, RFC
 * 5869), so that a leaked key reveals nothing about the others.
 */
export class ServiceSecret {
  /** The current secret and, while it is still accepted, the previous one. */
  private readonly secrets: Present<string>;

  constructor(secret: string, previous: string | null = null) {
    this.secrets = previous === null ? [secret] : [secret, previous];
  }

  /** Whether a previous secret is still accepted. */
  get isBeingRotated(): boolean {
    return this.secrets.length > 1;
  }

  /**
   * The key (256 bits) that signs or encrypts for one purpose, such as `webhook-secrets`. It depends only on the secret
   * and the purpose.
   */
  derive(purpose: string): Buffer {
    return this.deriveAll(purpose)[0];
  }

  /** The key of `derive`, followed by the key of the previous secret. Stored data may have been created with either. */
  deriveAll(purpose: string): Present<Buffer> {
    return each(this.secrets, (secret) => Buffer.from(hkdfSync('sha256', secret, '', `chat-service:${purpose}`, 32)));
  }

  /**
   * The keys of access tokens, the current one first. They are the secret itself, so that other services that know it
   * can verify the tokens (RFC 7518 §3.2). They are key objects, because verifying with text costs fifty times as much.
   */
  accessTokenKeys(): Present<KeyObject> {
    return each(this.secrets, (secret) => createSecretKey(Buffer.from(secret)));
  }
}

/**
 * The secret in `file`. If there is none, this creates one that only the file's owner can read. For development.
 *
 * @throws ConfigurationError
 */
export function secretFromFile(file: string): string {
  try {
    if (!existsSync(file)) {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(file, randomBytes(48).toString('base64'), { mode: 0o600, flag: 'wx' });
    }
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigurationError([`JWT_SECRET is not set, and ${file} cannot keep one: ${(error as Error).message}`]);
  }
}

function each<From, To>([present, ...previous]: Present<From>, make: (value: From) => To): Present<To> {
  return [make(present), ...previous.map(make)];
}
