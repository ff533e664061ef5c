import type { Turn } from '../../../generation/generation.api';

/**
 * The newest turns within the agent's limit, which does not count instructions. They start with a user message, so that
 * no function result loses its call. The result may therefore have more turns.
 *
 * @param most null: all turns
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
