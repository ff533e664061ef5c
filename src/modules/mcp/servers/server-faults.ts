import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { McpFault } from '../mcp.errors';
import type { McpServer } from './mcp-server.store';

const MOST_SERVERS = 1_000;

/** The last failure of each server on this instance, for administrators. */
@Injectable()
export class ServerFaults {
  private readonly faults = new LRUCache<string, McpFault>({ max: MOST_SERVERS });

  /** @param fault null: the exchange succeeded */
  note(server: McpServer, fault: McpFault | null): void {
    if (fault === null) this.faults.delete(keyOf(server));
    else this.faults.set(keyOf(server), fault);
  }

  /** The failure of the last exchange; null: it succeeded, or there was none. */
  of(server: McpServer): McpFault | null {
    return this.faults.get(keyOf(server)) ?? null;
  }
}

/** A changed server may work again, so earlier failures no longer apply. */
function keyOf({ id, updatedAt }: McpServer): string {
  return `${id} ${updatedAt.getTime()}`;
}
