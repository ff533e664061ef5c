import { isEmail } from 'class-validator';

/** The longest address that every mail server accepts (RFC 5321 §4.5.3.1.3, without the angle brackets). */
const LONGEST_ADDRESS = 254;

const PRINTABLE_ASCII = /^[\x21-\x7e]+$/;
const PLAIN_LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~.-]+@/;

/**
 * Trims and lowercases an address. An address with non-ASCII characters stays unchanged, so that validation rejects it:
 * lowercasing turns some of these letters into ASCII, which could produce another user's address.
 */
export function normalizeEmail(email: string): string {
  const trimmed = email.trim();
  return PRINTABLE_ASCII.test(trimmed) ? trimmed.toLowerCase() : trimmed;
}

/** Whether a normalized address is one plain ASCII address, without quotes, comments or display name. */
export function isPlainEmail(email: unknown): boolean {
  return (
    typeof email === 'string' &&
    email.length <= LONGEST_ADDRESS &&
    PRINTABLE_ASCII.test(email) &&
    PLAIN_LOCAL_PART.test(email) &&
    isEmail(email, { allow_utf8_local_part: false, allow_ip_domain: false, allow_display_name: false })
  );
}
