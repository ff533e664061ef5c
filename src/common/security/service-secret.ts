import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigurationError } from '../../config/configuration.error';

/** What is made with now, and behind it what is only read with. */
type Present<Value> = [Value, ...Value[]];

/**
 * The service's secret. Each use but the access tokens has a key of its own, derived from it (HKDF-SHA-256, RFC 5869),
 * so that what one use reveals tells nothing about another.
 */
export class ServiceSecret {
  /** The present secret, and behind it the previous one while it is still read with. */
  private readonly secrets: Present<string>;

  constructor(secret: string, previous: string | null = null) {
    this.secrets = previous === null ? [secret] : [secret, previous];
  }

  /** Whether a previous secret is still read with. */
  get isBeingRotated(): boolean {
    return this.secrets.length > 1;
  }

  /** 256 bits for one purpose, such as `webhook-secrets`, with which things are made; always the same for the same secret. */
  derive(purpose: string): Buffer {
    return this.deriveAll(purpose)[0];
  }

  /** The key of `derive`, and behind it that of the previous secret: what is read may have been made with either. */
  deriveAll(purpose: string): Present<Buffer> {
    return each(this.secrets, (secret) => Buffer.from(hkdfSync('sha256', secret, '', `chat-service:${purpose}`, 32)));
  }

  /**
   * The keys of access tokens, the present one first: the secret itself, so that other services which know it can verify
   * our tokens (RFC 7518 §3.2). Key objects, because verifying with text costs fifty times as much.
   */
  accessTokenKeys(): Present<KeyObject> {
    return each(this.secrets, (secret) => createSecretKey(Buffer.from(secret)));
  }
}

/** The secret kept in `file`, or one that is made there and only the file's owner can read. For development. @throws ConfigurationError */
export function secretFromFile(file: string): string {
  try {
    if (!existsSync(file)) {
      mkdirSync(dirname(file), { recursive: true });
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
