import { formatAmount, parseDecimal } from '../../../../common/money/amount';
import { toUnixSeconds } from '../../../../common/time';
import type { ReplyTokenUsage } from '../../../../common/token-usage';
import type { ReplyEnd } from '../../../generation/generation.api';
import { costMember } from '../../cost-member';
import type { ToolListing } from './listed-tools';
import type { OutputItem } from './response-item';
import type { ResponsePart } from './response-part';
import type { ResponseResource, ResponseStatus, ResponseUsage } from './response-schema';
import type { ResponseSettings } from './response-settings';
import type { ToolLabels } from './tool-labels';
import { conversationId, responseId } from './wire-ids';

export type { ResponseResource };

/** The members of a response that are known at its start. */
export interface ResponseHead {
  messageId: number;
  chatId: number;
  createdAt: Date;
  settings: ResponseSettings;
  /** The tools of the agent that the model gets; null: none. */
  labels: ToolLabels | null;
  /** The tools that the response lists; null: none. */
  listed: readonly ToolListing[] | null;
  /** The part of the reply that the response is. */
  part: ResponsePart;
  /** Whether searches of documents show what they found; absent: no. */
  hasResults?: boolean;
}

/** The state of a response. */
export interface ResponseState {
  status: ResponseStatus;
  incompleteReason: string | null;
  error: ResponseResource['error'];
  completedAt: Date | null;
  usage: ResponseUsage | null;
}

export const RUNNING: ResponseState = {
  status: 'in_progress',
  incompleteReason: null,
  error: null,
  completedAt: null,
  usage: null,
};

export function toResponseResource(head: ResponseHead, state: ResponseState, output: OutputItem[]): ResponseResource {
  const { messageId, chatId, createdAt, settings, part } = head;
  return {
    id: responseId(messageId, part.number),
    object: 'response',
    created_at: toUnixSeconds(createdAt),
    completed_at: state.completedAt && toUnixSeconds(state.completedAt),
    status: state.status,
    incomplete_details: state.incompleteReason === null ? null : { reason: state.incompleteReason },
    error: state.error,
    output,
    usage: state.usage,
    ...settings,
    truncation: settings.truncation ?? 'auto',
    top_logprobs: 0,
    service_tier: 'default',
    conversation: settings.store ? { id: conversationId(chatId) } : null,
  };
}

/**
 * @param explain returns the error of a failed or interrupted reply
 * @param before the usage of the reply before this part; null: none
 */
export function stateOfEnd(
  end: ReplyEnd,
  explain: (end: ReplyEnd) => { code: string; message: string },
  before: ReplyEnd['usage'] = null,
): ResponseState {
  const state = { ...RUNNING, usage: toResponseUsage({ usage: usageSince(end.usage, before) }) };
  switch (end.status) {
    case 'stopped':
      return { ...state, status: 'cancelled', incompleteReason: 'cancelled' };
    case 'failed':
    case 'interrupted':
      return { ...state, status: 'failed', error: explain(end) };
    case 'requires_action':
    case 'completed':
      break;
  }
  const incompleteReason = INCOMPLETE.get(end.finishReason) ?? null;
  return incompleteReason === null
    ? { ...state, status: 'completed', completedAt: end.at ?? new Date() }
    : { ...state, status: 'incomplete', incompleteReason };
}

const INCOMPLETE = new Map<ReplyEnd['finishReason'], string>([
  ['length', 'max_output_tokens'],
  ['content_filter', 'content_filter'],
]);

export function toResponseUsage({ usage }: Pick<ReplyEnd, 'usage'>): ResponseUsage | null {
  return (
    usage && {
      input_tokens: usage.prompt,
      input_tokens_details: { cached_tokens: usage.cached, cache_write_tokens: usage.cacheWrite ?? 0 },
      output_tokens: usage.completion,
      output_tokens_details: { reasoning_tokens: usage.reasoning },
      total_tokens: usage.total,
      ...costMember(usage),
    }
  );
}

/** The usage between two points of a reply; null: unknown. */
function usageSince(usage: ReplyTokenUsage | null, before: ReplyTokenUsage | null): ReplyTokenUsage | null {
  if (usage === null || before === null) {
    return usage;
  }
  const { prompt, completion, total, cached, cacheWrite = 0, reasoning } = usage;
  return {
    ...usage,
    prompt: prompt - before.prompt,
    completion: completion - before.completion,
    total: total - before.total,
    cached: cached - before.cached,
    // An earlier version did not sum it over the parts of a reply.
    cacheWrite: Math.max(0, cacheWrite - (before.cacheWrite ?? 0)),
    reasoning: reasoning - before.reasoning,
    ...(usage.cost !== undefined && { cost: costSince(usage.cost, before.cost) }),
  };
}

function costSince(cost: string | null, before: string | null | undefined): string | null {
  const [all, earlier] = [cost, before ?? null].map((text) => (text === null ? null : parseDecimal(text)));
  return all === null || all === undefined || earlier === null || earlier === undefined
    ? null
    : formatAmount(all - earlier);
}
