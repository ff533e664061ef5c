import type { Request } from 'express';
import { DEFAULT_LANGUAGE, isLanguageTag, type Language, shippedLanguage } from './language';

/** The sources of a caller's language, the most important first. */
export interface LanguageSources {
  /** The field `lang` of the body, not yet validated; a malformed tag is ignored. */
  body?: unknown;
  /** The user's stored language. */
  stored?: string | null;
  /** Languages of `Accept-Language`, the preferred one first; `*` means any. */
  accepted?: readonly string[];
}

/** The language of the response. If `lang` or the stored language is not supported, it is English. */
export function negotiateLanguage({ body, stored, accepted = [] }: LanguageSources): Language {
  const explicit = [body, stored].find(isLanguageTag);
  if (explicit !== undefined) {
    return shippedLanguage(explicit) ?? DEFAULT_LANGUAGE;
  }
  for (const tag of accepted) {
    const language = shippedLanguage(tag);
    if (language) {
      return language;
    }
  }
  return DEFAULT_LANGUAGE;
}

/**
 * The language of a request: its body's `lang`, then the user's stored language, then `Accept-Language`, then English.
 */
export function requestLanguage(request: Request): Language {
  return negotiateLanguage({
    body: bodyLanguage(request),
    stored: request.principal?.language,
    accepted: request.acceptsLanguages(),
  });
}

function bodyLanguage(request: Request): unknown {
  const body: unknown = request.body;
  return typeof body === 'object' && body !== null && 'lang' in body ? body.lang : undefined;
}
