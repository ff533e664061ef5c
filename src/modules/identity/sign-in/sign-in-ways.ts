import { Injectable } from '@nestjs/common';
import { SettingsService } from '../../user/user.api';
import { IdentityProviderStore } from '../providers/identity-provider.store';
import type { SignInProvidersDto } from './sign-in.dto';

/** Which ways to sign in a page offers. */
@Injectable()
export class SignInWays {
  constructor(
    private readonly settings: SettingsService,
    private readonly providers: IdentityProviderStore,
  ) {}

  async describe(): Promise<SignInProvidersDto> {
    const settings = (await this.settings.get()) as { password_login?: SignInProvidersDto['password_login'] };
    const active = (await this.providers.all()).filter(({ isActive }) => isActive);
    return {
      password_login: settings.password_login ?? 'everyone',
      providers: active.map(({ slug, name }) => ({ slug, name })),
    };
  }
}
