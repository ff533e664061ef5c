import type { FieldFault } from '../errors/validation.errors';
import type { Language } from './language';
import { isTranslated, translate } from './translator';

/**
 * The sentence for a broken rule: that of the rule itself, else that of its reason, else a general one about the field.
 */
export function validationMessage(language: Language, { field, reason, values, message }: FieldFault): string {
  if (message !== undefined) {
    return message;
  }
  const key = `validation.${reason}`;
  return translate(language, isTranslated(key) ? key : 'validation.fallback', { ...values, field });
}
