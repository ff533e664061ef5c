import { Injectable } from '@nestjs/common';
import { sendJson } from '../../../common/http/send-json';
import { whenGone } from '../../../common/http/when-gone';
import { MessageTargets } from '../models/message-targets';
import { PassThroughMessages } from '../pass-through/pass-through-messages';
import { TranslatedMessages } from '../translation/translated-messages';
import type { MessageRequest } from './message-request';

/** Says whether the provider counted the tokens (`exact`) or the service did (`estimated`). */
export const TOKEN_COUNT = 'X-Token-Count';

/** Answers requests by what their `model` names. */
@Injectable()
export class MessageService {
  constructor(
    private readonly targets: MessageTargets,
    private readonly passThrough: PassThroughMessages,
    private readonly translated: TranslatedMessages,
  ) {}

  /** Sends a message, streamed or whole. */
  async answer(request: MessageRequest): Promise<void> {
    const target = await this.targets.resolve(request.body.model, request.context.principal);
    return target.kind === 'pass-through'
      ? this.passThrough.answer(request, target)
      : this.translated.answer({ ...request, agent: target.agent }, request.exchange);
  }

  /** Sends the number of input tokens. */
  async count(request: MessageRequest): Promise<void> {
    const { exchange } = request;
    const { response } = exchange;
    const target = await this.targets.resolve(request.body.model, request.context.principal);
    if (target.kind === 'pass-through') {
      response.setHeader(TOKEN_COUNT, 'exact');
      await this.passThrough.count(request, target);
      return;
    }
    const tokens = await this.translated.count({ ...request, agent: target.agent }, whenGone(exchange.request));
    response.setHeader(TOKEN_COUNT, 'estimated');
    sendJson(response, { input_tokens: tokens });
  }
}
