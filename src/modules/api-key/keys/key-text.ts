import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { API_KEY_PREFIX } from '../../../common/security/api-key-identity';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Base-62 digits of 256 bits. */
const RANDOM_DIGITS = 43;

/** Base-62 digits of 32 bits. */
const CHECK_DIGITS = 6;

const FORM = new RegExp(`^${API_KEY_PREFIX}[${DIGITS}]{${RANDOM_DIGITS + CHECK_DIGITS}}$`);

/**
 * A new key: `ck_`, 256 random bits in base 62, and the CRC-32 of the preceding characters. The prefix and the checksum
 * let source code scanners find leaked keys.
 */
export function newKeyText(): string {
  const body = API_KEY_PREFIX + inBase62(BigInt(`0x${randomBytes(32).toString('hex')}`), RANDOM_DIGITS);
  return body + checkOf(body);
}

/** Whether a text may be a key. It detects mistyped keys without a query. */
export function isKeyText(text: string): boolean {
  return FORM.test(text) && checkOf(text.slice(0, -CHECK_DIGITS)) === text.slice(-CHECK_DIGITS);
}

/**
 * The form in which a key is stored and found: its SHA-256 in hexadecimal. It needs no salt, because 256 random bits
 * cannot be guessed.
 */
export function hashOfKey(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function checkOf(body: string): string {
  return inBase62(BigInt(crc32(body)), CHECK_DIGITS);
}

function inBase62(value: bigint, length: number): string {
  let rest = value;
  let digits = '';
  for (let place = 0; place < length; place++) {
    digits = DIGITS.charAt(Number(rest % 62n)) + digits;
    rest /= 62n;
  }
  return digits;
}
