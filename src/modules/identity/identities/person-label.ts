import type { Person } from '../protocol/person';

const LONGEST_NAME = 64;

/**
 * How mails call a person whom a provider knows. Whoever wrote the name may be a stranger: nothing of it can look like an
 * address or a sentence that asks for something.
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
