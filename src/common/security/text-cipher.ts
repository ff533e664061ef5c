import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Names the format, so that it can change one day. */
const PREFIX = 'v1.';

/**
 * Encrypts what must be kept and read again (AES-256-GCM, NIST SP 800-38D). With a key that `ServiceSecret` derives, a
 * copy of the database alone reveals nothing and nothing in it can be changed unnoticed.
 */
export class TextCipher {
  /** @param keys 256 bits each, for this use alone: the first encrypts, all decrypt */
  constructor(private readonly keys: [Buffer, ...Buffer[]]) {}

  encrypt(plain: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.keys[0], nonce);
    const encrypted = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return PREFIX + Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64');
  }

  /** The same under the present key; null for what is under it already, or under none of the keys. */
  renew(encrypted: string): string | null {
    const isPresent = new TextCipher([this.keys[0]]).canDecrypt(encrypted);
    return isPresent || !this.canDecrypt(encrypted) ? null : this.encrypt(this.decrypt(encrypted));
  }

  /** False for what was encrypted under another service secret. */
  canDecrypt(encrypted: string): boolean {
    try {
      return this.decrypt(encrypted) !== '';
    } catch {
      return false;
    }
  }

  /** @throws Error when the text was changed, or encrypted under another service secret. */
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
        // It is of another key; the last one says so.
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
