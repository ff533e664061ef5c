import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { In } from 'typeorm';
import { exposeHeaders } from '../../../../common/http/exposed-headers';
import { requestLanguage } from '../../../../common/i18n/negotiate-language';
import type { Principal } from '../../../../common/security/principal';
import { Database } from '../../../../database/database';
import { QuotaExceededError, type QuotaRemaining, UsageService } from '../../../usage/usage.api';
import { toMessageDtos } from '../../chats/chat.dto';
import { MessageEntity } from '../../conversations/message.entity';
import { replyError } from '../../messages/reply-failure';
import type { LiveReply } from '../live-reply';
import type { StartedReply } from '../running-reply';
import { ReplyPings } from './reply-pings';
import { ReplyTiming } from './reply-pings';
import { ReplyPump } from './reply-pump';
import type { StreamFormat } from './reply-query.dto';
import { createReplyWriter } from './stream-format';

/** One request and its response. */
export interface HttpExchange {
  request: Request;
  response: Response;
}

/** Headers of every stream: no proxy may cache, compress or buffer it. */
const STREAM_HEADERS = {
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};

/** Headers for pages. A stream does not need them, and would keep them in memory while the reply runs. */
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
 * Answers with a reply, streamed or whole. It writes to the response directly: a stream then costs one write for each piece
 * of text, and the request does not stay in memory while a long reply runs.
 *
 * This folder is about readers. Start here: `ReplyPump` writes a live reply to one response, in one of the `formats/`.
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
   * Answers a message with its reply. Headers tell the sender how much of today's quotas is left.
   *
   * @param format null for the whole reply as JSON
   * @throws the errors of `sending`, and the error of a reply that failed before its stream began
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
    // When the reply has ended, the quotas have changed: its tokens are counted, or its message does not count.
    tellQuota(response, reply.end === null && quota !== null ? quota : await this.remaining(sender));
    if (format !== null) {
      this.stream(exchange, format, reply, 0);
    } else {
      throwIfFailed(reply);
      response.json(toMessageDtos(await this.readMessages(reply), requestLanguage(request)));
    }
  }

  /**
   * Sends a reader the rest of a reply. HEAD gets only the headers, at once.
   *
   * @param offset how much of the text the reader has already, in UTF-16 units
   * @throws the error of a reply that failed before its stream began
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
   * Waits until the headers of a stream must be sent: when the model sends something, but before proxies and clients give
   * up. A reply that fails before that is answered with an ordinary error.
   */
  private whenDue(reply: LiveReply, { startedAt = performance.now() }: Request): Promise<void> {
    return reply.startsWithin(Math.max(0, startedAt + this.timing.head - performance.now()));
  }

  /** Waits until the message is stored. When a quota refuses it, the headers tell what is left of both quotas. */
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

exposeHeaders(['X-Chat-Id', 'X-User-Message-Id', 'X-Message-Id'], 50);
exposeHeaders(['X-Quota-Messages-Remaining', 'X-Quota-Tokens-Remaining'], 50);

function nameMessages(reply: LiveReply, response: Response): void {
  response.setHeader('X-Chat-Id', reply.chatId);
  response.setHeader('X-User-Message-Id', reply.userMessageId);
  response.setHeader('X-Message-Id', reply.messageId);
}

/** Writes the quota headers; a quota without a limit gets none. */
function tellQuota(response: Response, { messages, tokens }: QuotaRemaining): void {
  for (const [name, left] of Object.entries({ Messages: messages, Tokens: tokens })) {
    if (left !== null) {
      response.setHeader(`X-Quota-${name}-Remaining`, left);
    }
  }
}

/** Counts the client as a reader of the reply, until its connection closes. */
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
