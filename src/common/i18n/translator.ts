import { formatDate, formatDuration, formatMoment, formatNumber } from './formats';
import { DEFAULT_LANGUAGE, type Language } from './language';
import { CATALOGUE } from './locales';

/** How a placeholder shows its value: `{{n, number}}`, `{{seconds, duration}}`, `{{day, date}}`, `{{instant, moment}}`. */
const FORMATS: Record<string, (value: never, language: Language) => string> = {
  number: formatNumber,
  duration: formatDuration,
  date: formatDate,
  moment: formatMoment,
};

/**
 * The sentence of `key` (such as `errors.CHAT_NOT_FOUND`) in `language`. Its placeholders are filled from `values`; a
 * value that is missing leaves nothing. Values are put in as they are: whoever writes them into HTML escapes them. An
 * unknown key gives the key itself.
 */
export function translate(language: Language, key: string, values: Record<string, unknown> = {}): string {
  const sentence = find(CATALOGUE[language], key) ?? find(CATALOGUE[DEFAULT_LANGUAGE], key) ?? key;
  return sentence.replace(/\{\{(\w+)(?:, (\w+))?\}\}/g, (_placeholder, name: string, format?: string) =>
    show(values[name], format, language),
  );
}

/** Whether the catalogue has a sentence for `key`. */
export function isTranslated(key: string): boolean {
  return find(CATALOGUE[DEFAULT_LANGUAGE], key) !== undefined;
}

function find(catalogue: object, key: string): string | undefined {
  let found: unknown = catalogue;
  for (const name of key.split('.')) {
    found =
      typeof found === 'object' && found !== null && Object.hasOwn(found, name) ? found[name as never] : undefined;
  }
  return typeof found === 'string' ? found : undefined;
}

function show(value: unknown, format: string | undefined, language: Language): string {
  if (value === undefined || value === null) {
    return '';
  }
  const formatted = format === undefined ? undefined : FORMATS[format];
  return formatted === undefined ? `${value as string | number}` : formatted(value as never, language);
}
