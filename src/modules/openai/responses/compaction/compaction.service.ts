import { Injectable } from '@nestjs/common';
import * as v from 'valibot';
import { sendJson } from '../../../../common/http/send-json';
import type { RequestContext } from '../../../../common/security/request-context';
import { toUnixSeconds } from '../../../../common/time';
import { estimateTokens } from '../../../../integrations/llm/counting/token-estimate';
import { type HttpExchange, ReplyStreams, type Turn } from '../../../generation/generation.api';
import { failureOf } from '../../completions/failure-of';
import { OPENAI_PREFIX } from '../../openai-prefix';
import type { InputItem } from '../request/input-item-schema';
import { responseRequest } from '../request/response-request-schema';
import { ResponseCreation } from '../response-creation';
import { OutputItems } from '../wire/output-items';
import type { CompactionItem, InputContent, MessageItem } from '../wire/response-item';
import { toResponseUsage } from '../wire/response-resource';
import type { ResponseUsage } from '../wire/response-schema';
import { itemId, responseId } from '../wire/wire-ids';
import type { CompactedResponse, CompactionRequest } from './compaction-schema';

const TRIGGER: InputItem = { type: 'compaction_trigger' };

const DEFAULTS = v.parse(responseRequest, {});

/** Compacts conversations that are stored or that clients send whole. It stores only the usage. */
@Injectable()
export class CompactionService {
  constructor(
    private readonly creation: ResponseCreation,
    private readonly streams: ReplyStreams,
  ) {}

  /** Sends the compacted conversation. The compaction stops when the client disconnects. */
  async answer(
    context: RequestContext,
    body: CompactionRequest,
    key: string | null,
    exchange: HttpExchange,
  ): Promise<void> {
    const request = { ...DEFAULTS, ...body, input: [...itemsOf(body), TRIGGER], store: false };
    const route = `POST /${OPENAI_PREFIX}/responses/compact`;
    const { reply, head, turns } = await this.creation.start({ context, request, key, route }, exchange);
    const end = await this.streams.wait(exchange, reply);
    const failure = failureOf(end);
    if (failure !== null) {
      throw failure;
    }
    const items = OutputItems.of(head.messageId, reply.steps ?? []).items as CompactionItem[];
    const compacted: CompactedResponse = {
      id: responseId(head.messageId),
      object: 'response.compaction',
      created_at: toUnixSeconds(head.createdAt),
      output: [...retainedItems(head.messageId, turns), ...items],
      usage: toResponseUsage(end) as ResponseUsage,
    };
    sendJson(exchange.response, compacted);
  }
}

function itemsOf({ input }: CompactionRequest): InputItem[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : (input ?? []);
}

/** The maximum tokens of user messages that remain unchanged. */
const ROOM = 20_000;

/**
 * The messages that remain next to the summary: instructions, and the newest user messages that fit. Files are dropped;
 * the summary has what the model saw in them.
 */
function retainedItems(messageId: number, turns: readonly Turn[]): MessageItem[] {
  let left = ROOM;
  const kept = turns.toReversed().filter((turn) => {
    if (turn.content === '' || turn.role === 'assistant' || turn.parts?.some(({ type }) => type === 'tool_result')) {
      return false;
    }
    left -= turn.role === 'system' || left < 0 ? 0 : estimateTokens(turn.content);
    return turn.role === 'system' || left >= 0;
  });
  return kept.reverse().map(({ role, content }, index) => {
    const said: InputContent[] = [{ type: 'input_text', text: content }];
    return { type: 'message', id: itemId.message(messageId, index), status: 'completed', role, content: said };
  });
}
