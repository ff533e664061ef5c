import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { type Scope, Scopes } from '../../../common/security/scopes';
import { DAY_MILLISECONDS } from '../../../common/time';
import { IdentityProviderStore } from '../../identity/identity.api';
import { SettingsService, type User } from '../../user/user.api';

/** The scope of directories: SCIM. */
const DIRECTORY_SCOPE = 'scim';

/** Validates the properties of a key. */
@Injectable()
export class ApiKeyRules {
  constructor(
    private readonly clock: Clock,
    private readonly settings: SettingsService,
    private readonly scopes: Scopes,
    private readonly providers: IdentityProviderStore,
  ) {}

  /**
   * A key cannot have rights that its owner lacks. This is checked again with each request.
   *
   * @throws ValidationFailedError if one of the scopes is only for administrators
   */
  assertScopes(owner: Pick<User, 'userType'>, scopes: readonly Scope[]): void {
    if (owner.userType !== 'admin' && scopes.some((scope) => this.scopes.administrative.includes(scope))) {
      throw ValidationFailedError.of('scopes', 'not_allowed');
    }
  }

  /** Only administrators can create keys for directories. @throws ValidationFailedError */
  assertNoDirectory(scopes: readonly Scope[]): void {
    if (scopes.includes(DIRECTORY_SCOPE)) {
      throw ValidationFailedError.of('scopes', 'not_allowed');
    }
  }

  /**
   * A key for SCIM names the provider whose directory uses it, and no other key does.
   *
   * @throws ValidationFailedError (identity_provider_id)
   */
  async assertDirectory(scopes: readonly Scope[], identityProviderId: number | null): Promise<void> {
    const isForDirectory = scopes.includes(DIRECTORY_SCOPE);
    if (isForDirectory !== (identityProviderId !== null)) {
      throw ValidationFailedError.of('identity_provider_id', isForDirectory ? 'required' : 'not_allowed');
    }
    if (identityProviderId !== null && (await this.providers.find(identityProviderId)) === null) {
      throw ValidationFailedError.of('identity_provider_id', 'not_offered');
    }
  }

  /**
   * The expiry of a key: the wanted one, or otherwise the latest that administrators allow.
   *
   * @param wanted ISO 8601; null: no expiry
   * @throws ValidationFailedError if it is in the past, or later than administrators allow
   */
  async endOf(wanted: string | null | undefined): Promise<Date | null> {
    const now = this.clock.now();
    const life = await this.longestLife();
    const latest = life === null ? null : new Date(now.getTime() + life);
    const end = typeof wanted === 'string' ? new Date(wanted) : null;
    if (end === null) {
      return latest;
    }
    if (end <= now || (latest !== null && end > latest)) {
      throw ValidationFailedError.of('expires_at', 'not_allowed');
    }
    return end;
  }

  /** The longest lifetime of a new key, in milliseconds; null: unlimited. */
  async longestLife(): Promise<number | null> {
    const { api_key_max_days: days } = await this.settings.get();
    return days === null ? null : days * DAY_MILLISECONDS;
  }
}
