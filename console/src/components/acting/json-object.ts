import { texts } from '../../app/i18n/languages';
import { EntryError } from '../form/faults';
import { textOf } from '../form/form';

const t = texts('acting');

/**
 * Parses the JSON object in a field.
 *
 * @throws EntryError for anything else
 */
export function objectOf(entries: FormData, name: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(textOf(entries, name));
  } catch {
    value = null;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new EntryError(name, t('not_json'));
  return value as Record<string, unknown>;
}
