/** Characters, including punctuation, of scripts that write words or particles without spaces. */
const UNSPACED =
  /[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}\p{scx=Yiii}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}\u3001-\u303f\ufe30-\ufe4f\uff01-\uffee]/u;

const LETTER = '一';

/**
 * Masks characters of unspaced scripts next to a delimiter run. CommonMark decides by the punctuation next to a run of
 * `*` or `~` whether it opens or closes emphasis, and assumes spaces between words. `含**「重点」**内容` has none. In the
 * mask, these characters count as letters, so that the run may do both. The length of the text does not change.
 */
export function marksAsLetters(text: string): string {
  const parts = text.split(/([*~]+)/);
  const isWithin = (run: number): boolean =>
    UNSPACED.test(lastOf(parts[run - 1] ?? '')) || UNSPACED.test(firstOf(parts[run + 1] ?? ''));
  return parts
    .map((part, index) => {
      if (index % 2 === 1) return part;
      const start = index > 0 && isWithin(index - 1) ? firstOf(part) : '';
      const changed = asLetter(start) + part.slice(start.length);
      const end = index < parts.length - 1 && isWithin(index + 1) ? lastOf(changed) : '';
      return changed.slice(0, changed.length - end.length) + asLetter(end);
    })
    .join('');
}

function asLetter(character: string): string {
  return /[\s_]/.test(character) ? character : LETTER.repeat(character.length);
}

function firstOf(text: string): string {
  return /^[^]/u.exec(text)?.[0] ?? '';
}

/** Includes the variation selector. */
function lastOf(text: string): string {
  return /[^][\ufe00-\ufe0f\u{e0100}-\u{e01ef}]?$/u.exec(text.slice(-4))?.[0] ?? '';
}

/** Whether a word directly precedes a run at this index of a masked text. */
export function touchesWord(text: string, index: number): boolean {
  return text[index - 1] === LETTER;
}

/** Punctuation of the sentence around an address. ASCII is excluded, because it may be part of the address. */
const NOT_OF_ADDRESS = /[—―…‥～｜]|(?![ -~])[\p{Terminal_Punctuation}\p{Quotation_Mark}\p{Ps}\p{Pe}]/u;

/**
 * The end of an address without a space after it. Letters of an unspaced script belong to the address only after a
 * slash.
 */
export function endOfAddress(address: string): number {
  const mark = address.search(NOT_OF_ADDRESS);
  const own = mark === -1 ? address : address.slice(0, mark);
  const letter = [...own].find((character) => /\p{L}/u.test(character) && UNSPACED.test(character));
  const start = letter === undefined ? -1 : own.indexOf(letter);
  return start > 0 && /[a-z\d)]/i.test(own.charAt(start - 1)) ? start : own.length;
}

/** The next address without a protocol and without a space before it. */
export function nextAddress(text: string): number {
  let index = text.indexOf('www.');
  while (index > 0 && !UNSPACED.test(text.charAt(index - 1))) index = text.indexOf('www.', index + 1);
  return index;
}
