import { ApiError } from 'chat-service-client';
import { texts } from '../../app/i18n/languages';

const t = texts('shell');

/** Error messages by field name. */
export type Faults = Record<string, string>;

/** An error that the page finds itself, or describes better than the service can. */
export class EntryError extends Error {
  constructor(
    readonly field: string,
    message: string,
  ) {
    super(message);
  }
}

/** Reasons in `details.errors` for which the console has a short instruction. */
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
 * Error messages by field name. A failure with its own code, such as `USERNAME_TAKEN`, includes a message from the
 * service. `VALIDATION_ERROR` lists reasons by API field; the service's message covers only the first.
 */
export function faultsOf(error: unknown): Faults {
  if (error instanceof EntryError) return { [error.field]: error.message };
  if (!(error instanceof ApiError)) return {};
  const { field, errors } = error.details;
  if (!Array.isArray(errors)) return typeof field === 'string' ? { [field]: error.message } : {};
  const faults: Faults = {};
  for (const { field: path = '', reason } of errors as { field?: string; reason?: string }[]) {
    // An error in a list item, such as `scopes.0`, belongs to the field of the list.
    const name = path.replace(/\.\d+(\..*)?$/, '');
    faults[name] ??= sentenceOf(reason);
  }
  return faults;
}
