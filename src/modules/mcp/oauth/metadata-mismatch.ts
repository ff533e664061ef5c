import { INVISIBLE } from '../../../common/text/invisible';
import { beginningOf } from '../../../common/text/surrogate-pairs';
import { McpFailure } from '../protocol/mcp-failure';

export const MISMATCHED_FIELDS = ['issuer', 'resource', 'pkce'] as const;

export type MismatchedField = (typeof MISMATCHED_FIELDS)[number];

const LONGEST_VALUE = 500;

/** The metadata of a server, or of its authorization server, does not say what it must. Administrators are shown both values. */
export class MetadataMismatch extends McpFailure {
  /** What the metadata says; empty: nothing. */
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
