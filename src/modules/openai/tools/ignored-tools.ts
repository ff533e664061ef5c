import type { Response } from 'express';
import { IGNORED_TOOLS, listNames } from '../../generation/generation.api';
import { UnsupportedParameterError } from '../openai.errors';

/** The handling of unsupported tools and unknown items. */
export type UnknownPolicy = 'ignore' | 'refuse';

/** The unsupported tool types that are removed from a request. */
export class IgnoredTools {
  private readonly types = new Set<string>();

  constructor(private readonly policy: UnknownPolicy) {}

  /**
   * @param field the path, such as `tools[0]`
   * @throws UnsupportedParameterError if such tools are refused
   */
  add({ type }: { type: string }, field: string): void {
    if (this.policy === 'refuse') {
      throw new UnsupportedParameterError(`${field}.type`);
    }
    this.types.add(type);
  }

  /** Lists the types in a header. */
  setHeader(response: Response): void {
    listNames(response, IGNORED_TOOLS, [...this.types]);
  }
}
