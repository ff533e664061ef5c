import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { DomainEvents } from '../../../common/events/domain-events';
import type { Principal } from '../../../common/security/principal';
import { ScopeRequiredError } from '../../../common/security/security.errors';
import { Database } from '../../../database/database';
import { MailSender } from '../../../integrations/mail/mail-sender';
import { AdministratorWays } from '../../identity/identity.api';
import { type PasswordLoginRule, type ServiceSettings, SessionService, SettingsService } from '../../user/user.api';
import { settingsAudit } from '../admin.audit';
import { SettingsDto, UpdateSettingsDto } from './settings.dto';

/**
 * Shows and changes the settings that can change at run time.
 *
 * This folder has four small topics, each with a controller: registration and the lifetime of API keys (`settings.*`),
 * plans (`plan*`), a test mail (`email-test.*`), and the webhooks of all users. Start here. Plans work in the same way.
 */
@Injectable()
export class SettingsAdministrationService implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly settings: SettingsService,
    private readonly events: DomainEvents,
    private readonly sessions: SessionService,
    private readonly ways: AdministratorWays,
    private readonly sender: MailSender,
  ) {}

  onModuleInit(): void {
    this.sender.follow(() => this.settings.get());
  }

  async get(): Promise<SettingsDto> {
    return shown(await this.settings.get());
  }

  /**
   * @throws ValidationFailedError when there is nothing to change
   * @throws ScopeRequiredError when an API key changes how users sign in, or which hosts MCP servers may have
   * @throws RecentSignInRequiredError when the sign-in is too old to change these hosts
   * @throws LastLoginMethodError when no administrator could sign in any more
   */
  async update(caller: Principal, body: UpdateSettingsDto): Promise<SettingsDto> {
    const { lang: _, ...named } = body;
    // The validator omits members that the client did not send.
    const changes: Changes = { ...named };
    if (Object.keys(changes).length === 0) {
      throw ValidationFailedError.of('body', 'nothing_to_change');
    }
    return this.database.write(async (manager) => {
      const before = await this.settings.lock(manager);
      const after = { ...before, ...changes };
      if (after.password_login !== before.password_login) {
        await this.assertMayClose(manager, after.password_login, caller.apiKeyId);
      }
      if (after.mcp_allowed_hosts.join() !== before.mcp_allowed_hosts.join()) {
        // A stolen token must not be able to open the installation's network.
        await this.sessions.assertRecentSignIn(caller);
      }
      const sharing_ended_at = this.clock.now().toISOString();
      await this.settings.update(manager, { ...changes, ...(changes.sharing === 'off' && { sharing_ended_at }) });
      await this.events.publish(
        manager,
        settingsAudit.change('update', { id: null, userId: null, before: shown(before), after: shown(after) }),
      );
      return shown(after);
    });
  }

  private async assertMayClose(
    manager: EntityManager,
    rule: PasswordLoginRule,
    apiKeyId: number | null,
  ): Promise<void> {
    if (apiKeyId !== null) {
      // A leaked key must not be able to enable password login again, or disable it for all users.
      throw new ScopeRequiredError(null);
    }
    if (rule === 'off') {
      await this.ways.assertPasswordsMayClose(manager);
    }
  }
}

type Changes = Partial<Omit<ServiceSettings, 'sharing_ended_at'>>;

function shown({ sharing_ended_at: _, ...settings }: ServiceSettings): SettingsDto {
  return settings;
}
