/**
 * Signs that people do not see, and that models read: controls but tab and line feed, signs that turn the direction of writing,
 * signs without width, and tags (U+E0000 to E007F).
 */
export const INVISIBLE =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]|\udb40[\udc00-\udc7f]/g;

/** Whether a text has signs that nobody sees. */
export function hasInvisible(text: string): boolean {
  return text.search(INVISIBLE) >= 0;
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

/** For people: in all texts of a JSON value, what nobody would see is written out as `\u200b`. */
export function showInvisible(value: unknown): unknown {
  return mapTexts(value, (text) => text.replace(INVISIBLE, escaped));
}

/** The same of JSON as a model wrote it; the text itself where it is malformed. */
export function shownJson(json: string): unknown {
  try {
    return showInvisible(JSON.parse(json === '' ? '{}' : json));
  } catch {
    return showInvisible(json);
  }
}

/** The same as text: what has no such sign stays as the model wrote it. */
export function shownJsonText(json: string): string {
  // JSON may have them in its own way of writing, which nobody sees either once it is read.
  if (!hasInvisible(json) && !json.includes('\\u')) {
    return json;
  }
  const shown = shownJson(json);
  return typeof shown === 'string' ? shown : JSON.stringify(shown);
}

/** For models: without it. */
export function withoutInvisible(value: unknown): unknown {
  return mapTexts(value, (text) => text.replace(INVISIBLE, ''));
}

function escaped(sign: string): string {
  return [...Array(sign.length).keys()].map((at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
}
