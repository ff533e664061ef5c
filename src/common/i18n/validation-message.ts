import type { Language } from './language';
import { isTranslated, translate } from './translator';

/** One broken rule; `values` fills the sentence's `minimum` and `maximum`. */
export interface BrokenRule {
  field: string;
  reason: string;
  values?: Record<string, string | number>;
}

/** The sentence for a broken rule. A reason that the catalogue does not know gives a general one about the field. */
export function validationMessage(language: Language, { field, reason, values }: BrokenRule): string {
  const key = `validation.${reason}`;
  return translate(language, isTranslated(key) ? key : 'validation.fallback', { ...values, field });
}
