import { Injectable } from '@nestjs/common';
import type { Subscription } from '../../../../common/redis/redis-channels';
import { RedisConnection } from '../../../../common/redis/redis-connection';

/** Pieces of a running reply's text and of what its model thinks, each with its place in the whole; and how it stands. */
export interface ReplyNews {
  offset: number;
  text: string;
  /** Absent, as the reasoning is, where an instance of an earlier release tells. */
  reasoningOffset?: number;
  reasoning?: string;
  /** Whether the model has given a sign of life. */
  isAlive?: boolean;
  hasEnded: boolean;
}

/** What instances tell each other of running replies. Without a Redis it reaches only this process. */
@Injectable()
export class InstanceChannels {
  constructor(private readonly redis: RedisConnection) {}

  /** Asks whoever writes the reply to tell it, from these places in text and reasoning on. */
  askForNews(messageId: number, offset: number, reasoningOffset: number): void {
    this.redis.publish('replies.watch', JSON.stringify([messageId, offset, reasoningOffset]));
  }

  onAskedForNews(handler: (messageId: number, offset: number, reasoningOffset?: number) => void): void {
    this.redis.subscribe('replies.watch', (message) => handler(...(JSON.parse(message) as [number, number, number?])));
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
