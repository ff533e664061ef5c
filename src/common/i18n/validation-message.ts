import type { FieldFault } from '../errors/validation.errors';
import type { Language } from './language';
import { isTranslated, translate } from './translator';

/** The message for a broken rule. A reason without its own message uses a general one about the field. */
export function validationMessage(language: Language, { field, reason, values }: FieldFault): string {
  const key = `validation.${reason}`;
  return translate(language, isTranslated(key) ? key : 'validation.fallback', { ...values, field });
}
