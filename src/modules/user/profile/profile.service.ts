import { Injectable } from '@nestjs/common';
import { ApiError } from '../../../common/errors/api-error';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import type { Principal } from '../../../common/security/principal';
import type { RequestContext } from '../../../common/security/request-context';
import { Database } from '../../../database/database';
import { AgentService } from '../../agent/agent.api';
import { User, UserSettings } from '../account/user.entity';
import { UserService } from '../management/user.service';
import { UpdateProfileDto } from './profile.dto';
import { UpdateUserSettingsDto } from './user-settings.dto';

/** Users' own profile and settings. */
@Injectable()
export class ProfileService {
  constructor(
    private readonly database: Database,
    private readonly users: UserService,
    private readonly agents: AgentService,
  ) {}

  profile(userId: number): Promise<User> {
    return this.users.get(userId);
  }

  /**
   * @throws ValidationFailedError when there is nothing to change
   * @throws UsernameTakenError
   */
  async updateProfile(userId: number, { lang: _lang, ...update }: UpdateProfileDto): Promise<User> {
    const changes = present(update);
    return this.database.write((manager) => this.users.update(manager, userId, changes, Object.keys(changes)));
  }

  async settings(caller: Principal): Promise<UserSettings> {
    return this.withoutGoneAgent((await this.users.get(caller.userId)).settings, caller);
  }

  /**
   * Changes the settings in the update and keeps all others.
   *
   * @throws ValidationFailedError when there is nothing to change, or the user cannot chat with the default agent
   */
  async updateSettings(
    { principal }: RequestContext,
    { lang: _lang, ...update }: UpdateUserSettingsDto,
  ): Promise<UserSettings> {
    const changes: UserSettings = present(update);
    const { userId } = principal;
    const user = await this.database.write(async (manager) => {
      const { settings } = await this.users.lock(manager, userId);
      await this.assertUsable(changes.default_agent_id, settings.default_agent_id, principal);
      return this.users.update(manager, userId, { settings: { ...settings, ...changes } }, Object.keys(changes));
    });
    return this.withoutGoneAgent(user.settings, principal);
  }

  /** The current default agent is allowed even while it is switched off, because clients send all settings back. */
  private async assertUsable(
    wanted: UserSettings['default_agent_id'],
    present: UserSettings['default_agent_id'],
    caller: Principal,
  ): Promise<void> {
    if (
      wanted === undefined ||
      wanted === null ||
      (wanted === present && (await this.agents.isPublished(wanted, caller)))
    ) {
      return;
    }
    try {
      await this.agents.resolveForNewChat(wanted, caller);
    } catch (error) {
      throw error instanceof ApiError ? ValidationFailedError.of('default_agent_id', 'not_offered') : error;
    }
  }

  /** A deleted default agent counts as none, so new chats use the installation's. */
  private async withoutGoneAgent(settings: UserSettings, caller: Principal): Promise<UserSettings> {
    const { default_agent_id: agentId } = settings;
    const isGone = typeof agentId === 'number' && !(await this.agents.isPublished(agentId, caller));
    return isGone ? { ...settings, default_agent_id: null } : settings;
  }
}

/** The members that were sent. @throws ValidationFailedError when there are none */
function present<Update extends object>(update: Update): Update {
  const changes = Object.fromEntries(Object.entries(update).filter(([, value]) => value !== undefined)) as Update;
  if (Object.keys(changes).length === 0) {
    throw ValidationFailedError.of('body', 'nothing_to_change');
  }
  return changes;
}
