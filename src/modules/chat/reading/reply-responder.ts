import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { In } from 'typeorm';
import { writeHead } from '../../../common/http/server/stream-head';
import { requestLanguage } from '../../../common/i18n/negotiate-language';
import type { Principal } from '../../../common/security/principal';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import {
  accompany,
  ActionLists,
  type HttpExchange,
  isRefusal,
  type LiveReply,
  type ReadFrom,
  ReplyKnowledge,
  ReplySpans,
  ReplyStreams,
  setCostHeader,
  type StartedReply,
  throwIfFailed,
  untilStored,
} from '../../generation/generation.api';
import { MessageEntity } from '../conversations/message.entity';
import { repliesThatWait, toMessageDtos } from '../messages/message.dto';
import { ReplyPump } from './reply-pump';
import type { StreamFormat } from './reply-query.dto';
import { createReplyWriter } from './stream-format';
import { uiVersionOf } from './ui-version';

/**
 * Sends a reply, streamed or whole. It writes to the response directly: a stream then costs one write per piece of
 * text, and the request does not stay in memory while a long reply runs.
 *
 * This folder sends replies to readers. `ReplyPump` writes a live reply to one response, in one of the `formats/`.
 * Other modules add their own formats through `ReplyStreams`.
 */
@Injectable()
export class ReplyResponder {
  constructor(
    private readonly database: Database,
    private readonly streams: ReplyStreams,
    private readonly actions: ActionLists,
    private readonly knowledge: ReplyKnowledge,
    private readonly spans: ReplySpans,
  ) {}

  /**
   * Sends the reply to a message. Headers report the sender's remaining quota for today.
   *
   * @param format null for the whole reply as JSON
   * @param from the part that the reader already has; absent: nothing
   * @throws the errors of `sending`, and the error of a reply that failed before its stream started
   */
  async answer(
    exchange: HttpExchange,
    format: StreamFormat | null,
    sender: Principal,
    sending: Promise<StartedReply>,
    from?: ReadFrom,
  ): Promise<void> {
    const { request, response } = exchange;
    const reply = await this.streams.begin(response, sender, sending);
    const wasEnded = reply.end !== null;
    accompany(reply, response);
    nameMessages(reply, response);
    await (format === null ? untilStored(reply) : this.streams.whenDue(reply, request));
    if (!wasEnded && reply.end !== null) {
      // The quota has changed, because the tokens were counted or the message was not.
      await this.streams.setQuotaHeaders(response, sender);
    }
    if (format !== null) {
      this.stream(exchange, format, reply, from);
    } else {
      setCostHeader(response, reply);
      // The decision is stored, even if the model may not be called again.
      if (from === undefined || !isRefused(reply)) {
        throwIfFailed(reply);
      }
      const messages = await this.readMessages(reply);
      await this.knowledge.fillRows(sender.userId, messages);
      const actions = await this.actions.ofMessages(repliesThatWait(messages));
      response.json(toMessageDtos(messages, requestLanguage(request), actions));
    }
  }

  /**
   * Sends the rest of a reply. HEAD gets only the headers, immediately.
   *
   * @param from the part that the reader already has
   * @throws the error of a reply that failed before its stream started
   */
  async join(exchange: HttpExchange, format: StreamFormat, reply: LiveReply, from: ReadFrom): Promise<void> {
    nameMessages(reply, exchange.response);
    if (exchange.request.method !== 'HEAD') {
      accompany(reply, exchange.response);
      await this.spans.linkJoin(reply);
      await this.streams.whenDue(reply, exchange.request);
    }
    this.stream(exchange, format, reply, from);
  }

  private stream({ request, response }: HttpExchange, format: StreamFormat, reply: LiveReply, from?: ReadFrom): void {
    if (reply.words.length === 0) {
      throwIfFailed(reply);
    }
    if (response.destroyed) {
      return;
    }
    const writer = createReplyWriter(format, requestLanguage(request), {
      uiVersion: uiVersionOf(request),
      isContinued: typeof from?.news === 'number',
    });
    writeHead(response, writer.headers);
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    const pump = new ReplyPump(reply, writer, response, from?.offset ?? 0, from?.news, from?.thought);
    pump.start();
    if (writer.ping !== '') {
      this.streams.keepAlive(pump, response);
    }
  }

  private readMessages(reply: LiveReply): Promise<MessageEntity[]> {
    return findRows(
      this.database.manager,
      MessageEntity,
      { id: In([reply.userMessageId, reply.messageId]) },
      { order: { id: 'ASC' } },
    );
  }
}

function isRefused({ end }: LiveReply): boolean {
  const failure = end?.failure ?? null;
  return failure !== null && isRefusal(failure);
}

function nameMessages(reply: LiveReply, response: Response): void {
  response.setHeader('X-Chat-Id', reply.chatId);
  response.setHeader('X-User-Message-Id', reply.userMessageId);
  response.setHeader('X-Message-Id', reply.messageId);
}
