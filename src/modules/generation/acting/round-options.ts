import type { Agent } from '../../agent/agent.api';
import type { GenerationOptions } from '../reply/generation-task';
import type { RunningReply } from '../reply/running-reply';

const DEFAULT_MOST_ROUNDS = 16;

/** The maximum number of rounds of one reply of the agent. */
export function mostRounds({ maxRounds }: Pick<Agent, 'maxRounds'>): number {
  return maxRounds ?? DEFAULT_MOST_ROUNDS;
}

/**
 * The options of the next round of a reply. After tool calls the model is no longer forced to call one. The last round
 * offers only the client's functions, because a model that keeps calling tools would never write an answer.
 */
export function roundOptions({ task, run }: Pick<RunningReply, 'task' | 'run'>): GenerationOptions | null {
  const { agent, acting, options } = task;
  if (options === null || run === null) {
    return options;
  }
  const later = unforced(options);
  return acting === undefined || run.round + 1 < mostRounds(agent)
    ? later
    : { ...later, tools: later.tools.filter(({ name }) => acting.callers.includes(name)) };
}

function unforced(options: GenerationOptions): GenerationOptions {
  const { toolChoice: choice, ...others } = options;
  if (choice === undefined || choice === 'auto' || choice === 'none') {
    return options;
  }
  return typeof choice === 'object' && 'allowed' in choice
    ? { ...others, toolChoice: { ...choice, mode: 'auto' } }
    : others;
}
