/** The languages of messages and mails. The first one is the fallback. */
export const LANGUAGES = ['en', 'zh', 'es', 'fr', 'de', 'ja'] as const;

export type Language = (typeof LANGUAGES)[number];

export const DEFAULT_LANGUAGE: Language = 'en';

const LANGUAGE_TAG = /^[a-zA-Z]{2,3}(-[A-Za-z0-9]{2,8})*$/;

/** In characters. */
export const LONGEST_LANGUAGE_TAG = 16;

/** Whether `value` is a well-formed language tag such as `de`, `zh-CN` or `pt-BR`. The service may not support it. */
export function isLanguageTag(value: unknown): value is string {
  return typeof value === 'string' && value.length <= LONGEST_LANGUAGE_TAG && LANGUAGE_TAG.test(value);
}

/** The service's language for a tag: `zh-Hant` and `ZH-cn` are `zh`. Undefined if the service does not support it. */
export function shippedLanguage(tag: string): Language | undefined {
  const base = tag.split('-', 1)[0]?.toLowerCase();
  return LANGUAGES.find((language) => language === base);
}
