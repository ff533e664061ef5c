import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DomainEvents } from '../../../common/events/domain-events';
import {
  ASSERTED,
  type AssertedBy,
  type CompanySignIn,
  IdentityAssertions,
  ProviderFaultError,
} from '../../identity/identity.api';
import { connected } from '../mcp.events';
import type { Authority } from '../oauth/oauth-grant';
import { McpFailure } from '../protocol/mcp-failure';
import { type McpServer, McpServerStore } from '../servers/mcp-server.store';
import { ConnectionStore, type McpConnection } from './connection.store';

/** Connections through the company sign-in, which is exchanged for tokens without user interaction at the server. */
@Injectable()
export class EnterpriseConnections {
  constructor(
    private readonly servers: McpServerStore,
    private readonly connections: ConnectionStore,
    private readonly assertions: IdentityAssertions,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {
    assertions.keepWhile(async () => (await this.used()).length > 0);
    events.on(ASSERTED, ({ userId }, manager) => this.continueCalls(manager, userId ?? 0));
  }

  /** The user's company sign-in that can be exchanged now; null: the user must sign in again. */
  present(userId: number): Promise<CompanySignIn | null> {
    return this.assertions.present(userId);
  }

  /** Whether the token is usable: it has not expired, and the sign-in from which it was derived is still valid. */
  async holds(connection: McpConnection): Promise<boolean> {
    const { userId, expiresAt } = connection;
    const by = this.connections.grantOf(connection)?.assertedBy;
    const isLiving = expiresAt === null || expiresAt > this.clock.now();
    return isLiving && by !== undefined && userId !== null && this.assertions.holds(userId, by);
  }

  /**
   * The assertion of the user's identity for the authorization server; null: the user must sign in again.
   *
   * @throws McpFailure
   */
  async assertionFor(
    { scopes }: McpServer,
    userId: number,
    { metadata, resource }: Authority,
  ): Promise<{ assertion: string; by: AssertedBy } | null> {
    try {
      return await this.assertions.exchange(userId, { audience: metadata.issuer, resource, scopes });
    } catch (error) {
      throw error instanceof ProviderFaultError ? new McpFailure('identity_provider') : error;
    }
  }

  /** Continues the calls that wait for a sign-in. */
  private async continueCalls(manager: EntityManager, userId: number): Promise<void> {
    for (const { label } of await this.used()) {
      await this.events.publish(manager, connected(userId, label));
    }
  }

  private async used(): Promise<McpServer[]> {
    return (await this.servers.all()).filter(({ auth, isActive }) => auth === 'enterprise' && isActive);
  }
}
