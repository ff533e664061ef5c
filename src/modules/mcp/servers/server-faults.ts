import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { McpFault } from '../mcp.errors';
import type { McpServer } from './mcp-server.store';

const MOST_SERVERS = 1_000;

/** What this instance last heard of each server, so that administrators see at a glance which one fails. */
@Injectable()
export class ServerFaults {
  private readonly faults = new LRUCache<string, McpFault>({ max: MOST_SERVERS });

  /** @param fault null: it answered as it should */
  note(server: McpServer, fault: McpFault | null): void {
    if (fault === null) this.faults.delete(keyOf(server));
    else this.faults.set(keyOf(server), fault);
  }

  /** How its last exchange failed; null: it did not, or there was none. */
  of(server: McpServer): McpFault | null {
    return this.faults.get(keyOf(server)) ?? null;
  }
}

/** A server that an administrator has changed may answer again. */
function keyOf({ id, updatedAt }: McpServer): string {
  return `${id} ${updatedAt.getTime()}`;
}
