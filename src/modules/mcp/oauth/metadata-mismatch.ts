import { INVISIBLE } from '../../../common/text/invisible';
import { beginningOf } from '../../../common/text/surrogate-pairs';
import { McpFailure } from '../protocol/mcp-failure';

export const MISMATCHED_FIELDS = ['issuer', 'resource', 'pkce'] as const;

export type MismatchedField = (typeof MISMATCHED_FIELDS)[number];

const LONGEST_VALUE = 500;

/**
 * A required value is missing from the metadata of a server or its authorization server, or differs. Administrators see
 * both values.
 */
export class MetadataMismatch extends McpFailure {
  /** The value in the metadata; an empty string if it is missing. */
  readonly actual: string;

  constructor(
    readonly field: MismatchedField,
    readonly expected: string,
    actual: unknown,
  ) {
    super('authorization');
    const text = typeof actual === 'string' ? actual : actual === undefined ? '' : JSON.stringify(actual);
    this.actual = beginningOf(text, LONGEST_VALUE).replace(INVISIBLE, '');
    this.message = `The metadata of the server has the ${field} "${this.actual}", expected "${expected}".`;
  }
}
