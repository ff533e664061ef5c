/** Most bytes of content, in UTF-8, that an event carries. */
const CONTENT_LIMIT = 16_384;

/** What is kept of an event: facts for every subscriber, and content for those who asked for it. */
export interface EventParts {
  data: Record<string, unknown>;
  content: string | null;
}

/**
 * Splits what a module published. By convention a text in `data.content` is what people wrote or read; everything else
 * are facts. Text over 16 KB is cut, never within a character.
 */
export function eventParts(published: object): EventParts {
  const { content, ...data } = published as { content?: unknown };
  return typeof content === 'string' ? { data, content: cut(content) } : { data, content: null };
}

/** Members of an event's data that hold what people call themselves, or have written. */
const PERSONAL_MEMBERS = ['username', 'email', 'title', 'reason', 'comment', 'url'];

/** The data of an event as receivers get it once the account it tells of is erased: nothing tells whose it was. */
export function withoutPerson(data: Record<string, unknown>): Record<string, unknown> {
  const emptied = { ...data };
  for (const name of PERSONAL_MEMBERS.filter((member) => typeof data[member] === 'string')) {
    emptied[name] = '';
  }
  return emptied;
}

function cut(text: string): string {
  // No character takes more than three bytes for each of its UTF-16 units.
  if (text.length * 3 <= CONTENT_LIMIT) {
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
