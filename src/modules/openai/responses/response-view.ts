import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { ApiError } from '../../../common/errors/api-error';
import { errorMessage } from '../../../common/errors/error-body';
import type { Language } from '../../../common/i18n/language';
import { translate } from '../../../common/i18n/translator';
import { type LiveReply, type ReplyEnd, replyError } from '../../generation/generation.api';
import { OPENAI_ERRORS } from '../errors/openai-error-dialect';
import { OutputItems } from './wire/output-items';
import type { EventNames } from './wire/response-events';
import { ResponseEventsWriter } from './wire/response-events-writer';
import {
  type ResponseHead,
  type ResponseResource,
  type ResponseState,
  RUNNING,
  stateOfEnd,
  toResponseResource,
} from './wire/response-resource';
import { viewOf } from './wire/response-view-of';

/** Converts a reply to a response object in its current state, or to events. */
@Injectable()
export class ResponseView {
  /** @param reply see `endedPart`: later responses may have continued the reply */
  resource(head: ResponseHead, reply: LiveReply, language: Language): ResponseResource {
    const output = OutputItems.of(head.messageId, reply.steps ?? [], viewOf(head));
    const state = reply.end === null ? running(head, reply) : stateOf(head, reply.end, language);
    if (reply.end !== null) {
      output.close(state.status === 'completed' ? 'completed' : 'incomplete');
    }
    return toResponseResource(head, state, output.shown);
  }

  /**
   * @param startingAfter number of the last event that the reader has; absent: none
   * @param refusal why the reader may no longer read a response that was stopped. Null: the reader may
   */
  events(
    head: ResponseHead,
    language: Language,
    reader: Request,
    { startingAfter = -1, refusal }: { startingAfter?: number; refusal: () => Promise<ApiError | null> },
  ): ResponseEventsWriter {
    const ofEnd = (end: ReplyEnd): ResponseState => stateOf(head, end, language);
    const ofRefusal = async (): Promise<ResponseState | null> => refusedState(await refusal(), language);
    return new ResponseEventsWriter(head, ofEnd, startingAfter, eventNamesFor(reader), ofRefusal);
  }
}

function running({ settings }: ResponseHead, { isAlive }: LiveReply): ResponseState {
  return settings.background && !isAlive ? { ...RUNNING, status: 'queued' } : RUNNING;
}

function stateOf({ part }: ResponseHead, end: ReplyEnd, language: Language): ResponseState {
  return stateOfEnd(end, (failed) => explain(failed, language), part.usage);
}

/** The state that a reader sees who has lost the right to read the response. Null: the reader has not. */
function refusedState(error: ApiError | null, language: Language): ResponseState | null {
  return error && { ...RUNNING, status: 'failed', error: errorOf(error, language) };
}

function errorOf(error: ApiError, language: Language): { code: string; message: string } {
  return { code: OPENAI_ERRORS.code(error), message: errorMessage(error, language) };
}

/** The code and message of the error response that the request would have got without a stream. */
function explain({ failure }: ReplyEnd, language: Language): { code: string; message: string } {
  if (failure === null) {
    return { code: 'server_error', message: translate(language, 'messages.response_interrupted') };
  }
  return errorOf(replyError(failure), language);
}

const NAMES_OF_OPENAI: EventNames = {
  'response.reasoning.delta': 'response.reasoning_text.delta',
  'response.reasoning.done': 'response.reasoning_text.done',
};

/**
 * OpenAI's own packages send their language in a header. Their `responses.stream()` throws on events unknown to OpenAI,
 * so they get reasoning events under OpenAI's names. All other clients get the names of the specification.
 */
function eventNamesFor({ headers }: Pick<Request, 'headers'>): EventNames {
  return headers['x-stainless-lang'] === undefined ? {} : NAMES_OF_OPENAI;
}
