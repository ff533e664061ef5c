import { Injectable } from '@nestjs/common';
import { SettingsService } from '../../user/user.api';
import { IdentityProviderStore } from '../providers/identity-provider.store';
import type { SignInProvidersDto } from './sign-in.dto';

/** Lists the ways to sign in that a page offers. */
@Injectable()
export class SignInWays {
  constructor(
    private readonly settings: SettingsService,
    private readonly providers: IdentityProviderStore,
  ) {}

  async describe(): Promise<SignInProvidersDto> {
    const { password_login } = await this.settings.get();
    const active = (await this.providers.all()).filter(({ isActive }) => isActive);
    return {
      password_login,
      providers: active.map(({ slug, name }) => ({ slug, name })),
    };
  }
}
