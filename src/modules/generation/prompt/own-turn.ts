import { contentOf } from '../../../integrations/llm/port/message-parts';
import { partsOfReply } from '../reply/reply-steps';
import type { RunningReply } from '../reply/running-reply';
import type { Turn } from '../reply/turn';

/** What a reply that goes on has said, called and been told so far; null: nothing. What a crash cut of a round is left out. */
export function ownTurn({ run, steps, toolCalls }: RunningReply): Turn | null {
  if (run === null) {
    return null;
  }
  const told = (steps ?? []).filter(({ kind }, index) => index < run.told || kind === 'tool_result');
  const parts = partsOfReply(told, { toolCalls }) ?? [];
  return { role: 'assistant', content: contentOf(parts), parts };
}
