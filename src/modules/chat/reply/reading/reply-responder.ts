import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { In } from 'typeorm';
import { requestLanguage } from '../../../../common/i18n/negotiate-language';
import type { Principal } from '../../../../common/security/principal';
import { Database } from '../../../../database/database';
import { QuotaExceededError, type QuotaRemaining, UsageService } from '../../../usage/usage.api';
import { toMessageDtos } from '../../dto/chat.dto';
import { MessageEntity } from '../../entities/message.entity';
import type { LiveReply } from '../live-reply';
import { replyError } from '../reply-failure';
import type { StartedReply } from '../running-reply';
import { ReplyPings } from './reply-pings';
import { ReplyTiming } from './reply-pings';
import { ReplyPump } from './reply-pump';
import type { StreamFormat } from './reply-query.dto';
import { createReplyWriter } from './stream-format';

/** One request and the response to be written. */
export interface HttpExchange {
  request: Request;
  response: Response;
}

/** Headers of every stream: nothing between here and the reader may keep, compress or collect it. */
const STREAM_HEADERS = {
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};

/** What browsers are told of pages. A stream is none, and would hold them in memory for as long as the reply runs. */
const PAGE_HEADERS = [
  'Content-Security-Policy',
  'Cross-Origin-Opener-Policy',
  'Cross-Origin-Resource-Policy',
  'Origin-Agent-Cluster',
  'Referrer-Policy',
  'X-DNS-Prefetch-Control',
  'X-Download-Options',
  'X-Frame-Options',
  'X-Permitted-Cross-Domain-Policies',
  'X-XSS-Protection',
];

/**
 * Answers with a reply, streamed or whole. It writes to the response itself: a stream costs one write for each piece of
 * text then, and nothing of the request is held while a reply of minutes runs.
 */
@Injectable()
export class ReplyResponder {
  constructor(
    private readonly database: Database,
    private readonly usage: UsageService,
    private readonly pings: ReplyPings,
    private readonly timing: ReplyTiming,
  ) {}

  /**
   * Answers a message with its reply, and tells its sender what may still be sent today.
   *
   * @param format null for the whole reply as JSON
   * @throws what `sending` throws, and the error of a reply that failed before the head of its stream was due.
   */
  async answer(
    exchange: HttpExchange,
    format: StreamFormat | null,
    sender: Principal,
    sending: Promise<StartedReply>,
  ): Promise<void> {
    const { request, response } = exchange;
    const { reply, quota } = await this.telling(response, sender, sending);
    accompany(reply, response);
    nameMessages(reply, response);
    await (format === null ? reply.whenEnded() : this.whenDue(reply, request));
    // A reply that has ended is counted, or its message given back.
    tellQuota(response, reply.end === null && quota !== null ? quota : await this.remaining(sender));
    if (format !== null) {
      this.stream(exchange, format, reply, 0);
    } else {
      throwIfFailed(reply);
      response.json(toMessageDtos(await this.readMessages(reply), requestLanguage(request)));
    }
  }

  /**
   * Gives a reader the rest of a reply; to HEAD its headers, at once.
   *
   * @param offset how much of the text the reader has already, in UTF-16 units
   * @throws the error of a reply that failed before the head of its stream was due.
   */
  async join(exchange: HttpExchange, format: StreamFormat, reply: LiveReply, offset = 0): Promise<void> {
    nameMessages(reply, exchange.response);
    if (exchange.request.method !== 'HEAD') {
      accompany(reply, exchange.response);
      await this.whenDue(reply, exchange.request);
    }
    this.stream(exchange, format, reply, offset);
  }

  /**
   * Waits until the head of a stream is due: at the model's first sign of life, and for no longer than proxies and clients
   * are patient. What fails until then is an ordinary error.
   */
  private whenDue(reply: LiveReply, { startedAt = performance.now() }: Request): Promise<void> {
    return reply.startsWithin(Math.max(0, startedAt + this.timing.head - performance.now()));
  }

  /** Waits for a message to be taken; who is refused for a used-up quota is told what is left of both. */
  private async telling(response: Response, sender: Principal, sending: Promise<StartedReply>): Promise<StartedReply> {
    try {
      return await sending;
    } catch (error) {
      if (error instanceof QuotaExceededError) {
        tellQuota(response, await this.remaining(sender));
      }
      throw error;
    }
  }

  private remaining({ userId, tier }: Principal): Promise<QuotaRemaining> {
    return this.usage.remaining(userId, tier);
  }

  private stream({ request, response }: HttpExchange, format: StreamFormat, reply: LiveReply, offset: number): void {
    if (reply.text === '') {
      throwIfFailed(reply);
    }
    if (response.destroyed) {
      return;
    }
    PAGE_HEADERS.forEach((name) => response.removeHeader(name));
    const writer = createReplyWriter(format, requestLanguage(request));
    response.writeHead(200, { ...STREAM_HEADERS, ...writer.headers });
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    const pump = new ReplyPump(reply, writer, response, offset);
    pump.start();
    if (writer.ping !== '') {
      this.pings.add(pump, response);
    }
  }

  private readMessages(reply: LiveReply): Promise<MessageEntity[]> {
    return this.database.repository(MessageEntity).find({
      where: { id: In([reply.userMessageId, reply.messageId]) },
      order: { id: 'ASC' },
    });
  }
}

function nameMessages(reply: LiveReply, response: Response): void {
  response.setHeader('X-Chat-Id', reply.chatId);
  response.setHeader('X-User-Message-Id', reply.userMessageId);
  response.setHeader('X-Message-Id', reply.messageId);
}

/** Nothing is said of what has no limit. */
function tellQuota(response: Response, { messages, tokens }: QuotaRemaining): void {
  for (const [name, left] of Object.entries({ Messages: messages, Tokens: tokens })) {
    if (left !== null) {
      response.setHeader(`X-Quota-${name}-Remaining`, left);
    }
  }
}

/** Tells a reply how long its client is there. */
function accompany(reply: LiveReply, response: Response): void {
  reply.enter();
  if (response.destroyed) {
    reply.leave();
  } else {
    response.on('close', () => reply.leave());
  }
}

function throwIfFailed({ end, userMessageId, messageId }: LiveReply): void {
  if (end?.status === 'failed' && end.failure !== null) {
    throw replyError(end.failure, { user_message_id: userMessageId, message_id: messageId });
  }
}
