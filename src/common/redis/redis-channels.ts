import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { withTimeout } from '../time';
import { REDIS_KEY_PREFIX } from './redis-options';

/** Longest time that `Subscription.active` stays open while Redis does not confirm. */
const CONFIRMATION_TIMEOUT_MILLISECONDS = 250;

export type MessageHandler = (message: string) => void;

export interface Subscription {
  /** Resolves once other instances are heard too, or when Redis does not answer in time; never rejects. */
  readonly active: Promise<void>;
  close(): void;
}

/**
 * Messages between the parts of this process and, where there is a Redis, of all instances. Within the process they
 * arrive whatever Redis does; other instances miss what is published while Redis is away.
 */
export class RedisChannels {
  private readonly logger = new Logger(RedisChannels.name);
  private readonly handlers = new Map<string, Set<MessageHandler>>();
  private readonly instanceId = randomUUID();
  // Redis separates keys by database number, but not channels.
  private readonly prefix: string;
  private subscriber: Redis | null = null;

  constructor(private readonly client: Redis | null) {
    this.prefix = `${REDIS_KEY_PREFIX}${client?.options.db ?? 0}:`;
  }

  /** Hands the message to every handler, here and elsewhere; rejects when Redis is there and did not take it. */
  async publish(channel: string, message: string): Promise<void> {
    this.deliver(channel, message);
    await this.client?.publish(this.prefix + channel, `${this.instanceId} ${message}`);
  }

  subscribe(channel: string, handler: MessageHandler): Subscription {
    const handlers = this.handlers.get(channel) ?? new Set();
    this.handlers.set(channel, handlers.add(handler));
    return { active: this.join(channel), close: () => this.leave(channel, handler) };
  }

  /** Gives up a connection that may be dead without knowing it, for a new one. */
  reconnect(): void {
    this.subscriber?.disconnect(true);
  }

  close(): void {
    this.handlers.clear();
    this.subscriber?.disconnect();
  }

  private async join(channel: string): Promise<void> {
    if (!this.client) {
      return;
    }
    this.subscriber ??= this.openSubscriber(this.client);
    const { subscriber } = this;
    await withTimeout(this.subscribeAt(subscriber, channel), CONFIRMATION_TIMEOUT_MILLISECONDS, () => undefined);
  }

  /** A refusal is final only for now: every new connection subscribes to all channels that have a handler. */
  private async subscribeAt(subscriber: Redis, channel: string): Promise<void> {
    try {
      if (subscriber.status === 'wait') {
        await subscriber.connect();
      }
      if (this.handlers.has(channel)) {
        await subscriber.subscribe(this.prefix + channel);
      }
    } catch (error) {
      this.ignore(error);
    }
  }

  private leave(channel: string, handler: MessageHandler): void {
    const handlers = this.handlers.get(channel);
    handlers?.delete(handler);
    if (handlers?.size === 0) {
      this.handlers.delete(channel);
      this.subscriber?.unsubscribe(this.prefix + channel).catch((error: unknown) => this.ignore(error));
    }
  }

  /** A connection in subscriber mode takes no other commands, hence a second one. */
  private openSubscriber(client: Redis): Redis {
    const subscriber = client.duplicate({ commandTimeout: 1_000 });
    subscriber.on('error', (error) => this.ignore(error));
    subscriber.on('message', (channel: string, text: string) => this.receive(channel, text));
    subscriber.on('ready', () => {
      const channels = [...this.handlers.keys()].map((channel) => this.prefix + channel);
      if (channels.length > 0) {
        subscriber.subscribe(...channels).catch((error: unknown) => this.ignore(error));
      }
    });
    return subscriber;
  }

  /** The connection that sends commands fails likewise, and reports it once for both. */
  private ignore(error: unknown): void {
    this.logger.debug(String(error));
  }

  private receive(channel: string, text: string): void {
    const separator = text.indexOf(' ');
    if (text.slice(0, separator) !== this.instanceId) {
      this.deliver(channel.slice(this.prefix.length), text.slice(separator + 1));
    }
  }

  private deliver(channel: string, message: string): void {
    for (const handler of this.handlers.get(channel) ?? []) {
      queueMicrotask(() => {
        try {
          handler(message);
        } catch (error) {
          this.logger.error(error);
        }
      });
    }
  }
}
