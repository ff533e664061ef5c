import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type Handlebars from 'handlebars';
import { type TemplateDelegate } from 'handlebars';
import { FeatureError } from '../features/feature.error';
import { loadHandlebars } from '../load-package';
import { DEFAULT_LANGUAGE, type Language, LANGUAGES } from './language';

/** The messages of one language by group and key. */
interface Sentences {
  /** By error code. */
  errors: Group;
  /** By reason. */
  validation: Group;
  messages: Group;
  pages: Record<string, Group>;
  /** By kind of mail. */
  mails: Record<string, Group>;
}

/** Messages by language. A message that a language lacks is shown in `DEFAULT_LANGUAGE`. */
export type Catalogue = Record<Language, Sentences>;

/*
 * This folder localizes messages. `translate` below returns a message. Modules have their messages in the folder that
 * `@Feature({ folder })` names, and `requestLanguage` finds the language of a request. `validationMessage` returns the
 * message for a broken rule.
 */

/** Loaded for the first message, because Handlebars loads slowly. */
let handlebars: typeof Handlebars | undefined;
/**
 * The messages of the process. They are not injected, because failures are also rendered where nothing is: in streams,
 * and before there is a route. Until an application is built, the catalogue has the messages of this folder.
 */
let catalogue: Catalogue | undefined;

/** The catalogue does not change after the start, so each message is compiled once. */
const compiled = new Map<string, TemplateDelegate>();

/**
 * The message of `key` (such as `errors.CHAT_NOT_FOUND`) in `language`, with its placeholders filled from `values`. A
 * missing value becomes an empty text. Values are not escaped: the code that writes them into HTML escapes them. For an
 * unknown key, the result is the key itself.
 *
 * A placeholder may name a format: `{{number n}}`, `{{duration seconds}}`, `{{date day}}`, `{{moment instant}}`.
 */
export function translate(language: Language, key: string, values: Record<string, unknown> = {}): string {
  const sentence = find(sentences()[language], key) ?? find(sentences()[DEFAULT_LANGUAGE], key);
  return sentence === undefined ? key : template(sentence)(values, { data: { language } });
}

/** All messages. */
export function sentences(): Catalogue {
  catalogue ??= readSentences([{ module: 'common', fact: __dirname }]);
  return catalogue;
}

/** Replaces the messages of the process. */
export function speak(all: Catalogue): void {
  catalogue = all;
}

/** Whether the catalogue has a message for `key`. */
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

const MINUTE = 60;

const HOUR = 3_600;

/**
 * By language and kind. Creating one takes a hundred times as long as using it, and refusals in a flood use one too.
 */
const formats = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat>();

/** A number with the separators of the language: `1,000` in English, `1.000` in German. */
function formatNumber(value: number, language: string): string {
  return kept(`number ${language}`, () => new Intl.NumberFormat(language)).format(value);
}

/** Seconds in words, in a unit that people use: `45 seconds`, `10 minutes`, `24 hours`; rounded up. */
function formatDuration(seconds: number, language: string): string {
  const whole = Math.max(1, Math.ceil(seconds));
  for (const [unit, size] of [
    ['hour', HOUR],
    ['minute', MINUTE],
  ] as const) {
    if (whole % size === 0 || whole > 2 * size) {
      return formatUnit(Math.ceil(whole / size), unit, language);
    }
  }
  return formatUnit(whole, 'second', language);
}

/** A day in words, UTC. `value` is a Date, milliseconds, or an ISO 8601 text. */
function formatDate(value: Date | number | string, language: string): string {
  const options = { dateStyle: 'long', timeZone: 'UTC' } as const;
  return kept(`date ${language}`, () => new Intl.DateTimeFormat(language, options)).format(new Date(value));
}

/** A day and a time to the minute, UTC. `value` is a Date, milliseconds, or an ISO 8601 text. */
function formatMoment(value: Date | number | string, language: string): string {
  const options = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const;
  return kept(`moment ${language}`, () => new Intl.DateTimeFormat(language, options)).format(new Date(value));
}

function formatUnit(value: number, unit: 'hour' | 'minute' | 'second', language: string): string {
  const options = { style: 'unit', unit, unitDisplay: 'long' } as const;
  return kept(`${unit} ${language}`, () => new Intl.NumberFormat(language, options)).format(value);
}

/** @param key names the kind of the format, so that all formats of a key have one type */
function kept<Format extends Intl.NumberFormat | Intl.DateTimeFormat>(key: string, make: () => Format): Format {
  const format = formats.get(key) ?? make();
  formats.set(key, format);
  return format as Format;
}

type Group = Record<string, string>;

/**
 * Reads the messages of modules from `<folder>/locales/<language>.json`. A module needs only those of `DEFAULT_LANGUAGE`.
 *
 * @throws FeatureError if a module lacks `DEFAULT_LANGUAGE`, or two modules have the same message
 */
export function readSentences(folders: readonly { module: string; fact: string }[]): Catalogue {
  const catalogue = Object.fromEntries(
    LANGUAGES.map((language) => [language, { errors: {}, validation: {}, messages: {}, pages: {}, mails: {} }]),
  ) as Catalogue;
  for (const { module, fact: folder } of folders) {
    for (const language of LANGUAGES) {
      const file = join(folder, 'locales', `${language}.json`);
      if (language === DEFAULT_LANGUAGE || existsSync(file)) {
        add(catalogue[language], file, module);
      }
    }
  }
  return catalogue;
}

function add(known: Sentences, file: string, module: string): void {
  if (!existsSync(file)) {
    throw new FeatureError(`${file} is missing: ${module} needs its texts in English. Other languages are optional.`);
  }
  const sentences = JSON.parse(readFileSync(file, 'utf8')) as Partial<Sentences>;
  for (const [group, texts] of Object.entries(sentences) as [keyof Sentences, Group][]) {
    const taken = Object.keys(texts).filter((key) => Object.hasOwn(known[group], key));
    if (taken.length > 0) {
      throw new FeatureError(
        `${file}: another module has the sentence ${group}.${taken.join(', ')}. Rename that of ${module}.`,
      );
    }
    Object.assign(known[group], texts);
  }
}
