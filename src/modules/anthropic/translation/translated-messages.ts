import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../../common/security/request-context';
import type { Agent } from '../../agent/agent.api';
import type { HttpExchange } from '../../generation/generation.api';
import { UnknownModelError } from '../anthropic.errors';
import type { MessageBody } from '../messages/message-request';

/** A request to an agent, or to a model of a provider with another API. */
export interface MessageOrder {
  context: RequestContext;
  body: MessageBody;
  /** The agent. For a model: an agent without a prompt and settings of its own. */
  agent: Agent;
  /** The header `anthropic-version`. */
  version: string;
}

/** Answers requests to agents, and to models of providers with another API. */
@Injectable()
export class TranslatedMessages {
  /** Sends the response, as one body or as a stream. */
  answer({ body }: MessageOrder, _exchange: HttpExchange): Promise<void> {
    return Promise.reject(new UnknownModelError(body.model));
  }

  /** The input tokens of a request, as admission counts them. */
  count({ body }: MessageOrder, _signal: AbortSignal): Promise<number> {
    return Promise.reject(new UnknownModelError(body.model));
  }
}
