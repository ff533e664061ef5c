import type { Turn } from '../../../generation/generation.api';

/**
 * As many of the newest turns as an agent is told at most; instructions do not count. They begin with words of the user, so that
 * no result of a function loses its call: for this there may be more.
 *
 * @param most null: all of them
 */
export function newestTurns(turns: readonly Turn[], most: number | null): readonly Turn[] {
  const said = turns.filter(({ role }) => role !== 'system');
  if (most === null || said.length <= most) {
    return turns;
  }
  const first = said.findLastIndex((turn, index) => index <= said.length - most && isUsersOwn(turn));
  const kept = new Set(first === -1 ? said : said.slice(first));
  return turns.filter((turn) => turn.role === 'system' || kept.has(turn));
}

function isUsersOwn({ role, parts }: Turn): boolean {
  return role === 'user' && !parts?.some(({ type }) => type === 'tool_result');
}
