import { isDeepStrictEqual } from 'node:util';

/** The state of a thing as the log shows it: wire names and JSON values. */
export type AuditState = Record<string, unknown>;

/**
 * Fields whose values are secrets. Numbers and times such as `max_tokens` and `secret_expires_at` are no secrets, nor
 * is the setting `password_login`.
 */
const SECRET_FIELD =
  /^(?!.*_expires_at$|password_login$).*(password|secret|hash|authorization|credential|api_?key|(^|_)(token|code|key|signature)$)/i;

/** Webhook addresses often carry their secret in the path or query. */
const ADDRESS_FIELD = /(^|_)ur[li]$/i;

/** The log stores this many characters of a text. The whole text stays where it is stored. */
const LONGEST_TEXT = 2_000;
const HIDDEN = '[hidden]';

/** The log stores states up to this size, in characters of JSON. */
const LARGEST_STATE = 65_536;

/** A state in the form that the log stores: without secrets, and not too large for a log. */
export function loggedState(state: AuditState | null | undefined): AuditState | null {
  if (!state) {
    return null;
  }
  const safe = withoutSecrets(state) as AuditState;
  const { length } = JSON.stringify(safe);
  return length <= LARGEST_STATE ? safe : { too_large_to_keep: true, characters: length };
}

/** Replaces secrets by `[hidden]`, cuts addresses after their host, and shortens long texts. */
function withoutSecrets(value: unknown, field = ''): unknown {
  if (value !== null && value !== undefined && SECRET_FIELD.test(field)) {
    return HIDDEN;
  }
  if (typeof value === 'string') {
    return ADDRESS_FIELD.test(field) ? originOf(value) : shortened(value);
  }
  if (Array.isArray(value)) {
    return value.map((element) => withoutSecrets(element, field));
  }
  if (value instanceof Date) {
    return value.toISOString();
  }
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, child]) => [name, withoutSecrets(child, name)]))
    : value;
}

/** The fields in which two states differ, with their old and their new values. */
export function differences(before: AuditState, after: AuditState): { before: AuditState; after: AuditState } {
  const names = Object.keys({ ...before, ...after }).filter((name) => !isDeepStrictEqual(before[name], after[name]));
  const pick = (state: AuditState): AuditState =>
    Object.fromEntries(names.filter((name) => name in state).map((name) => [name, state[name]]));
  return { before: pick(before), after: pick(after) };
}

/** The fields that were changed. For a new or deleted thing, all its fields. */
export function changeOf(
  before: AuditState | null,
  after: AuditState | null,
): { before: AuditState | null; after: AuditState | null } {
  return before && after ? differences(before, after) : { before, after };
}

function shortened(text: string): string {
  return text.length <= LONGEST_TEXT
    ? text
    : `${text.slice(0, LONGEST_TEXT).toWellFormed()}… (${text.length} characters)`;
}

function originOf(address: string): string {
  return URL.canParse(address) ? `${new URL(address).origin}/…` : HIDDEN;
}
