import { Injectable } from '@nestjs/common';
import * as v from 'valibot';
import { sendJson } from '../../../../common/http/send-json';
import type { RequestContext } from '../../../../common/security/request-context';
import { type HttpExchange, ReplyStreams } from '../../../generation/generation.api';
import { failureOf } from '../../completions/failure-of';
import { OPENAI_PREFIX } from '../../openai-prefix';
import type { InputItem } from '../request/input-item-schema';
import { responseRequest } from '../request/response-request-schema';
import { ResponseCreation } from '../response-creation';
import { OutputItems } from '../wire/output-items';
import type { CompactionItem } from '../wire/response-item';
import { toResponseUsage, toUnixSeconds } from '../wire/response-resource';
import type { ResponseUsage } from '../wire/response-schema';
import { responseId } from '../wire/wire-ids';
import type { CompactedResponse, CompactionRequest } from './compaction-schema';
import { retainedItems } from './retained-items';

const TRIGGER: InputItem = { type: 'compaction_trigger' };

const DEFAULTS = v.parse(responseRequest, {});

/** Makes conversations shorter that clients send whole, or that are stored. Nothing of it is kept but what it cost. */
@Injectable()
export class CompactionService {
  constructor(
    private readonly creation: ResponseCreation,
    private readonly streams: ReplyStreams,
  ) {}

  /** It ends when the client leaves. */
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
