import { estimateParts } from '../../../integrations/llm/counting/prompt-estimate';
import type { MessageEntity } from '../conversations/message.entity';
import { MESSAGE_OVERHEAD_TOKENS } from './history-statements';

/** How much of a conversation is told. */
export interface HistoryLimits {
  messages: number;
  tokens: number;
}

/** A message as it is told, with the tokens of all of it. */
export interface ToldMessage extends Pick<MessageEntity, 'role' | 'content' | 'parts'> {
  tokens: number;
}

/** The newest messages within the limits, and the last summary that stands before them. */
export function newest(told: ToldMessage[], limits: HistoryLimits): ToldMessage[] {
  const within = newestWithin(told, limits);
  const summary = within.length === told.length || within.some(hasSummary) ? undefined : told.findLast(hasSummary);
  return summary === undefined ? within : [...summaryOf(summary), ...within];
}

export function hasSummary({ parts }: Pick<ToldMessage, 'parts'>): boolean {
  return parts?.some(({ type }) => type === 'compaction') ?? false;
}

/** A message that is nothing but the summary in it. */
export function summaryOf({ parts }: Pick<ToldMessage, 'parts'>): ToldMessage[] {
  const [part] = (parts ?? []).filter((one) => one.type === 'compaction').slice(-1);
  return part ? [{ role: 'user', content: '', parts: [part], tokens: estimateParts([part]) }] : [];
}

function newestWithin(told: ToldMessage[], { messages, tokens }: HistoryLimits): ToldMessage[] {
  let first = told.length;
  for (let left = tokens; first > 0 && told.length - first < messages; first--) {
    left -= (told[first - 1] as ToldMessage).tokens + MESSAGE_OVERHEAD_TOKENS;
    if (left < 0) {
      break;
    }
  }
  return told.slice(first);
}
