import { Injectable, OnApplicationShutdown } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { ApiError } from '../../../common/errors/api-error';
import { ServiceUnavailableError } from '../../../common/errors/common.errors';
import { SilenceTimer } from '../../../common/http/server/silence-timer';
import { writeHead } from '../../../common/http/server/stream-head';
import { StreamOutput } from '../../../common/http/server/stream-output';
import { formatAmount } from '../../../common/money/amount';
import type { Principal } from '../../../common/security/principal';
import type { Scope } from '../../../common/security/scopes';
import { PricingConfig } from '../../pricing/pricing.api';
import { QuotaExceededError, type QuotaRemaining, UsageService } from '../../usage/usage.api';
import { UserNotFoundError } from '../../user/user.api';
import type { LiveReply, ReplyListener } from '../reply/live-reply';
import type { ReplyEnd } from '../reply/reply-end';
import { replyError } from '../reply/reply-failure';
import { ReplySpans } from '../reply/reply-spans';
import type { StepWriter } from '../reply/reply-steps';
import { RunningReply, type StartedReply } from '../reply/running-reply';
import { CallerRights } from './caller-rights';

/** Timeouts of streams. Injected, so that tests can shorten them. */
@Injectable()
export class ReplyTiming {
  /** Milliseconds after the request until the headers of a stream are sent, even if the model is silent. */
  head = 2_000;
  /** The same while a provider refuses requests, because the next request or fallback model may still answer. */
  refused = 15_000;
  /** Milliseconds between two pings. */
  ping = 10_000;
  /** Milliseconds of silence before a ping, for formats that ping only then. */
  silence = 15_000;
}

/** The writer of one connection. */
interface Pinged {
  ping(): void;
}

/** Keeps quiet connections alive. One timer serves all connections. */
@Injectable()
export class ReplyPings implements OnApplicationShutdown {
  private readonly pumps = new Set<Pinged>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly timing: ReplyTiming) {}

  add(pump: Pinged, response: Response): void {
    this.pumps.add(pump);
    response.on('close', () => this.pumps.delete(pump));
    this.timer ??= setInterval(() => this.pingAll(), this.timing.ping).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private pingAll(): void {
    for (const pump of this.pumps) {
      pump.ping();
    }
    if (this.pumps.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
    }
  }
}

/** Writes the steps of a reply to one response. A slow reader receives them later, in the same order. */
class StepPump implements ReplyListener {
  private readonly output: StreamOutput;
  private next = 0;
  private silence: SilenceTimer | undefined;
  private isFinishing = false;

  constructor(
    private readonly reply: LiveReply,
    private readonly writer: StepWriter,
    private readonly response: Response,
  ) {
    this.output = new StreamOutput(
      response,
      () => this.catchUp(),
      () => reply.detach(this),
    );
  }

  start(): void {
    this.reply.attach(this);
    this.output.write(this.writer.begin(this.reply));
    this.catchUp();
    if (this.output.isEmpty) {
      this.response.flushHeaders();
    }
  }

  onText(): void {
    this.catchUp();
  }

  onReasoning(): void {
    this.catchUp();
  }

  onToolCall(): void {
    this.catchUp();
  }

  onCompaction(): void {
    this.catchUp();
  }

  onLife(): void {
    this.catchUp();
  }

  onEnd(): void {
    this.catchUp();
  }

  /** Ends the stream with an error of the reader, while the reply may continue. */
  fail({ code }: ApiError): void {
    const { output, reply, writer } = this;
    if (writer.beforeEnd !== undefined) {
      // These writers find out themselves why a reader may no longer read.
      this.finish({ status: 'stopped', finishReason: null, usage: null, failure: null, title: null });
    } else if (!output.isDone) {
      const failure = { code, retryable: false };
      output.end(writer.end(reply, { status: 'failed', finishReason: 'error', usage: null, failure, title: null }));
    }
  }

  /** Sends a ping whenever nothing was sent for this many milliseconds. */
  pingAfter(milliseconds: number): void {
    const silence = new SilenceTimer(milliseconds, () => this.ping());
    this.silence = silence;
    this.response.on('close', () => silence.stop());
  }

  /** Shows the reader and proxies that the connection is alive. */
  ping(): void {
    if (!this.output.isBlocked && !this.output.isDone && this.output.isEmpty) {
      this.output.write(this.writer.ping);
    }
  }

  private catchUp(): void {
    const { output, reply, writer } = this;
    const steps = reply.steps ?? [];
    for (let step = steps[this.next]; step !== undefined && !output.isBlocked && !output.isDone;) {
      output.write(writer.step(step));
      output.sendIfLong();
      step = steps[++this.next];
    }
    if (!output.isEmpty) {
      this.silence?.restart();
    }
    if (!output.isBlocked && !output.isDone && reply.end !== null) {
      if (reply.end.isElsewhere) {
        output.cut();
      } else {
        this.finish(reply.end);
      }
    }
  }

  private finish(end: ReplyEnd): void {
    const { output, reply, writer } = this;
    const prepared = this.isFinishing ? null : (writer.beforeEnd?.(reply, end) ?? null);
    if (prepared !== null) {
      this.isFinishing = true;
      void prepared.finally(() => output.isDone || output.end(writer.end(reply, end)));
    } else if (!this.isFinishing) {
      output.end(writer.end(reply, end));
    }
  }
}

export interface HttpExchange {
  request: Request;
  response: Response;
}

/** The remaining amount of the tightest budget, after the hold for the reply. Absent if no budget applies. */
const BUDGET_REMAINING = 'X-Budget-Remaining';

/** How long a client waits for the end of a reply while the database is unavailable. Together less than 15 seconds. */
const LONGEST_STORING_MILLISECONDS = 12_000;

/** Common parts of all responses with a reply: their start, their headers, and the count of readers. */
@Injectable()
export class ReplyStreams {
  constructor(
    private readonly usage: UsageService,
    private readonly pings: ReplyPings,
    private readonly timing: ReplyTiming,
    private readonly pricing: PricingConfig,
    private readonly rights: CallerRights,
    private readonly spans: ReplySpans,
  ) {}

  /**
   * Waits until the message is stored. Headers report the remaining quotas of the day, even if a quota refuses the
   * message.
   *
   * @param scope that an API key needs for a reply that ends when its caller loses the right to it. Null: it does not
   * @throws the errors of `sending`
   */
  async begin(
    response: Response,
    sender: Principal,
    sending: Promise<StartedReply>,
    scope: Scope | null = null,
  ): Promise<LiveReply> {
    try {
      const { reply, quota } = await sending;
      await this.spans.linkJoin(reply);
      if (scope !== null && reply instanceof RunningReply) {
        this.rights.watch({
          caller: sender,
          scope,
          isOver: () => reply.end !== null,
          onLost: () => reply.abort('stopped'),
        });
      }
      // The reply now counts towards the user's concurrent replies, so the memory reserved for the body is released.
      response.req.bodyUnderWay?.end();
      setRemaining(response, reply.end === null && quota !== null ? quota : await this.remaining(sender));
      if (reply instanceof RunningReply && reply.held !== null && this.pricing.COST_IN_RESPONSES) {
        response.setHeader(BUDGET_REMAINING, formatAmount(reply.held.hold.remaining));
      }
      return reply;
    } catch (error) {
      if (error instanceof QuotaExceededError) {
        await this.setQuotaHeaders(response, sender);
      }
      throw error;
    }
  }

  /**
   * Waits for the end of a reply as a reader.
   *
   * @throws ServiceUnavailableError when the end cannot be stored, or the error of a failed reply
   * @throws SessionRevokedError if the session of the reader ends before that
   */
  async wait({ request, response }: HttpExchange, reply: LiveReply): Promise<ReplyEnd> {
    accompany(reply, response);
    await this.rights.during(request, response, untilStored(reply));
    setCostHeader(response, reply);
    throwIfFailed(reply);
    return reply.end as ReplyEnd;
  }

  /**
   * Streams a reply from its first step.
   *
   * @throws the error of a reply that failed before its stream started
   */
  async stream(exchange: HttpExchange, reply: LiveReply, writer: StepWriter): Promise<void> {
    accompany(reply, exchange.response);
    await this.rights.during(exchange.request, exchange.response, this.whenDue(reply, exchange.request));
    if (reply.isEmpty && reply.thoughts.length === 0) {
      throwIfFailed(reply);
    }
    this.pump(exchange, reply, writer);
  }

  /**
   * Streams a reply to an additional reader. A failure is sent as an event, like any other end.
   *
   * @param scope that an API key needs for a stream that ends when its reader loses the right to it. Null: it does not
   */
  async join(exchange: HttpExchange, reply: LiveReply, writer: StepWriter, scope: Scope | null = null): Promise<void> {
    accompany(reply, exchange.response);
    await this.spans.linkJoin(reply);
    await this.rights.during(exchange.request, exchange.response, this.whenDue(reply, exchange.request));
    this.pump(exchange, reply, writer, scope);
  }

  /**
   * Waits until the headers of a stream must be sent: at the first output of the model, but before proxies and clients
   * time out. A provider that refuses a request gets more time, because each further request needs as long as the
   * first. A reply that fails earlier is answered with an ordinary error.
   */
  async whenDue(reply: LiveReply, { startedAt = performance.now() }: Request): Promise<void> {
    const { head, refused } = this.timing;
    const left = (until: number): number => Math.max(0, until - performance.now());
    await reply.startsWithin(left(startedAt + head));
    for (let wait = head; reply.isSilent && reply.isRefused && wait > 0;) {
      const due = reply.retriedAt === null ? Infinity : left(reply.retriedAt + head);
      wait = Math.min(due, head, left(startedAt + refused));
      await reply.startsWithin(wait);
    }
  }

  keepAlive(pump: Pinged, response: Response): void {
    this.pings.add(pump, response);
  }

  /** Sets headers with the remaining quotas of the day. */
  async setQuotaHeaders(response: Response, sender: Principal): Promise<void> {
    setRemaining(response, await this.remaining(sender));
  }

  /** No quotas if the account was closed while its reply was written. The reply is still returned. */
  private async remaining(sender: Principal): Promise<QuotaRemaining> {
    try {
      return await this.usage.remaining(sender);
    } catch (error) {
      if (error instanceof UserNotFoundError) {
        return { messages: null, tokens: null };
      }
      throw error;
    }
  }

  private pump(
    { request, response }: HttpExchange,
    reply: LiveReply,
    writer: StepWriter,
    scope: Scope | null = null,
  ): void {
    if (!response.destroyed) {
      writeHead(response, writer.headers);
      const pump = new StepPump(reply, writer, response);
      pump.start();
      this.rights.watchReader(request, response, (error) => pump.fail(error), scope);
      if (writer.pingsAfterSilence === true) {
        pump.pingAfter(this.timing.silence);
      } else {
        this.keepAlive(pump, response);
      }
    }
  }
}

/** Sets the quota headers. A quota without a limit has none. */
function setRemaining(response: Response, { messages, tokens }: QuotaRemaining): void {
  for (const [name, left] of Object.entries({ Messages: messages, Tokens: tokens })) {
    if (left !== null) {
      response.setHeader(`X-Quota-${name}-Remaining`, left);
    }
  }
}

/** Sets the cost header, if costs are shown and known. */
export function setCostHeader(response: Response, { end }: LiveReply): void {
  const cost = end?.usage?.cost;
  if (typeof cost === 'string' && !response.headersSent) {
    response.setHeader('X-Cost', cost);
  }
}

/**
 * Waits for the end of a reply. While the database is unavailable, the client must retry: the reply is stored later,
 * and a request with the same `Idempotency-Key` returns it.
 *
 * @throws ServiceUnavailableError
 */
export async function untilStored(reply: LiveReply): Promise<void> {
  if (!(await reply.isStoredWithin(LONGEST_STORING_MILLISECONDS))) {
    throw new ServiceUnavailableError(new Error('The end of a reply cannot be stored.'));
  }
}

/** Counts the client as a reader of the reply until its connection closes. */
export function accompany(reply: LiveReply, response: Response): void {
  reply.enter();
  if (response.destroyed) {
    reply.leave();
  } else {
    response.on('close', () => reply.leave());
  }
}

/** @throws ServiceUnavailableError for a reply that continues elsewhere, or the error of a failed reply */
export function throwIfFailed({ end, userMessageId, messageId }: LiveReply): void {
  if (end?.isElsewhere) {
    throw new ServiceUnavailableError();
  }
  if (end?.status === 'failed' && end.failure !== null) {
    throw replyError(end.failure, { user_message_id: userMessageId, message_id: messageId });
  }
}
