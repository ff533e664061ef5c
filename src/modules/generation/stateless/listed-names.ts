import type { Response } from 'express';

/** The header with the types of tools that the service does not run. */
export const IGNORED_TOOLS = 'X-Ignored-Tools';

/** The header with the agent's own tools that a request is not offered. */
export const WITHHELD_TOOLS = 'X-Withheld-Tools';

/** Describes the header in the OpenAPI document. */
export const IGNORED_TOOLS_HEADER = {
  [IGNORED_TOOLS]: {
    description: 'Tool types that were ignored because the service does not run them. Absent if there are none.',
    schema: { type: 'string', example: 'web_search' },
  },
} as const;

/** Describes the header in the OpenAPI document. */
export const WITHHELD_TOOLS_HEADER = {
  [WITHHELD_TOOLS]: {
    description:
      'Tools of the agent that were withheld because no user can approve their calls. Absent if there are none.',
    schema: { type: 'string', example: 'cancel_order' },
  },
} as const;

const MOST_NAMED = 20;
const LONGEST_NAME = 64;

/** Lists names in a header of the response, because a reply without them would be hard to explain. None: no header. */
export function listNames(response: Response, header: string, names: readonly string[]): void {
  if (names.length > 0) {
    const listed = names.slice(0, MOST_NAMED).map((name) => name.slice(0, LONGEST_NAME).replace(/[^\w.-]/g, '_'));
    response.setHeader(header, listed.join(', '));
  }
}
