import type Handlebars from 'handlebars';
import type { TemplateDelegate } from 'handlebars';
import { loadHandlebars } from '../load-package';
import { formatDate, formatDuration, formatMoment, formatNumber } from './formats';
import { DEFAULT_LANGUAGE, type Language } from './language';
import { type Catalogue, readSentences } from './sentences';

/*
 * This folder speaks to people in their language. `translate` below gives a sentence. Modules have their sentences in
 * the folder that `@Feature({ folder })` names, and `requestLanguage` finds the language of a request. `validationMessage`
 * gives the sentence for a broken rule.
 */

/** Made for the first sentence, because Handlebars loads slowly. */
let handlebars: typeof Handlebars | undefined;
/**
 * What the process says. It is not injected, because failures are put into words where nothing is: in streams, and before
 * there is a route. Until an application is built, it has the sentences of this folder.
 */
let catalogue: Catalogue | undefined;

/** The catalogue is fixed after the start, so each sentence is compiled once. */
const compiled = new Map<string, TemplateDelegate>();

/**
 * The sentence of `key` (such as `errors.CHAT_NOT_FOUND`) in `language`, with its placeholders filled from `values`. A
 * missing value gives an empty text. Values are not escaped: the code that writes them into HTML escapes them. An unknown
 * key gives the key itself.
 *
 * A placeholder may name a format: `{{number n}}`, `{{duration seconds}}`, `{{date day}}`, `{{moment instant}}`.
 */
export function translate(language: Language, key: string, values: Record<string, unknown> = {}): string {
  const sentence = find(sentences()[language], key) ?? find(sentences()[DEFAULT_LANGUAGE], key);
  return sentence === undefined ? key : template(sentence)(values, { data: { language } });
}

/** All sentences. */
export function sentences(): Catalogue {
  catalogue ??= readSentences([{ module: 'common', fact: __dirname }]);
  return catalogue;
}

/** From now on these sentences are said. */
export function speak(all: Catalogue): void {
  catalogue = all;
}

/** Whether the catalogue has a sentence for `key`. */
export function isTranslated(key: string): boolean {
  return find(sentences()[DEFAULT_LANGUAGE], key) !== undefined;
}

function find(texts: object, key: string): string | undefined {
  let found: unknown = texts;
  for (const name of key.split('.')) {
    found =
      typeof found === 'object' && found !== null && Object.hasOwn(found, name) ? found[name as never] : undefined;
  }
  return typeof found === 'string' ? found : undefined;
}

function template(sentence: string): TemplateDelegate {
  handlebars ??= withFormats();
  const known = compiled.get(sentence) ?? handlebars.compile(sentence, { noEscape: true });
  compiled.set(sentence, known);
  return known;
}

function withFormats(): typeof Handlebars {
  const made = loadHandlebars().create();
  addFormat(made, 'number', formatNumber);
  addFormat(made, 'duration', formatDuration);
  addFormat(made, 'date', formatDate);
  addFormat(made, 'moment', formatMoment);
  return made;
}

function addFormat<Value>(
  to: typeof Handlebars,
  name: string,
  format: (value: Value, language: string) => string,
): void {
  to.registerHelper(name, (value: Value | null | undefined, { data }: Handlebars.HelperOptions) =>
    value === undefined || value === null ? '' : format(value, (data as { language: Language }).language),
  );
}
