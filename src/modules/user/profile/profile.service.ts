import { Injectable } from '@nestjs/common';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { Database } from '../../../database/database';
import { ProfileDto, toProfileDto, UpdateProfileDto } from '../dto/profile.dto';
import { UserSettingsDto, toUserSettingsDto, UpdateUserSettingsDto } from '../dto/user-settings.dto';
import { UserSettings } from '../entities/user.entity';
import { UserService } from '../user.service';

/** What users may change of themselves. */
@Injectable()
export class ProfileService {
  constructor(
    private readonly database: Database,
    private readonly users: UserService,
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
    return toUserSettingsDto((await this.users.get(userId)).settings);
  }

  /** Changes what the update names and keeps the rest. @throws ValidationFailedError when nothing is to be changed. */
  async updateSettings(userId: number, { lang: _lang, ...update }: UpdateUserSettingsDto): Promise<UserSettingsDto> {
    const changes: UserSettings = present(update);
    const user = await this.database.write(async (manager) => {
      const { settings } = await this.users.lock(manager, userId);
      return this.users.update(manager, userId, { settings: { ...settings, ...changes } }, Object.keys(changes));
    });
    return toUserSettingsDto(user.settings);
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
