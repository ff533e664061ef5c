import { Injectable } from '@nestjs/common';
import type { Subscription } from '../../../common/redis/redis-channels';
import { RedisConnection } from '../../../common/redis/redis-connection';

/** A piece of a running reply's text, with its place in the whole; or the news that the reply has ended. */
export interface ReplyNews {
  offset: number;
  text: string;
  hasEnded: boolean;
}

/** What instances tell each other of running replies. Without a Redis it reaches only this process. */
@Injectable()
export class ReplyChannels {
  constructor(private readonly redis: RedisConnection) {}

  /** Asks whoever writes the reply to tell its text, from `offset` on. */
  askForText(messageId: number, offset: number): void {
    this.redis.publish('replies.watch', JSON.stringify([messageId, offset]));
  }

  onAskedForText(handler: (messageId: number, offset: number) => void): void {
    this.redis.subscribe('replies.watch', (message) => handler(...(JSON.parse(message) as [number, number])));
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
