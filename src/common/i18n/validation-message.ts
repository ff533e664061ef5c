import type { FieldFault } from '../errors/validation.errors';
import type { Language } from './language';
import { isTranslated, translate } from './translator';

/**
 * The message for a broken rule: the rule's own message, otherwise that of its reason, otherwise a general one about the
 * field.
 */
export function validationMessage(language: Language, { field, reason, values, message }: FieldFault): string {
  if (message !== undefined) {
    return message;
  }
  const key = `validation.${reason}`;
  return translate(language, isTranslated(key) ? key : 'validation.fallback', { ...values, field });
}
