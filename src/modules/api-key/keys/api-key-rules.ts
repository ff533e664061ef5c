import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { type Scope, Scopes } from '../../../common/security/scopes';
import { DAY_MILLISECONDS } from '../../../common/time';
import { IdentityProviderStore } from '../../identity/identity.api';
import { SettingsService, type User } from '../../user/user.api';

/** What the keys of directories may do: SCIM. */
const DIRECTORY_SCOPE = 'scim';

/** What a key may be. */
@Injectable()
export class ApiKeyRules {
  constructor(
    private readonly clock: Clock,
    private readonly settings: SettingsService,
    private readonly scopes: Scopes,
    private readonly providers: IdentityProviderStore,
  ) {}

  /**
   * A key opens nothing that its owner may not open. It is checked again with each request.
   *
   * @throws ValidationFailedError when only administrators may have one of the scopes.
   */
  assertScopes(owner: Pick<User, 'userType'>, scopes: readonly Scope[]): void {
    if (owner.userType !== 'admin' && scopes.some((scope) => this.scopes.administrative.includes(scope))) {
      throw ValidationFailedError.of('scopes', 'not_allowed');
    }
  }

  /** Only administrators make keys for directories. @throws ValidationFailedError */
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
   * The end of a key: the wanted one; where none is wanted, the latest that administrators allow.
   *
   * @param wanted ISO 8601; null: no end
   * @throws ValidationFailedError when it is over already, or later than administrators allow.
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

  /** How long a new key may live, in milliseconds; null: for ever. */
  async longestLife(): Promise<number | null> {
    const { api_key_max_days: days } = await this.settings.get();
    return days === null ? null : days * DAY_MILLISECONDS;
  }
}
