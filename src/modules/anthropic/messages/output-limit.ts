import type { MessageBody } from './message-request';

/** The limit of the reply that a budget has allowed, if it is lower than the requested one. */
export const MAX_TOKENS = 'X-Max-Tokens';

/** A budget lowers the limit of a reply at most to this many tokens, and as many above those for thinking. */
const LEAST_OUTPUT = 4_096;
const LEAST_ABOVE_THINKING = 1_024;

/** The smallest limit to which a budget may lower that of a reply, in tokens. */
export function leastOutput({ thinking }: MessageBody): number {
  const { budget_tokens: tokens } = (thinking ?? {}) as { budget_tokens?: unknown };
  return Math.max(LEAST_OUTPUT, typeof tokens === 'number' ? tokens + LEAST_ABOVE_THINKING : 0);
}
