import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { RedisConnection } from '../../../../common/redis/redis-connection';

/** Poll interval for decisions made on another instance, without Redis. */
const POLL_MILLISECONDS = 500;

/** Poll interval with Redis, because a Redis message can be lost. */
const NOTIFIED_POLL_MILLISECONDS = 5_000;

const CHANNEL = 'tools.decided';

/** Waits for decisions about calls of one reply. */
export interface DecisionListener {
  /** Resolves at the first decision since the last call, or after the poll interval. */
  next(): Promise<void>;
  end(): void;
}

/** Notifies the instance that makes the calls of a reply about further decisions. */
@Injectable()
export class DecidedCalls {
  private readonly listeners = new Map<number, () => void>();

  constructor(private readonly redis: RedisConnection) {
    redis.subscribe(CHANNEL, (messageId) => this.listeners.get(Number(messageId))?.());
  }

  notify(messageId: number): void {
    this.redis.publish(CHANNEL, String(messageId));
  }

  listen(messageId: number): DecisionListener {
    let hasNews = false;
    let wake: () => void = () => undefined;
    const onDecided = (): void => {
      hasNews = true;
      wake();
    };
    this.listeners.set(messageId, onDecided);
    return {
      next: async () => {
        const woken = new Promise<void>((resolve) => (wake = resolve));
        if (!hasNews) {
          const milliseconds = this.redis.isUp ? NOTIFIED_POLL_MILLISECONDS : POLL_MILLISECONDS;
          await Promise.race([woken, delay(milliseconds, undefined, { ref: false })]);
        }
        hasNews = false;
      },
      end: () => {
        // An instance that has taken over the reply has its own listener.
        if (this.listeners.get(messageId) === onDecided) {
          this.listeners.delete(messageId);
        }
      },
    };
  }
}
