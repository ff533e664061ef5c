import type { Response } from 'express';
import { UnsupportedParameterError } from '../openai.errors';

export const IGNORED_TOOLS = 'X-Ignored-Tools';

const MOST_NAMED = 20;
const LONGEST_NAME = 64;

/** Describes the header in the OpenAPI document. */
export const IGNORED_TOOLS_HEADER = {
  [IGNORED_TOOLS]: {
    description: 'Tool types that were ignored because the service does not run them. Absent if there are none.',
    schema: { type: 'string', example: 'web_search' },
  },
} as const;

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

  /** Lists the types in a header, because a response that did not use a tool would be hard to explain. */
  setHeader(response: Response): void {
    if (this.types.size > 0) {
      const names = [...this.types].slice(0, MOST_NAMED);
      const text = names.map((type) => type.slice(0, LONGEST_NAME).replace(/[^\w.-]/g, '_')).join(', ');
      response.setHeader(IGNORED_TOOLS, text);
    }
  }
}
