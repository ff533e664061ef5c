import { Injectable, OnModuleInit } from '@nestjs/common';
import type { Subscription } from '../../../common/redis/redis-channels';
import { RedisConnection } from '../../../common/redis/redis-connection';
import type { ReplyAside, ReplyListener } from '../reply/live-reply';
import { ReplyRegistry } from '../reply/reply-registry';
import type { ReplyStep } from '../reply/reply-steps';
import type { RunningReply } from '../reply/running-reply';

/** New text and reasoning of a running reply with their offsets, and the state of the reply. */
export interface ReplyNews {
  offset: number;
  text: string;
  /** Absent, like the reasoning, in news from an instance of an earlier release. */
  reasoningOffset?: number;
  reasoning?: string;
  /** New steps of a reply with steps, and the index of the first. Text and reasoning are then empty. */
  step?: number;
  steps?: ReplyStep[];
  /** The progress of a call. */
  progress?: Extract<ReplyAside, { kind: 'progress' }>;
  /** Whether the open questions of running calls have changed. The database has them. */
  asksAnew?: boolean;
  /** Whether the model has responded. */
  isAlive?: boolean;
  /** Whether a request failed, so that the reply may fail before its first output. */
  isRefused?: boolean;
  /** Whether the request after the failed one has started. */
  isAskedAgain?: boolean;
  hasEnded: boolean;
}

/**
 * Messages between instances about running replies, over Redis. Without Redis, messages only reach this process, and
 * instances poll the database, with a short delay.
 *
 * This folder coordinates instances: `ReplyLocator` finds a reply wherever it is, `ReplyFollower` follows a reply of
 * another instance, `ReplyRelay` sends it to followers, `ReplyStopper` stops a reply anywhere, `RequestedStops` carries
 * the stop out, and `InstanceHeartbeat` and `CrashRecovery` end the replies of dead instances.
 */
@Injectable()
export class InstanceChannels {
  constructor(private readonly redis: RedisConnection) {}

  /**
   * Requests news of the reply from the instance that writes it, from these positions in text, reasoning and steps on.
   */
  requestNews(messageId: number, offset: number, reasoningOffset: number, step: number): void {
    this.redis.publish('replies.watch', JSON.stringify([messageId, offset, reasoningOffset, step]));
  }

  onNewsRequest(handler: (messageId: number, offset: number, reasoningOffset?: number, step?: number) => void): void {
    this.redis.subscribe('replies.watch', (message) =>
      handler(...(JSON.parse(message) as [number, number, number?, number?])),
    );
  }

  requestStop(messageId: number): void {
    this.redis.publish('replies.stop', String(messageId));
  }

  onStopRequest(handler: (messageId: number) => void): void {
    this.redis.subscribe('replies.stop', (message) => handler(Number(message)));
  }

  sendNews(messageId: number, news: ReplyNews): void {
    this.redis.publish(textChannel(messageId), JSON.stringify(news));
  }

  listen(messageId: number, handler: (news: ReplyNews) => void): Subscription {
    return this.redis.subscribe(textChannel(messageId), (message) => handler(JSON.parse(message) as ReplyNews));
  }
}

function textChannel(messageId: number): string {
  return `replies.text.${messageId}`;
}

/** Serves other instances: sends them the text of replies that are written here, on request, and stops such replies. */
@Injectable()
export class ReplyRelay implements OnModuleInit {
  constructor(
    private readonly channels: InstanceChannels,
    private readonly registry: ReplyRegistry,
  ) {}

  onModuleInit(): void {
    this.channels.onStopRequest((messageId) => this.registry.get(messageId)?.abort('stopped'));
    this.channels.onNewsRequest((messageId, offset, reasoningOffset = 0, step = 0) => {
      const reply = this.registry.get(messageId);
      if (reply?.steps) {
        this.sendSteps(reply, step);
        this.relay(reply);
        if (reply.openQuestions.length > 0) {
          this.send(reply, '', '', { asksAnew: true });
        }
      } else if (reply) {
        this.send(reply, reply.words.slice(offset), reply.thoughts.slice(reasoningOffset));
        this.relay(reply);
      }
    });
  }

  private relay(reply: RunningReply): void {
    if (!reply.isRelayed) {
      reply.isRelayed = true;
      reply.attach(reply.steps === null ? this.words(reply) : this.steps(reply));
    }
  }

  private words(reply: RunningReply): ReplyListener {
    return {
      onText: (text) => this.send(reply, text, ''),
      onReasoning: (reasoning) => this.send(reply, '', reasoning),
      onLife: () => this.send(reply, '', ''),
      onRefusal: () => this.send(reply, '', ''),
      onEnd: () => this.send(reply, '', '', { hasEnded: true }),
    };
  }

  private steps(reply: RunningReply): ReplyListener {
    const sendLast = (): void => this.sendSteps(reply, (reply.steps?.length ?? 0) - 1);
    return {
      onText: sendLast,
      onReasoning: sendLast,
      onToolCall: sendLast,
      onCompaction: sendLast,
      onAside: (aside) =>
        this.send(reply, '', '', aside.kind === 'progress' ? { progress: aside } : { asksAnew: true }),
      onLife: () => this.send(reply, '', ''),
      onRefusal: () => this.send(reply, '', ''),
      onEnd: () => this.send(reply, '', '', { hasEnded: true }),
    };
  }

  /** Sends the steps from this index on. */
  private sendSteps(reply: RunningReply, step: number): void {
    const steps = reply.steps?.slice(step) ?? [];
    this.channels.sendNews(reply.messageId, {
      offset: 0,
      text: '',
      step,
      steps,
      isAlive: reply.isAlive,
      ...refusalOf(reply),
      hasEnded: false,
    });
  }

  /** Sends the text or reasoning that was added last, and the other news. */
  private send(reply: RunningReply, text: string, reasoning: string, more: Partial<ReplyNews> = {}): void {
    this.channels.sendNews(reply.messageId, {
      offset: reply.words.length - text.length,
      text,
      ...(reasoning !== '' && { reasoningOffset: reply.thoughts.length - reasoning.length, reasoning }),
      isAlive: reply.isAlive,
      ...refusalOf(reply),
      hasEnded: false,
      ...more,
    });
  }
}

/** Empty unless a request failed. */
function refusalOf({ isRefused, retriedAt }: RunningReply): Partial<ReplyNews> {
  return isRefused ? { isRefused, ...(retriedAt !== null && { isAskedAgain: true }) } : {};
}
