import { AsyncResource } from 'node:async_hooks';
import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../../../common/clock';
import { ConnectionNeededError } from '../../tool/tool.api';
import { pinOf } from '../protocol/tool-definition';
import { type ToolList, ToolListReader } from '../protocol/tool-list-reader';
import type { McpServer } from '../servers/mcp-server.store';

/** How long a list is cached if the server sets no time, in milliseconds. */
const DEFAULT_TTL = 60_000;

/** The maximum number of pins of all users together, at about 100 bytes each. */
const MOST_PINS = 200_000;

/** The list of a server for one user. */
interface UserList {
  pins: ReadonlySet<string>;
  readAt: number;
  ttl: number;
}

/**
 * Caches the lists that servers show to connected users. A user may call a tool only if its definition there is the
 * approved one.
 */
@Injectable()
export class UserToolLists {
  private readonly logger = new Logger(UserToolLists.name);
  private readonly lists = new LRUCache<string, UserList>({
    maxSize: MOST_PINS,
    sizeCalculation: ({ pins }) => pins.size + 1,
  });
  private readonly reading = new Map<string, Promise<void>>();
  /** Created at startup, because reading a list outlives the caller's unit of work. */
  private readonly outside = new AsyncResource('UserToolLists');

  constructor(
    private readonly reader: ToolListReader,
    private readonly clock: Clock,
  ) {}

  keep(server: McpServer, userId: number, { tools, ttl }: ToolList): void {
    const callable = tools.filter(({ needsTask }) => !needsTask);
    const pins = new Set(callable.flatMap(({ definition }) => (definition === null ? [] : [pinOf(definition)])));
    this.lists.set(keyOf(server, userId), { pins, readAt: this.clock.now().getTime(), ttl: ttl ?? DEFAULT_TTL });
  }

  /** Whether the user's list is known not to have this definition. */
  contradicts(server: McpServer, userId: number, pin: string): boolean {
    return this.lists.get(keyOf(server, userId))?.pins.has(pin) === false;
  }

  /**
   * Reads the list if it is old or was never read. Without a connection it reads nothing.
   *
   * @throws McpFailure
   */
  async refresh(server: McpServer, userId: number): Promise<void> {
    const key = keyOf(server, userId);
    const known = this.lists.get(key);
    if (known !== undefined && this.clock.now().getTime() - known.readAt < known.ttl) {
      return;
    }
    const running = this.reading.get(key) ?? this.outside.runInAsyncScope(() => this.read(server, userId));
    this.reading.set(key, running);
    await running.finally(() => this.reading.delete(key));
  }

  /** Reads an old list in the background. */
  refreshInBackground(server: McpServer, userId: number): void {
    this.refresh(server, userId).catch((error: unknown) => {
      this.logger.warn({ error, server: server.label }, 'The tools of a user at a server could not be listed.');
    });
  }

  private async read(server: McpServer, userId: number): Promise<void> {
    try {
      this.keep(server, userId, await this.reader.read(server, userId));
    } catch (error) {
      if (!(error instanceof ConnectionNeededError)) {
        throw error;
      }
    }
  }
}

function keyOf({ id, updatedAt }: McpServer, userId: number): string {
  return `${id} ${updatedAt.getTime()} ${userId}`;
}
