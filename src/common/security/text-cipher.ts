import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The name of the format. A later version can use another one. */
const PREFIX = 'v1.';

/**
 * Encrypts texts that must be stored and read again (AES-256-GCM, NIST SP 800-38D). The key comes from `ServiceSecret`.
 * A copy of the database alone therefore does not reveal the texts, and any change of a stored text is detected.
 */
export class TextCipher {
  /** @param keys 256 bits each, only for this use: the first encrypts, all decrypt */
  constructor(private readonly keys: [Buffer, ...Buffer[]]) {}

  encrypt(plain: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.keys[0], nonce);
    const encrypted = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return PREFIX + Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64');
  }

  /** The text encrypted with the current key; null if it already is, or if no key decrypts it. */
  renew(encrypted: string): string | null {
    const isPresent = new TextCipher([this.keys[0]]).canDecrypt(encrypted);
    return isPresent || !this.canDecrypt(encrypted) ? null : this.encrypt(this.decrypt(encrypted));
  }

  /** False for a text that was encrypted with another service secret. */
  canDecrypt(encrypted: string): boolean {
    return Boolean(this.decryptOrNull(encrypted));
  }

  /** Null for a text that was altered, or encrypted with another service secret. */
  decryptOrNull(encrypted: string): string | null {
    try {
      return this.decrypt(encrypted);
    } catch {
      return null;
    }
  }

  /** @throws Error if the text was altered, or encrypted with another service secret */
  decrypt(encrypted: string): string {
    const bytes = Buffer.from(encrypted.slice(PREFIX.length), 'base64');
    if (!encrypted.startsWith(PREFIX) || bytes.length < NONCE_BYTES + TAG_BYTES) {
      throw new Error('The stored text is not in the expected format.');
    }
    const [present, ...previous] = this.keys;
    for (const key of previous) {
      try {
        return decryptWith(key, bytes);
      } catch {
        // The text belongs to another key; after the last key the error is thrown.
      }
    }
    return decryptWith(present, bytes);
  }
}

function decryptWith(key: Buffer, bytes: Buffer): string {
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
}
