import { createInstance, type i18n, type Resource } from 'i18next';
import { formatDate, formatDuration, formatMoment } from './formats';
import { DEFAULT_LANGUAGE, type Language, LANGUAGES } from './language';
import de from './locales/de.json';
import en from './locales/en.json';
import es from './locales/es.json';
import fr from './locales/fr.json';
import ja from './locales/ja.json';
import zh from './locales/zh.json';

/** Every sentence by language; all languages have the same keys and placeholders, which a test checks. */
export const CATALOGUE = { en, zh, es, fr, de, ja } satisfies Record<Language, object>;

const translations = createTranslations();

/**
 * The sentence of `key` (such as `errors.CHAT_NOT_FOUND`) in `language`, its placeholders filled from `values`. Values
 * are put in as they are: escaping belongs to whoever writes them into HTML. An unknown key gives the key itself.
 *
 * Placeholders may name a format: `{{n, number}}`, `{{seconds, duration}}`, `{{day, date}}`, `{{instant, moment}}`.
 */
export function translate(language: Language, key: string, values: Record<string, unknown> = {}): string {
  // Under `replace` a value called `lng` or `count` stays a value and is not taken for an option.
  return translations.t(key, { lng: language, replace: values });
}

/** Whether the catalogue has a sentence for `key`. */
export function isTranslated(key: string): boolean {
  return typeof translations.getResource(DEFAULT_LANGUAGE, 'translation', key) === 'string';
}

function createTranslations(): i18n {
  const instance = createInstance({
    resources: Object.fromEntries(
      Object.entries(CATALOGUE).map(([language, translation]) => [language, { translation }]),
    ) satisfies Resource,
    supportedLngs: LANGUAGES,
    lng: DEFAULT_LANGUAGE,
    fallbackLng: DEFAULT_LANGUAGE,
    nsSeparator: false,
    interpolation: { escapeValue: false },
    missingInterpolationHandler: () => '',
    initAsync: false,
    showSupportNotice: false,
  });
  void instance.init();
  addFormat(instance, 'duration', formatDuration);
  addFormat(instance, 'date', formatDate);
  addFormat(instance, 'moment', formatMoment);
  return instance;
}

/** A value that is not there must stay absent instead of being formatted as NaN or Invalid Date. */
function addFormat<Value>(instance: i18n, name: string, format: (value: Value, language: string) => string): void {
  instance.services.formatter?.add(name, (value: Value | undefined, language) =>
    value === undefined ? '' : format(value, language ?? DEFAULT_LANGUAGE),
  );
}
