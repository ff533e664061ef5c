import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Characters after NFC normalization (NIST SP 800-63B §5.1.1.2 requires at least 8). */
export const SHORTEST_PASSWORD = 8;
export const LONGEST_PASSWORD = 128;

const commonPasswords = new Set(readFileSync(join(__dirname, 'common-passwords.txt'), 'utf8').trim().split(/\s+/));

/** Whether the password is one that attackers try first, regardless of case. */
export function isCommonPassword(password: string): boolean {
  return commonPasswords.has(password.toLowerCase());
}
