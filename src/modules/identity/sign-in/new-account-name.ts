import { randomInt } from 'node:crypto';
import { isUsername } from '../../user/user.api';

/** The longest name, less what tells it from others. */
const LONGEST_STEM = 24;

/** What an account may be called whose person a provider has named, the best first. */
export function* proposedNames(name: string | null, email: string): Generator<string> {
  const local = email.slice(0, email.lastIndexOf('@'));
  const stems = [name ?? '', local].map(toStem).filter(isUsername);
  yield* stems;
  const stem = stems[0] ?? 'user';
  for (;;) {
    yield `${stem}-${randomInt(10_000, 1_000_000)}`;
  }
}

function toStem(text: string): string {
  const joined = text
    .normalize('NFC')
    .trim()
    .replace(/\s+/gu, '.')
    .replace(/[^\p{L}\p{M}\p{N}_.-]/gu, '');
  return [...joined].slice(0, LONGEST_STEM).join('');
}
