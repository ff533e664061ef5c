import { ApiError } from 'chat-service-client';
import { texts } from '../../app/i18n/languages';

const t = texts('shell');

/** What is wrong, by the name of the field. */
export type Faults = Record<string, string>;

/** A fault that a page finds itself, or says in better words than the service can. */
export class EntryError extends Error {
  constructor(
    readonly field: string,
    message: string,
  ) {
    super(message);
  }
}

/** The rules that the service names in `details.errors`, as far as a short sentence says what to do. */
const REASONS = [
  'required',
  'blank',
  'too_short',
  'too_long',
  'too_small',
  'too_large',
  'too_few_items',
  'too_many_items',
  'invalid_format',
  'invalid_email',
  'invalid_url',
  'invalid_date',
  'invalid_language',
  'not_allowed',
  'not_offered',
  'reserved',
  'duplicate',
  'conflicts',
  'password_too_common',
  'password_is_username',
  'password_is_email',
] as const;

function sentenceOf(reason: string | undefined): string {
  const known = REASONS.find((name) => name === reason);
  return known ? t(`fault_${known}`) : t('fault_unknown');
}

/**
 * What stands at which field. A failure with a code of its own, such as `USERNAME_TAKEN`, brings the service's sentence.
 * `VALIDATION_ERROR` brings rules, of which the service says only the first, with the field's name in the API.
 */
export function faultsOf(error: unknown): Faults {
  if (error instanceof EntryError) return { [error.field]: error.message };
  if (!(error instanceof ApiError)) return {};
  const { field, errors } = error.details;
  if (!Array.isArray(errors)) return typeof field === 'string' ? { [field]: error.message } : {};
  const faults: Faults = {};
  for (const { field: path = '', reason } of errors as { field?: string; reason?: string }[]) {
    // A fault of one entry of a list, `scopes.0`, stands at the list.
    const name = path.replace(/\.\d+(\..*)?$/, '');
    faults[name] ??= sentenceOf(reason);
  }
  return faults;
}
