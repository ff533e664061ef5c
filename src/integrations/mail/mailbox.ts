import { isEmail } from 'class-validator';
import parseAddresses from 'nodemailer/lib/addressparser';

/** A mailbox with the name that mail programs show for it (RFC 5322 §3.4); the name may be empty. */
export interface Mailbox {
  name: string;
  address: string;
}

/**
 * Parses `Product <no-reply@example.com>` or the bare address. Null for anything else, such as a group, two addresses
 * or a line break.
 */
export function parseMailbox(text: string): Mailbox | null {
  const [mailbox, ...others] = parseAddresses(text, { flatten: true });
  const isOne = mailbox !== undefined && others.length === 0 && !/\p{Cc}/u.test(text);
  return isOne && isEmail(mailbox.address, { require_tld: false }) ? mailbox : null;
}
