import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DomainEvents, type EventHearers } from '../../../common/events/domain-events';
import { UserService } from '../../user/user.api';
import { type ToolChange, toolChanged } from '../mcp.events';
import type { McpServer } from '../servers/mcp-server.store';

/** Tells administrators what servers have changed of their tools. */
@Injectable()
export class ToolChanges {
  constructor(
    private readonly events: DomainEvents,
    private readonly users: UserService,
  ) {}

  /** Within `Database.write`. */
  async tell(manager: EntityManager, { id, label }: McpServer, changes: [tool: string, ToolChange][]): Promise<void> {
    if (changes.length === 0) {
      return;
    }
    // All events have the same ones, so that listeners look for them once.
    const hearers = await this.administrators();
    const events = changes.map(([tool, kind]) => toolChanged(null, { server_id: id, label, tool, kind }));
    await this.events.publishAll(
      manager,
      events.map((event) => (hearers === null ? event : { ...event, hearers })),
    );
  }

  /** Those who are neither banned nor suspended; null: nobody. */
  private async administrators(): Promise<EventHearers | null> {
    const active = (await this.users.administrators()).filter(({ suspendedAt }) => suspendedAt === null);
    const marks = active.map(() => '?').join();
    const users = `SELECT hearer.id FROM users hearer WHERE hearer.id IN (${marks})`;
    return active.length === 0 ? null : { users, parameters: active.map(({ id }) => id) };
  }
}
