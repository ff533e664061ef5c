import { Injectable } from '@nestjs/common';
import { NotFoundError } from '../../common/errors/common.errors';
import { AppConfig } from '../../config/app.config';
import { SettingsService } from '../user/user.api';

/** The page on which users enter the code. */
export const DEVICE_PAGE = '/console/device';

/** Whether command-line programs can sign in: administrators can turn it off, and users need the console for it. */
@Injectable()
export class DeviceLogin {
  constructor(
    private readonly config: AppConfig,
    private readonly settings: SettingsService,
  ) {}

  /** @throws NotFoundError */
  async assertOn(): Promise<void> {
    const { device_login } = await this.settings.get();
    if (!this.config.CONSOLE_ENABLED || device_login === 'off') {
      throw new NotFoundError();
    }
  }
}
