import { isEmail } from 'class-validator';

/** Longest address that a mail server must take (RFC 5321 §4.5.3.1.3, less the angle brackets). */
const LONGEST_ADDRESS = 254;

const PRINTABLE_ASCII = /^[\x21-\x7e]+$/;
const PLAIN_LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~.-]+@/;

/**
 * The one form of an address: trimmed and lower-cased. Addresses beyond ASCII stay as they are, for the rule to refuse:
 * some of their letters become ASCII ones when lower-cased, and thereby somebody else's address.
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
