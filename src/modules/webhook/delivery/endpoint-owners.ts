import { Injectable } from '@nestjs/common';
import { DEFAULT_LANGUAGE, Language, shippedLanguage } from '../../../common/i18n/language';
import { UserDirectoryQuery, UserService } from '../../user/user.api';

/** What deliveries need to know of the people behind the endpoints. */
@Injectable()
export class EndpointOwners {
  constructor(
    private readonly users: UserService,
    private readonly directory: UserDirectoryQuery,
  ) {}

  /** Those of the users who are administrators now: neither closed nor banned. */
  administratorsAmong(userIds: number[]): Promise<Set<number>> {
    return this.directory.administratorsAmong(userIds);
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
