import type { Response } from 'express';
import { UnsupportedParameterError } from '../openai.errors';

export const IGNORED_TOOLS = 'X-Ignored-Tools';

const MOST_NAMED = 20;
const LONGEST_NAME = 64;

/** For Swagger. */
export const IGNORED_TOOLS_HEADER = {
  [IGNORED_TOOLS]: {
    description: 'Tool types that were ignored because the service does not run them. Absent if there are none.',
    schema: { type: 'string', example: 'web_search' },
  },
} as const;

/** What becomes of tools and items that this service does not know. */
export type UnknownPolicy = 'ignore' | 'refuse';

/** The types of tools that are left out of a request, because nothing here executes them. */
export class IgnoredTools {
  private readonly types = new Set<string>();

  constructor(private readonly policy: UnknownPolicy) {}

  /** @param field where it stands, as `tools[0]` @throws UnsupportedParameterError where such tools are refused */
  add({ type }: { type: string }, field: string): void {
    if (this.policy === 'refuse') {
      throw new UnsupportedParameterError(`${field}.type`);
    }
    this.types.add(type);
  }

  /** Names them in a header: an answer that seems to have done without them would be hard to explain. */
  tell(response: Response): void {
    if (this.types.size > 0) {
      const names = [...this.types].slice(0, MOST_NAMED);
      const text = names.map((type) => type.slice(0, LONGEST_NAME).replace(/[^\w.-]/g, '_')).join(', ');
      response.setHeader(IGNORED_TOOLS, text);
    }
  }
}
