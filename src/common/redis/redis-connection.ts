import { setImmediate as turnOfEventLoop, setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { withTimeout } from '../time';
import { RedisConfig } from './redis.config';
import { MessageHandler, RedisChannels, Subscription } from './redis-channels';
import { type RedisClient, redisClient, watchCluster } from './redis-client';
import { ANSWER_TIMEOUT_MILLISECONDS } from './redis-options';

/** Longest time that the start waits for the first connection. After that the service starts without Redis. */
const START_WAIT_MILLISECONDS = 1_000;

/** Pause between two probes of a Redis that is connected but does not answer. */
const PROBE_INTERVAL_MILLISECONDS = 1_000;

/** After this many failed probes, a new connection replaces this one, because it may be silently dead. */
const PROBES_PER_CONNECTION = 5;

/** `absent`: Redis is not configured. `down`: it is configured but does not answer. */
export type RedisStatus = 'absent' | 'up' | 'down';

/**
 * The connection to Redis, which may be a server, the primary behind sentinels, or a cluster. Callers check `isUp`
 * first and then use `client`. After a failure they call `suspect()` and continue without Redis. The connection itself
 * detects, outside of requests, when Redis answers again. This folder: `RedisChannels` sends messages between
 * instances, `redisOptions` sets the time limits, `RedisConfig` has the address.
 */
@Injectable()
export class RedisConnection implements OnModuleInit, OnApplicationShutdown {
  /**
   * Null if REDIS_URL is not set. Its commands reject immediately while Redis is unavailable; await others with
   * `inTime`.
   */
  readonly client: RedisClient | null;
  private readonly logger = new Logger(RedisConnection.name);
  private readonly channels: RedisChannels;
  private readonly endWatch: (() => void) | undefined;
  private isSuspected = false;
  /** If the selected database does not exist, ioredis continues in database 0, which may belong to other programs. */
  private lacksDatabase = false;
  private isClosing = false;
  private reported: RedisStatus | undefined;
  private lastFailure = 'no connection yet';

  constructor(config: RedisConfig) {
    this.client = config.REDIS_URL === null ? null : redisClient(config.REDIS_URL);
    this.endWatch = this.client === null ? undefined : watchCluster(this.client);
    this.client?.on('connect', () => (this.lacksDatabase = false));
    this.client?.on('ready', () => this.answered());
    this.client?.on('error', (error: Error) => this.failed(error));
    this.client?.on('close', () => this.report('down'));
    this.channels = new RedisChannels(this.client);
  }

  /** True if Redis will probably answer a command that is sent now. */
  get isUp(): boolean {
    return this.client?.status === 'ready' && !this.isSuspected && !this.lacksDatabase;
  }

  /** For the health report. */
  status(): RedisStatus {
    if (!this.client) {
      return 'absent';
    }
    return this.isUp ? 'up' : 'down';
  }

  /**
   * The answer of a command; rejects if it does not arrive within 250 ms. If this process was busy, it first reads the
   * data that has arrived, because then Redis was not late.
   */
  inTime<Answer>(answer: Promise<Answer>): Promise<Answer> {
    return withTimeout(answer, ANSWER_TIMEOUT_MILLISECONDS, async () => {
      await turnOfEventLoop();
      await turnOfEventLoop();
      throw new Error('Redis did not answer in time.');
    });
  }

  /** Reports that a command failed. Redis is then not used until it has answered a probe. */
  suspect(error: unknown): void {
    this.lastFailure = messageOf(error);
    if (this.isUp) {
      this.isSuspected = true;
      void this.probe();
    }
  }

  /** Sends a message to the handlers of this process and, while Redis is up, of the other instances. Never waits. */
  publish(channel: string, message: string): void {
    this.channels.publish(channel, message).catch((error: unknown) => this.suspect(error));
  }

  /** Receives what is published on the channel from now on. Call `close()` of the subscription to end it. */
  subscribe(channel: string, handler: MessageHandler): Subscription {
    return this.channels.subscribe(channel, handler);
  }

  async onModuleInit(): Promise<void> {
    if (!this.client) {
      return;
    }
    const connected = this.client.connect().catch(() => undefined);
    await withTimeout(connected, START_WAIT_MILLISECONDS, () => undefined);
    if (!this.isUp) {
      this.report('down');
    }
  }

  onApplicationShutdown(): void {
    this.isClosing = true;
    this.channels.close();
    this.endWatch?.();
    this.client?.disconnect();
  }

  private failed(error: Error & { command?: { name: string } }): void {
    this.lacksDatabase ||= error.command?.name === 'select' && /^(ERR|NOPERM) /.test(error.message);
    this.lastFailure = error.message + (this.lacksDatabase ? '; correct the number of the database in REDIS_URL' : '');
  }

  private answered(): void {
    if (this.lacksDatabase) {
      this.report('down');
      return;
    }
    this.isSuspected = false;
    this.lastFailure = 'connection closed';
    this.report('up');
  }

  private async probe(): Promise<void> {
    for (let probes = 1; this.client?.status === 'ready' && this.isSuspected && !this.isClosing; probes++) {
      try {
        await this.inTime(this.client.ping());
        this.answered();
      } catch (error) {
        this.lastFailure = messageOf(error);
        this.report('down');
        if (probes === PROBES_PER_CONNECTION) {
          this.client.disconnect(true);
          this.channels.reconnect();
          return;
        }
        await delay(PROBE_INTERVAL_MILLISECONDS, undefined, { ref: false });
      }
    }
  }

  /** Logs changes only. While Redis is unavailable every attempt fails, and one line in the log is enough. */
  private report(status: RedisStatus): void {
    if (status === this.reported || this.isClosing) {
      return;
    }
    this.reported = status;
    if (status === 'up') {
      this.logger.log('Redis answers: limits, caches and messages are shared between the instances.');
    } else {
      this.logger.warn({ reason: this.lastFailure }, 'Redis is away: this instance works by itself until it is back.');
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
