import { hasVisible } from '../../../common/text/visible';
import { withoutMarkdown, withoutQuotes } from './plain-text';
import { titleFromMessage } from './title-from-message';

/** A title needs only the start of an answer. */
const BEGINNING = 4_000;
/** The maximum depth of JSON to search, and of labels and quotation marks to remove. */
const DEEPEST = 4;

/** The label of a title, in the languages of the service and some others. */
const LABEL =
  /^(?:(?:(?:the|suggested|chat|conversation)\s+)*title|titel|titre|t[ií]tulo|titolo|标题|標題|題名|タイトル|제목|заголовок)\s*[:：]\s*/iu;

const MEMBER = /^(?:title|titel|titre|t[ií]tulo|name|标题|タイトル)$/iu;

/** A title in JSON that is truncated or follows other text, or in a Python dictionary. */
const MEMBER_IN_TEXT = /\{\s*["']title["']\s*:\s*(?:"((?:[^"\\]|\\.)*)|'((?:[^'\\]|\\.)*))/iu;

/**
 * A title from a model's answer: one line, without JSON, Markdown, a label or quotation marks around it. Null if no
 * visible text is left.
 */
export function titleFromAnswer(answer: string): string | null {
  const lines = withoutMarkdown(textIn(answer.slice(0, BEGINNING)))
    .split('\n')
    .map((line) => unwrapped(line.trim()))
    .filter(hasVisible);
  // Some models announce the title on a separate line.
  const line = lines.find((each) => !/[:：]$/.test(each)) ?? lines[0];
  return line === undefined ? null : titleFromMessage(line);
}

/** The title in JSON, possibly in a code fence; otherwise the answer itself. */
function textIn(answer: string): string {
  const fenced = /^\s*```[a-z]*\s*([^]*?)\s*(?:```\s*)?$/i.exec(answer)?.[1] ?? answer.trim();
  if (/^[{["]/.test(fenced)) {
    const found = titleIn(parsed(fenced));
    if (found !== null) {
      return found;
    }
  }
  const [, quoted, other] = MEMBER_IN_TEXT.exec(fenced) ?? [];
  return unescaped(quoted) ?? other ?? fenced;
}

function titleIn(value: unknown, depth = DEEPEST): string | null {
  if (typeof value === 'string') {
    return value;
  }
  if (typeof value !== 'object' || value === null || depth === 0) {
    return null;
  }
  const members = Object.entries(value);
  const named = members.filter(([name]) => MEMBER.test(name));
  for (const [, member] of [...named, ...members]) {
    const title = titleIn(member, depth - 1);
    if (title !== null) {
      return title;
    }
  }
  return null;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}

function unescaped(text: string | undefined): string | undefined {
  const value = text === undefined ? undefined : parsed(`"${text}"`);
  return typeof value === 'string' ? value : text;
}

/** Removes labels and quotation marks, which may be nested. */
function unwrapped(line: string): string {
  let title = line.replace(/<\/?title>/gi, '');
  for (let layer = 0; layer < DEEPEST; layer++) {
    const emphasis = title.replace(/^(?:\*{1,3}|`{1,3})(?=[^*`]*$)|(?<=^[^*`]*)(?:\*{1,3}|`{1,3})$/g, '');
    title = withoutQuotes(
      emphasis
        .replace(/(["”»“])[.。]$/, '$1')
        .replace(LABEL, '')
        .trim(),
    );
  }
  return title;
}
