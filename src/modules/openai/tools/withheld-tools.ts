import type { Response } from 'express';

export const WITHHELD_TOOLS = 'X-Withheld-Tools';

const MOST_NAMED = 20;

/** For Swagger. */
export const WITHHELD_TOOLS_HEADER = {
  [WITHHELD_TOOLS]: {
    description:
      'Tools of the agent that were withheld because no user can approve their calls. Absent if there are ' + 'none.',
    schema: { type: 'string', example: 'cancel_order' },
  },
} as const;

/** Names the tools of the agent that its model was not offered. */
export function tellWithheld(response: Response, names: readonly string[]): void {
  if (names.length > 0) {
    response.setHeader(WITHHELD_TOOLS, names.slice(0, MOST_NAMED).join(', '));
  }
}
