import type { Request } from 'express';
import { DEFAULT_LANGUAGE, isLanguageTag, type Language, shippedLanguage } from './language';

/** Where a caller's language may be read from, in the order in which the sources count. */
export interface LanguageSources {
  /** The field `lang` of the body, as it came; what is not well-formed does not count. */
  body?: unknown;
  /** The language that the user has chosen. */
  stored?: string | null;
  /** Languages of `Accept-Language`, the best liked first; `*` means any. */
  accepted?: readonly string[];
}

/** The language to answer in. An explicit wish for a language that we do not speak gives English. */
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

/** The language of a request: its body's `lang`, then the caller's stored one, then `Accept-Language`, then English. */
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
