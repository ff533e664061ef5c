import type { Agent } from '../../agent/agent.api';
import type { GenerationOptions } from '../reply/generation-task';
import type { RunningReply } from '../reply/running-reply';

const DEFAULT_MOST_ROUNDS = 16;

/** How often the model is called for one reply of the agent at most. */
export function mostRounds({ maxRounds }: Pick<Agent, 'maxRounds'>): number {
  return maxRounds ?? DEFAULT_MOST_ROUNDS;
}

/**
 * What the model is offered in the next round of a reply. A round after calls does not force another call, and the last one
 * offers only the functions of the caller: otherwise a model that keeps calling would never answer in words.
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
