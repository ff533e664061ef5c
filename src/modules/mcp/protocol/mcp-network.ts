import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AllowedHosts } from '../../../common/network/allowed-hosts';
import { NameResolver } from '../../../common/network/name-resolver';
import { OutboundHttpClient } from '../../../integrations/outbound-http/outbound-http-client';
import { TargetGuard, type TargetPolicy } from '../../../integrations/outbound-http/target-guard';
import { SettingsService } from '../../user/user.api';
import { McpConfig } from '../mcp.config';

/** A client, and the guard that decides where its connections go. */
export interface Way {
  guard: TargetGuard;
  client: OutboundHttpClient;
}

/** The ways to servers, by the hosts that are allowed now. */
export interface Ways {
  allowedHosts: AllowedHosts;
  /** To public and to allowed hosts. */
  any: Way;
  /** To allowed hosts only. */
  inner: Way;
  /** To public hosts only, even if they are allowed. */
  public: Way;
}

/** Applies the setting `mcp_allowed_hosts` and `MCP_ALLOWED_HOSTS` to all requests to MCP servers. */
@Injectable()
export class McpNetwork implements OnApplicationShutdown {
  private readonly configured: readonly string[];
  private readonly vouchedHosts: AllowedHosts;
  private entries: readonly string[];
  private ways: Ways;

  constructor(
    { MCP_ALLOWED_HOSTS }: McpConfig,
    private readonly resolver: NameResolver,
    private readonly settings: SettingsService,
  ) {
    this.configured = MCP_ALLOWED_HOSTS ?? [];
    this.entries = this.configured;
    this.vouchedHosts = new AllowedHosts(this.configured);
    this.ways = this.open(this.way({ allowedHosts: new AllowedHosts([]) }));
  }

  /** Get it for each request, because an administrator can change the hosts. */
  async current(): Promise<Ways> {
    // While the database is away, the last known hosts apply.
    const settings = await this.settings.get().catch(() => null);
    const entries = settings === null ? this.entries : [...this.configured, ...settings.mcp_allowed_hosts];
    if (entries.join() !== this.entries.join()) {
      const { any, inner, public: open } = this.ways;
      this.entries = entries;
      this.ways = this.open(open);
      // No connection to a host that is no longer allowed is used again. Running requests end by themselves.
      any.client.retire();
      inner.client.retire();
    }
    return this.ways;
  }

  async onApplicationShutdown(): Promise<void> {
    const { any, inner, public: open } = this.ways;
    await Promise.all([any, inner, open].map(({ client }) => client.onApplicationShutdown()));
  }

  private open(toPublic: Way): Ways {
    const allowedHosts = new AllowedHosts(this.entries);
    return {
      allowedHosts,
      any: this.way({ allowedHosts }),
      inner: this.way({ allowedHosts, isAllowedOnly: true }),
      public: toPublic,
    };
  }

  private way(policy: Omit<TargetPolicy, 'isHttpsRequired' | 'vouchedHosts'>): Way {
    const { vouchedHosts } = this;
    const guard = new TargetGuard({ isHttpsRequired: true, vouchedHosts, ...policy }, this.resolver);
    return { guard, client: new OutboundHttpClient(guard) };
  }
}
