import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { withTimeout } from '../time';
import { databaseOf, type RedisClient, watchCluster } from './redis-client';
import { REDIS_KEY_PREFIX } from './redis-options';

/** Longest time that `Subscription.active` waits for Redis to confirm. */
const CONFIRMATION_TIMEOUT_MILLISECONDS = 250;

/**
 * How often all channels of a cluster are subscribed again. After a node has died, an instance may miss messages for
 * this long.
 */
const RENEWAL_MILLISECONDS = 5_000;

export type MessageHandler = (message: string) => void;

export interface Subscription {
  /** Resolves when messages of other instances arrive too, or if Redis does not answer in time. Never rejects. */
  readonly active: Promise<void>;
  close(): void;
}

/**
 * Messages between the parts of this process and, with Redis, between all instances. Within the process they always
 * arrive. Other instances miss messages that are published while Redis is unavailable.
 */
export class RedisChannels {
  private readonly logger = new Logger(RedisChannels.name);
  private readonly handlers = new Map<string, Set<MessageHandler>>();
  private readonly instanceId = randomUUID();
  // The database number of Redis separates keys, but not channels.
  private readonly prefix: string;
  private subscriber: RedisClient | null = null;
  private endWatch: (() => void) | undefined;

  constructor(private readonly client: RedisClient | null) {
    this.prefix = `${REDIS_KEY_PREFIX}${databaseOf(client)}:`;
  }

  /** Sends the message to every handler, here and in other instances. Rejects if Redis is up but does not accept it. */
  async publish(channel: string, message: string): Promise<void> {
    this.deliver(channel, message);
    // A cluster would queue the message until it is available again, when the message is outdated.
    if (this.client?.status === 'ready') {
      await this.client.publish(this.prefix + channel, `${this.instanceId} ${message}`);
    }
  }

  subscribe(channel: string, handler: MessageHandler): Subscription {
    const handlers = this.handlers.get(channel) ?? new Set();
    this.handlers.set(channel, handlers.add(handler));
    return { active: this.join(channel), close: () => this.leave(channel, handler) };
  }

  /** Replaces a connection that may be silently dead. */
  reconnect(): void {
    this.subscriber?.disconnect(true);
  }

  close(): void {
    this.handlers.clear();
    this.endWatch?.();
    this.subscriber?.disconnect();
  }

  private async join(channel: string): Promise<void> {
    if (!this.client) {
      return;
    }
    this.subscriber ??= this.openSubscriber(this.client);
    const { subscriber } = this;
    await withTimeout(this.subscribeChannel(subscriber, channel), CONFIRMATION_TIMEOUT_MILLISECONDS, () => undefined);
  }

  /** A refusal is not final: every new connection subscribes to all channels that have a handler. */
  private async subscribeChannel(subscriber: RedisClient, channel: string): Promise<void> {
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

  /** A connection in subscriber mode accepts no other commands, so there is a second connection. */
  private openSubscriber(client: RedisClient): RedisClient {
    const limit = { commandTimeout: 1_000 };
    const subscriber: RedisClient = 'nodes' in client ? client.duplicate() : client.duplicate(limit);
    subscriber.on('error', (error) => this.ignore(error));
    subscriber.on('message', (channel: string, text: string) => this.receive(channel, text));
    subscriber.on('ready', () => this.subscribeToAll(subscriber));
    if ('nodes' in subscriber) {
      // If the node of its subscriptions dies, the client may silently drop a channel.
      const renewal = setInterval(() => this.subscribeToAll(subscriber), RENEWAL_MILLISECONDS).unref();
      const endWatch = watchCluster(subscriber);
      this.endWatch = () => {
        clearInterval(renewal);
        endWatch();
      };
    }
    return subscriber;
  }

  private subscribeToAll(subscriber: RedisClient): void {
    const channels = [...this.handlers.keys()].map((channel) => this.prefix + channel);
    if (channels.length > 0 && subscriber.status === 'ready') {
      subscriber.subscribe(...channels).catch((error: unknown) => this.ignore(error));
    }
  }

  /** The connection for commands fails in the same way, and reports the failure once for both. */
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
