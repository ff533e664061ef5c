import type { DomainEvent } from '../../../common/events/domain-events';

/** Most bytes, in UTF-8, of each text of the content. */
const CONTENT_LIMIT = 16_384;

/** What is kept of an event's content: texts over 16 KB are cut, never within a character. */
export function keptContent(content: DomainEvent['content']): Record<string, string | null> | null {
  return content === undefined
    ? null
    : Object.fromEntries(Object.entries(content).map(([name, text]) => [name, cut(text)]));
}

/** Members of an event's data that hold what people call themselves, or have written. */
const PERSONAL_MEMBERS = ['username', 'email', 'reason', 'url'];

/** The data of an event as receivers get it once the account it tells of is erased: nothing tells whose it was. */
export function withoutPerson(data: Record<string, unknown>): Record<string, unknown> {
  const emptied = { ...data };
  for (const name of PERSONAL_MEMBERS.filter((member) => typeof data[member] === 'string')) {
    emptied[name] = '';
  }
  return emptied;
}

function cut(text: string | null): string | null {
  // No character takes more than three bytes for each of its UTF-16 units.
  if (text === null || text.length * 3 <= CONTENT_LIMIT) {
    return text;
  }
  const bytes = Buffer.from(text.slice(0, CONTENT_LIMIT + 1), 'utf8');
  if (bytes.length <= CONTENT_LIMIT) {
    return text;
  }
  let end = CONTENT_LIMIT;
  // Bytes of the form 10xxxxxx continue a character (RFC 3629 §3).
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) {
    end--;
  }
  return bytes.toString('utf8', 0, end);
}
