import { Injectable } from '@nestjs/common';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { RegistrationDisabledError } from '../account/user.errors';
import { SettingsService } from './settings.service';

/** Decides whether an address may register now. */
@Injectable()
export class RegistrationPolicy {
  constructor(private readonly settings: SettingsService) {}

  /**
   * Depends only on the settings and the domain of the address, so that the response reveals nothing about accounts.
   *
   * @throws RegistrationDisabledError while registration is switched off
   * @throws ValidationFailedError when the domain of the address is not allowed
   */
  async assertMayRegister(email: string): Promise<void> {
    const { registration_enabled, allowed_email_domains } = await this.settings.get();
    if (!registration_enabled) {
      throw new RegistrationDisabledError();
    }
    const domain = email.slice(email.lastIndexOf('@') + 1);
    if (allowed_email_domains.length > 0 && !allowed_email_domains.includes(domain)) {
      throw ValidationFailedError.of('email', 'not_allowed');
    }
  }
}
