import type { Response } from 'express';

export const WITHHELD_TOOLS = 'X-Withheld-Tools';

const MOST_NAMED = 20;

/** Describes the header in the OpenAPI document. */
export const WITHHELD_TOOLS_HEADER = {
  [WITHHELD_TOOLS]: {
    description:
      'Tools of the agent that were withheld because no user can approve their calls. Absent if there are ' + 'none.',
    schema: { type: 'string', example: 'cancel_order' },
  },
} as const;

/** Lists the withheld tools of the agent in a header. */
export function setWithheldHeader(response: Response, names: readonly string[]): void {
  if (names.length > 0) {
    response.setHeader(WITHHELD_TOOLS, names.slice(0, MOST_NAMED).join(', '));
  }
}
