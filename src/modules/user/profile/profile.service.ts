import { Injectable } from '@nestjs/common';
import { ApiError } from '../../../common/errors/api-error';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import type { Principal, Tier } from '../../../common/security/principal';
import { Database } from '../../../database/database';
import { AgentService } from '../../agent/agent.api';
import { UserSettings } from '../account/user.entity';
import { UserService } from '../management/user.service';
import { ProfileDto, toProfileDto, UpdateProfileDto } from './profile.dto';
import { toUserSettingsDto, UpdateUserSettingsDto, UserSettingsDto } from './user-settings.dto';

/** What users may change of themselves. */
@Injectable()
export class ProfileService {
  constructor(
    private readonly database: Database,
    private readonly users: UserService,
    private readonly agents: AgentService,
  ) {}

  async profile(userId: number): Promise<ProfileDto> {
    return toProfileDto(await this.users.get(userId));
  }

  /**
   * @throws ValidationFailedError when nothing is to be changed.
   * @throws UsernameTakenError
   */
  async updateProfile(userId: number, { lang: _lang, ...update }: UpdateProfileDto): Promise<ProfileDto> {
    const changes = present(update);
    const user = await this.database.write((manager) =>
      this.users.update(manager, userId, changes, Object.keys(changes)),
    );
    return toProfileDto(user);
  }

  async settings(userId: number): Promise<UserSettingsDto> {
    return this.show((await this.users.get(userId)).settings);
  }

  /**
   * Changes what the update names and keeps the rest.
   *
   * @throws ValidationFailedError when nothing is to be changed, or the user cannot chat with the default agent.
   */
  async updateSettings(
    principal: Principal,
    { lang: _lang, ...update }: UpdateUserSettingsDto,
  ): Promise<UserSettingsDto> {
    const { userId, tier } = principal;
    const changes: UserSettings = present(update);
    const user = await this.database.write(async (manager) => {
      const { settings } = await this.users.lock(manager, userId);
      await this.assertUsable(changes.default_agent_id, settings.default_agent_id, tier);
      return this.users.update(manager, userId, { settings: { ...settings, ...changes } }, Object.keys(changes));
    });
    return this.show(user.settings);
  }

  /** The one that is set already may be switched off for a while; a client that sends all settings back does no harm. */
  private async assertUsable(
    wanted: UserSettings['default_agent_id'],
    present: UserSettings['default_agent_id'],
    tier: Tier,
  ): Promise<void> {
    if (wanted === undefined || wanted === null || (wanted === present && (await this.agents.isPublished(wanted)))) {
      return;
    }
    try {
      await this.agents.resolveForNewChat(wanted, tier);
    } catch (error) {
      throw error instanceof ApiError ? ValidationFailedError.of('default_agent_id', 'not_offered') : error;
    }
  }

  /** A default agent that is gone for good is none: new chats get the installation's. */
  private async show(settings: UserSettings): Promise<UserSettingsDto> {
    const dto = toUserSettingsDto(settings);
    const isGone = dto.default_agent_id !== null && !(await this.agents.isPublished(dto.default_agent_id));
    return isGone ? { ...dto, default_agent_id: null } : dto;
  }
}

/** The members that were sent. */
function present<Update extends object>(update: Update): Update {
  const changes = Object.fromEntries(Object.entries(update).filter(([, value]) => value !== undefined)) as Update;
  if (Object.keys(changes).length === 0) {
    throw ValidationFailedError.of('body', 'nothing_to_change');
  }
  return changes;
}
