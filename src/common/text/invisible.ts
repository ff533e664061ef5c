/**
 * Characters that people do not see but models read: controls except tab and line feed, direction marks, characters
 * without width, fillers, tags (U+E0000 to E007F) and variation selectors. A selector directly after an emoji or in a
 * keycap is visible, because it selects the glyph.
 */
export const INVISIBLE =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\u{e0000}-\u{e007f}\u{e0100}-\u{e01ef}]|[\ufe00-\ufe0f](?<!\p{Extended_Pictographic}.|[0-9#*]\ufe0f(?=\u20e3))/gu;

/** Whether a text has invisible characters. */
export function hasInvisible(text: string): boolean {
  return text.search(INVISIBLE) >= 0;
}

/** A name in its visible form: without invisible and bidirectional characters, trimmed. */
export function visibleName(name: string): string {
  return name.replace(INVISIBLE, '').trim();
}

/** A JSON value with `change` applied to all of its texts, and to the names of members. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') {
    return change(value);
  }
  if (Array.isArray(value)) {
    return value.map((item) => mapTexts(item, change));
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [change(name), mapTexts(member, change)]));
  }
  return value;
}

/** For people: escapes invisible characters in all texts of a JSON value, as `\u200b`. */
export function showInvisible(value: unknown): unknown {
  return mapTexts(value, (text) => text.replace(INVISIBLE, escaped));
}

/** Escapes the invisible characters of JSON that a model wrote; the text itself if it is malformed. */
export function shownJson(json: string): unknown {
  try {
    return showInvisible(JSON.parse(json === '' ? '{}' : json));
  } catch {
    return showInvisible(json);
  }
}

/** Escapes the invisible characters of JSON text. Text without such characters stays exactly as the model wrote it. */
export function shownJsonText(json: string): string {
  // JSON may contain them as escapes, which are invisible once it is parsed.
  if (!hasInvisible(json) && !json.includes('\\u')) {
    return json;
  }
  const shown = shownJson(json);
  return typeof shown === 'string' ? shown : JSON.stringify(shown);
}

/** For models: removes invisible characters. */
export function withoutInvisible(value: unknown): unknown {
  return mapTexts(value, (text) => text.replace(INVISIBLE, ''));
}

function escaped(sign: string): string {
  return [...Array(sign.length).keys()].map((at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
}
