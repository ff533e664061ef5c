import { stem } from 'porter2';
import { foldText, unicodeForm } from '../../common/text/folding';
import { INVISIBLE } from '../../common/text/invisible';

/*
 * The terms of a text, the same on each database. Texts are compared in the folded form of all searches: without case,
 * width, accents, and the marks of Greek, Cyrillic, Hebrew and Arabic.
 */

/** Scripts without spaces between words, and Korean, whose words have endings. */
const ADJACENT = ['Han', 'Hira', 'Kana', 'Bopo', 'Hang', 'Thai', 'Laoo', 'Khmr', 'Mymr']
  .map((script) => `\\p{scx=${script}}`)
  .join('');
const LETTERS = '[\\p{L}\\p{N}\\p{M}]';
const SPACELESS = `[[${ADJACENT}]&&${LETTERS}]`;
const SPACED = `[${LETTERS}--[${ADJACENT}]]`;

/** A run of a script without spaces; a word or a code, with its sign as in `C++` and `C#`; an emoji or a flag. */
const TOKENS = new RegExp(
  `(${SPACELESS}+)|(${SPACED}+(?:[_.\\-:\\/@+#]${SPACED}+)*(?:\\+\\+|#)?)(?:['’]s(?!${SPACED}))?|` +
    '\\p{Extended_Pictographic}|\\p{RI}{2}',
  'gv',
);
const SEPARATORS = /[_.\-:/@+#]+/;
const LETTER = /^[\p{L}\p{N}]$/u;

/** The stemmer is for English. It also removes the plural `s` of other languages. Longer words are no words. */
const STEMMED = /^\p{Script=Latin}{3,}$/u;
const LONGEST_STEMMED = 40;

/** Words that say little about a subject: the English list of the Snowball project, without contractions. */
const STOP_WORDS = new Set(
  `i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its
   itself they them their theirs themselves what which who whom this that these those am is are was were be been being
   have has had having do does did doing would should could ought a an the and but if or because as until while of at by
   for with about against between into through during before after above below to from up down in out on off over under
   again further then once here there when where why how all any both each few more most other some such no nor not only
   own same so than too very`.split(/\s+/),
);

/** Stems of recent words, as a text repeats most of its words. */
const stems = new Map<string, string>();
const MOST_STEMS = 20_000;

/** Receives a term. `counts` is 0 for a term that only repeats others: a whole code, and a single character. */
type OnTerm = (term: string, counts: 0 | 1) => void;

/** The terms by which a passage is found. */
export function readTerms(text: string, onTerm: OnTerm): void {
  for (const [token, spaceless, word] of unicodeForm(foldText(text)).matchAll(TOKENS)) {
    if (spaceless !== undefined) {
      readAdjacent(spaceless, onTerm);
    } else if (word === undefined) {
      onTerm(token, 1);
    } else {
      readWord(word, onTerm);
    }
  }
}

/**
 * The distinct terms of a query. A single character of a script without spaces finds all texts that contain it. Words
 * such as `how` and `my` are rare in documents, so they would outweigh the subject of a question: they only count in a
 * query that has nothing else.
 */
export function queryTerms(query: string): string[] {
  const terms = new Set<string>();
  const stopWords = new Set<string>();
  for (const [token, spaceless, word] of unicodeForm(foldText(query.replace(INVISIBLE, ''))).matchAll(TOKENS)) {
    const add: OnTerm = (term) => terms.add(term);
    if (spaceless !== undefined) {
      const isSingle = [...spaceless].length === 1;
      readAdjacent(spaceless, (term, counts) => (isSingle || counts === 1 ? add(term, counts) : undefined));
    } else if (word === undefined) {
      terms.add(token);
    } else {
      readWord(word, STOP_WORDS.has(word) ? (term) => stopWords.add(term) : add);
    }
  }
  return [...(terms.size > 0 ? terms : stopWords)];
}

function readAdjacent(run: string, onTerm: OnTerm): void {
  let before = '';
  for (const character of run) {
    if (LETTER.test(character)) {
      onTerm(character, 0);
    }
    if (before !== '') {
      onTerm(before + character, 1);
    }
    before = character;
  }
}

function readWord(word: string, onTerm: OnTerm): void {
  const parts = word.split(SEPARATORS);
  if (parts.length > 1) {
    onTerm(word, 0);
  }
  for (const part of parts) {
    if (part !== '') {
      onTerm(stemOf(part), 1);
    }
  }
}

function stemOf(word: string): string {
  if (word.length > LONGEST_STEMMED) {
    return word;
  }
  let found = stems.get(word);
  if (found === undefined) {
    // V8 keeps the whole text of which a word is a part, unless the word is copied.
    const own = Buffer.from(word).toString();
    found = STEMMED.test(own) ? stem(own) : own;
    if (stems.size >= MOST_STEMS) {
      stems.clear();
    }
    stems.set(own, found);
  }
  return found;
}
