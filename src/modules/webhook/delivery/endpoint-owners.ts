import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { DEFAULT_LANGUAGE, Language, shippedLanguage } from '../../../common/i18n/language';
import { Database } from '../../../database/database';
import { UserEntity, UserService } from '../../user/user.api';

/** What deliveries need to know of the people behind the endpoints. */
@Injectable()
export class EndpointOwners {
  constructor(
    private readonly database: Database,
    private readonly users: UserService,
  ) {}

  /** Those of the users who are administrators now: not closed, and not banned at present. */
  async administratorsAmong(userIds: number[]): Promise<Set<number>> {
    if (userIds.length === 0) {
      return new Set();
    }
    const administrators = await this.database.repository(UserEntity).find({
      select: { id: true, status: true, bannedUntil: true },
      where: { id: In([...new Set(userIds)]), userType: 'admin' },
    });
    return new Set(administrators.filter((user) => !this.users.isBanned(user)).map(({ id }) => id));
  }

  /** Where to write to the user; null when the account is closed, or when the user wants no notifications. */
  async contactOf(userId: number): Promise<{ email: string; language: Language } | null> {
    const user = await this.users.findById(userId);
    if (!user || user.settings.email_notifications === false) {
      return null;
    }
    return { email: user.email, language: shippedLanguage(user.language ?? '') ?? DEFAULT_LANGUAGE };
  }
}
