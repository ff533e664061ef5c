import { AsyncResource } from 'node:async_hooks';
import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DomainEvents, type EventHearers } from '../../../common/events/domain-events';
import { Database } from '../../../database/database';
import { UserService } from '../../user/user.api';
import { type ToolChange, toolChanged } from '../mcp.events';
import { type McpToolDefinition, pinOf, sha256 } from '../protocol/tool-definition';
import { type ListedTool, type ToolList, ToolListReader } from '../protocol/tool-list-reader';
import { isOfUser } from '../servers/mcp-server.entity';
import { type McpServer, McpServerStore } from '../servers/mcp-server.store';
import { ServerFaults } from '../servers/server-faults';
import type { McpToolState } from './mcp-tool.entity';
import { type McpTool, type McpToolChanges, McpToolStore } from './mcp-tool.store';
import { labelledToolName } from './tool-names';
import { fatalAmong, problemsOf, type ToolProblem } from './tool-problems';
import { UserToolLists } from './user-tool-lists';

/** Notifies administrators of changed tools. */
@Injectable()
export class ToolChanges {
  constructor(
    private readonly events: DomainEvents,
    private readonly users: UserService,
  ) {}

  /** Call it within `Database.write`. */
  async publish(
    manager: EntityManager,
    { id, label }: McpServer,
    changes: [tool: string, ToolChange][],
  ): Promise<void> {
    if (changes.length === 0) {
      return;
    }
    // All events share one object, so that the listeners are queried once.
    const hearers = await this.administrators();
    const events = changes.map(([tool, kind]) => toolChanged(null, { server_id: id, label, tool, kind }));
    await this.events.publishAll(
      manager,
      events.map((event) => (hearers === null ? event : { ...event, hearers })),
    );
  }

  /** Administrators who are neither banned nor suspended; null: none. */
  private async administrators(): Promise<EventHearers | null> {
    const active = await this.users.administrators();
    const marks = active.map(() => '?').join();
    const users = `SELECT hearer.id FROM users hearer WHERE hearer.id IN (${marks})`;
    return active.length === 0 ? null : { users, parameters: active.map(({ id }) => id) };
  }
}

/** How long a list is cached if the server sets no time, in milliseconds. */
const DEFAULT_TTL = 60_000;

/** A tool in the current list of a server. */
interface SeenTool {
  name: string;
  modelName: string;
  pin: string;
  definition: McpToolDefinition | null;
  problems: ToolProblem[];
}

/** Stores the tools that servers list. A new or changed tool waits for an administrator's approval. */
@Injectable()
export class ToolListService {
  private readonly logger = new Logger(ToolListService.name);
  private readonly reading = new Map<string, Promise<ToolList>>();
  /**
   * Created at startup, because reading a list outlives the caller's unit of work and must not write in its
   * transaction.
   */
  private readonly outside = new AsyncResource('ToolListService');

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly servers: McpServerStore,
    private readonly tools: McpToolStore,
    private readonly reader: ToolListReader,
    private readonly userLists: UserToolLists,
    private readonly changes: ToolChanges,
    private readonly faults: ServerFaults,
  ) {}

  /** Whether the list is older than its server allows. */
  isStale({ listedAt, listTtl }: McpServer): boolean {
    return this.isOlder(listedAt, listTtl ?? DEFAULT_TTL);
  }

  /**
   * Reads the list from the server. Parallel calls share one request.
   *
   * @param userId the user whose connection is used, if each user has one
   * @throws McpFailure, ConnectionNeededError
   */
  refresh(server: McpServer, userId: number | null): Promise<ToolList> {
    const reader = isOfUser(server.auth) ? userId : null;
    const key = `${server.id} ${reader ?? ''}`;
    const running = this.reading.get(key);
    if (running !== undefined) {
      return running;
    }
    const begun = this.outside.runInAsyncScope(() => this.read(server, reader)).finally(() => this.reading.delete(key));
    this.reading.set(key, begun);
    return begun;
  }

  /** Reads an old list in the background, at most once a minute whatever the server allows. */
  refreshInBackground(server: McpServer): void {
    if (isOfUser(server.auth) || !this.isOlder(server.listedAt, Math.max(server.listTtl ?? 0, DEFAULT_TTL))) {
      return;
    }
    this.refresh(server, null).catch((error: unknown) => {
      this.logger.warn({ error, server: server.label }, 'The tools of a server could not be listed.');
    });
  }

  private isOlder(listedAt: Date | null, milliseconds: number): boolean {
    return listedAt === null || this.clock.now().getTime() - listedAt.getTime() >= milliseconds;
  }

  private async read(server: McpServer, userId: number | null): Promise<ToolList> {
    const startedAt = this.clock.now();
    const list = await this.reader.read(server, userId);
    if (userId !== null) {
      this.userLists.keep(server, userId, list);
    }
    const seen = seenTools(server.label, list.tools);
    await this.database.write(async (manager) => {
      const present = await this.servers.lock(manager, server.id);
      // An administrator may have changed the server during the read, so that the list belongs to another one.
      if (present.url === server.url && present.auth === server.auth) {
        await this.store(manager, present, seen, list.isCut);
        await this.servers.noteList(manager, present, { listedAt: startedAt, listTtl: list.ttl });
      }
    });
    if (list.isCut) {
      this.faults.note(server, 'too_many_tools');
    }
    return list;
  }

  /** @param isCut whether the list is incomplete, so that missing tools may still exist */
  private async store(
    manager: EntityManager,
    server: McpServer,
    seen: ReadonlyMap<string, SeenTool>,
    isCut: boolean,
  ): Promise<void> {
    const known = new Map((await this.tools.of(server.id, manager)).map((tool) => [tool.name, tool]));
    const added = [...seen.values()].filter(({ name }) => !known.has(name));
    await this.tools.insert(
      manager,
      added.map((tool) => ({
        ...tool,
        serverId: server.id,
        nameHash: sha256(tool.name),
        state: 'quarantined' as const,
        approvedPin: null,
        approvedDefinition: null,
        approvedProblems: [],
      })),
    );
    const published = added.map(({ name }): [string, ToolChange] => [name, 'new']);
    for (const tool of [...known.values()].filter(({ name }) => !isCut || seen.has(name))) {
      const { changes, kind } = changesOf(tool, seen.get(tool.name));
      if (Object.keys(changes).length > 0) {
        await this.tools.update(manager, tool, changes);
      }
      if (kind !== null) {
        published.push([tool.name, kind]);
      }
    }
    await this.changes.publish(manager, server, published);
  }
}

function seenTools(label: string, listed: readonly ListedTool[]): Map<string, SeenTool> {
  const tools = listed.map(({ name, definition, needsTask }): SeenTool => {
    const problems: ToolProblem[] = definition === null ? ['too_deep'] : problemsOf(definition);
    if (needsTask) problems.push('needs_task');
    const isWhole = !problems.includes('too_large');
    return {
      name,
      modelName: labelledToolName(label, name),
      pin: definition === null ? sha256(name) : pinOf(definition),
      definition: isWhole ? definition : null,
      problems,
    };
  });
  const seen = new Map<string, SeenTool>();
  const named = countByName(tools.map(({ name }) => name));
  for (const tool of tools) {
    if ((named.get(tool.name) ?? 0) > 1) tool.problems.push('duplicate_name');
    if (!seen.has(tool.name)) seen.set(tool.name, tool);
  }
  const counts = countByName([...seen.values()].map((tool) => tool.modelName));
  for (const tool of seen.values()) {
    if ((counts.get(tool.modelName) ?? 0) > 1) tool.problems.push('equal_name');
  }
  return seen;
}

function countByName(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  names.forEach((name) => counts.set(name, (counts.get(name) ?? 0) + 1));
  return counts;
}

function changesOf(tool: McpTool, seen: SeenTool | undefined): { changes: McpToolChanges; kind: ToolChange | null } {
  if (seen === undefined) {
    return tool.state === 'gone' || tool.state === 'blocked'
      ? { changes: {}, kind: null }
      : { changes: { state: 'gone' }, kind: 'gone' };
  }
  const state = stateOf(tool, seen);
  const { pin, definition, problems } = seen;
  const isOther = pin !== tool.pin || problems.join() !== tool.problems.join();
  return {
    changes: isOther || state !== tool.state ? { state, pin, definition, problems, modelName: seen.modelName } : {},
    kind: tool.state === 'gone' ? 'new' : isOther ? 'changed' : null,
  };
}

/** A tool is approved while its definition is the reviewed one, without new problems. */
function stateOf({ state, approvedPin, approvedProblems }: McpTool, { pin, problems }: SeenTool): McpToolState {
  if (state === 'blocked') {
    return 'blocked';
  }
  const isSeen = problems.every((problem) => approvedProblems.includes(problem));
  return pin === approvedPin && isSeen && fatalAmong(problems).length === 0 ? 'approved' : 'quarantined';
}
