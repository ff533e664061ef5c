import type { Person } from '../sign-in/person';

const LONGEST_NAME = 64;

/**
 * The label of a provider's user in mails. The name may come from an attacker, so characters that could form an address
 * or a request are removed.
 */
export function personLabel({
  name,
  email,
  subject,
}: Pick<Person, 'name' | 'email'> & { subject: string | null }): string {
  const letters = (name ?? '')
    .replace(/[^\p{L}\p{M}\p{N} '-]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const short = [...letters].slice(0, LONGEST_NAME).join('');
  const address = email ?? subject ?? '';
  return short === '' ? address : `${short} (${address})`;
}
