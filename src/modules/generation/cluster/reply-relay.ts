import { Injectable, OnModuleInit } from '@nestjs/common';
import type { Subscription } from '../../../common/redis/redis-channels';
import { RedisConnection } from '../../../common/redis/redis-connection';
import type { ReplyAside, ReplyListener } from '../reply/live-reply';
import type { ReplyStep } from '../reply/reply-steps';
import type { RunningReply } from '../reply/running-reply';
import { ReplyRegistry } from '../running/reply-registry';

/** New text and reasoning of a running reply, each with its place in the whole, and the state of the reply. */
export interface ReplyNews {
  offset: number;
  text: string;
  /** Absent, like the reasoning, in news from an instance of an earlier release. */
  reasoningOffset?: number;
  reasoning?: string;
  /** New steps of a reply that has steps, and the place of the first; text and reasoning are then empty. */
  step?: number;
  steps?: ReplyStep[];
  /** How far a call has come. */
  progress?: Extract<ReplyAside, { kind: 'progress' }>;
  /** Whether servers ask something else than before in calls that are being made: the database has it. */
  asksAnew?: boolean;
  /** Whether the model has given a sign of life. */
  isAlive?: boolean;
  /** Whether an attempt has failed, and the reply may fail as a whole. */
  isRefused?: boolean;
  /** Whether the attempt after the failed one has begun. */
  isAskedAgain?: boolean;
  hasEnded: boolean;
}

/**
 * What instances tell each other about running replies, over Redis. Without Redis, messages reach this process only, and
 * instances learn everything from the database, a little later.
 *
 * This folder is about replies and instances: `ReplyLocator` finds a reply wherever it is, `ReplyFollower` follows one that
 * another instance writes, `ReplyRelay` answers such followers, `ReplyStopper` stops a reply anywhere, `RequestedStops` obeys
 * where it is written, `InstanceHeartbeat` and `CrashRecovery` end the replies of instances that died.
 */
@Injectable()
export class InstanceChannels {
  constructor(private readonly redis: RedisConnection) {}

  /** Asks the instance that writes the reply for its news, from these places in text, reasoning and steps on. */
  askForNews(messageId: number, offset: number, reasoningOffset: number, step: number): void {
    this.redis.publish('replies.watch', JSON.stringify([messageId, offset, reasoningOffset, step]));
  }

  onAskedForNews(handler: (messageId: number, offset: number, reasoningOffset?: number, step?: number) => void): void {
    this.redis.subscribe('replies.watch', (message) =>
      handler(...(JSON.parse(message) as [number, number, number?, number?])),
    );
  }

  askToStop(messageId: number): void {
    this.redis.publish('replies.stop', String(messageId));
  }

  onAskedToStop(handler: (messageId: number) => void): void {
    this.redis.subscribe('replies.stop', (message) => handler(Number(message)));
  }

  tell(messageId: number, news: ReplyNews): void {
    this.redis.publish(textChannel(messageId), JSON.stringify(news));
  }

  listen(messageId: number, handler: (news: ReplyNews) => void): Subscription {
    return this.redis.subscribe(textChannel(messageId), (message) => handler(JSON.parse(message) as ReplyNews));
  }
}

function textChannel(messageId: number): string {
  return `replies.text.${messageId}`;
}

/** Serves other instances: tells them the text of replies that are written here once they ask, and stops such replies. */
@Injectable()
export class ReplyRelay implements OnModuleInit {
  constructor(
    private readonly channels: InstanceChannels,
    private readonly registry: ReplyRegistry,
  ) {}

  onModuleInit(): void {
    this.channels.onAskedToStop((messageId) => this.registry.get(messageId)?.abort('stopped'));
    this.channels.onAskedForNews((messageId, offset, reasoningOffset = 0, step = 0) => {
      const reply = this.registry.get(messageId);
      if (reply?.steps) {
        this.tellSteps(reply, step);
        this.relay(reply);
        if (reply.askedNow.length > 0) {
          this.tell(reply, '', '', { asksAnew: true });
        }
      } else if (reply) {
        this.tell(reply, reply.words.slice(offset), reply.thoughts.slice(reasoningOffset));
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
      onText: (text) => this.tell(reply, text, ''),
      onReasoning: (reasoning) => this.tell(reply, '', reasoning),
      onLife: () => this.tell(reply, '', ''),
      onRefusal: () => this.tell(reply, '', ''),
      onEnd: () => this.tell(reply, '', '', { hasEnded: true }),
    };
  }

  private steps(reply: RunningReply): ReplyListener {
    const tellLast = (): void => this.tellSteps(reply, (reply.steps?.length ?? 0) - 1);
    return {
      onText: tellLast,
      onReasoning: tellLast,
      onToolCall: tellLast,
      onCompaction: tellLast,
      onAside: (aside) =>
        this.tell(reply, '', '', aside.kind === 'progress' ? { progress: aside } : { asksAnew: true }),
      onLife: () => this.tell(reply, '', ''),
      onRefusal: () => this.tell(reply, '', ''),
      onEnd: () => this.tell(reply, '', '', { hasEnded: true }),
    };
  }

  /** Tells the steps from this place on. */
  private tellSteps(reply: RunningReply, step: number): void {
    const steps = reply.steps?.slice(step) ?? [];
    this.channels.tell(reply.messageId, {
      offset: 0,
      text: '',
      step,
      steps,
      isAlive: reply.isAlive,
      ...refusalOf(reply),
      hasEnded: false,
    });
  }

  /** Tells what was added last to text or reasoning, and what else there is. */
  private tell(reply: RunningReply, text: string, reasoning: string, besides: Partial<ReplyNews> = {}): void {
    this.channels.tell(reply.messageId, {
      offset: reply.words.length - text.length,
      text,
      ...(reasoning !== '' && { reasoningOffset: reply.thoughts.length - reasoning.length, reasoning }),
      isAlive: reply.isAlive,
      ...refusalOf(reply),
      hasEnded: false,
      ...besides,
    });
  }
}

/** Only while there is one. */
function refusalOf({ isRefused, askedAgainAt }: RunningReply): Partial<ReplyNews> {
  return isRefused ? { isRefused, ...(askedAgainAt !== null && { isAskedAgain: true }) } : {};
}
