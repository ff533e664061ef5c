import { Injectable } from '@nestjs/common';
import { type EntityManager, In, Not } from 'typeorm';
import { SharedCache } from '../../../common/cache/shared-cache';
import { Clock } from '../../../common/clock';
import { RedisConnection } from '../../../common/redis/redis-connection';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { findRow, findRows, rowExists } from '../../../database/statements/find';
import { insertBatch } from '../../../database/statements/insert';
import { queryRows } from '../../../database/statements/query';
import { findLocked } from '../../../database/statements/row-lock';
import { updateRows } from '../../../database/statements/update';
import { McpToolNotFoundError } from '../mcp.errors';
import { sha256 } from '../protocol/tool-definition';
import { McpToolEntity } from './mcp-tool.entity';

export type McpTool = Readonly<McpToolEntity>;

/** The columns that can change. */
export type McpToolChanges = Partial<Omit<McpToolEntity, 'id' | 'serverId' | 'name' | 'nameHash' | 'createdAt'>>;

/** Stores the tools of MCP servers. Approved tools are cached in memory for a few seconds. */
@Injectable()
export class McpToolStore {
  private readonly cache: SharedCache<void, ReadonlyMap<string, McpTool>>;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    redis: RedisConnection,
  ) {
    this.cache = new SharedCache({ channel: 'mcp-tools', load: () => this.readApproved(), database, redis });
  }

  /** The approved tools, by their names for models. */
  approved(): Promise<ReadonlyMap<string, McpTool>> {
    return this.cache.get();
  }

  /** The tools of a server, by name. */
  of(serverId: number, manager = this.database.manager): Promise<McpTool[]> {
    return findRows(manager, McpToolEntity, { serverId }, { order: { name: 'ASC', id: 'ASC' } });
  }

  /** The number of tools that wait for approval, by server. */
  async countWaiting(): Promise<ReadonlyMap<number, number>> {
    const rows = await queryRows<{ server_id: number; waiting: number | string }>(
      this.database.manager,
      `SELECT server_id, COUNT(*) AS waiting FROM mcp_tools WHERE state = 'quarantined' GROUP BY server_id`,
    );
    return new Map(rows.map(({ server_id, waiting }) => [server_id, Number(waiting)]));
  }

  /** Whether a listed tool of a server has this name for models, in any state. */
  knows(name: string): Promise<boolean> {
    return rowExists(this.database.manager, McpToolEntity, { modelName: name, state: Not('gone') });
  }

  /**
   * Reads a tool and locks it. Call it within `Database.write`.
   *
   * @throws McpToolNotFoundError
   */
  async lock(manager: EntityManager, serverId: number, name: string): Promise<McpToolEntity> {
    const found = await findLocked(manager, McpToolEntity, { serverId, nameHash: sha256(name) });
    return found ?? Promise.reject(new McpToolNotFoundError());
  }

  /** Whether another tool with the same name for models is approved. Call it within `Database.write`. */
  isNameTaken(manager: EntityManager, { id, modelName }: McpTool): Promise<boolean> {
    return rowExists(manager, McpToolEntity, { modelName, state: 'approved', id: Not(id) });
  }

  /** Call it within `Database.write`. */
  async insert(manager: EntityManager, tools: Omit<McpToolEntity, 'id' | 'createdAt' | 'updatedAt'>[]): Promise<void> {
    const at = this.clock.now();
    await insertBatch(
      manager,
      McpToolEntity,
      tools.map((tool) => ({ ...tool, createdAt: at, updatedAt: at })),
    );
    this.cache.forgetOnCommit();
  }

  /** Call it within `Database.write`. */
  async update<Tool extends McpTool>(manager: EntityManager, tool: Tool, changes: McpToolChanges): Promise<Tool> {
    const columns = { ...changes, updatedAt: this.clock.now() };
    await updateRows(manager, McpToolEntity, columns, { id: tool.id });
    this.cache.forgetOnCommit();
    return { ...tool, ...columns };
  }

  /** Call it within `Database.write`. */
  async removeServer(manager: EntityManager, serverId: number): Promise<void> {
    await deleteRows(manager, McpToolEntity, { serverId });
    this.cache.forgetOnCommit();
  }

  /** Reads the current row of a tool and locks it. Call it within `Database.write`. */
  find(manager: EntityManager, id: number): Promise<McpTool | null> {
    return findRow(manager, McpToolEntity, { id }, { lock: 'wait' });
  }

  private async readApproved(): Promise<ReadonlyMap<string, McpTool>> {
    const rows = await findRows(this.database.manager, McpToolEntity, { state: In(['approved']) });
    return new Map(rows.map((row) => [row.modelName, row]));
  }
}
