import { Injectable, Logger } from '@nestjs/common';
import { normalForm } from '../../../common/validation/normal-form';
import { Database } from '../../../database/database';
import { normalizeEmail } from '../account/email-address';
import { EmailAlreadyRegisteredError, UsernameTakenError } from '../account/user.errors';
import { PasswordService } from '../passwords/password.service';
import { FirstAdministratorConfig } from './first-administrator.config';
import { UserService } from './user.service';

/** This name is reserved and cannot be registered, so it is always free here. */
const USERNAME = 'admin';

/** Creates the first administrator of a new installation at startup. */
@Injectable()
export class FirstAdministrator {
  private readonly logger = new Logger(FirstAdministrator.name);

  constructor(
    private readonly config: FirstAdministratorConfig,
    private readonly database: Database,
    private readonly users: UserService,
    private readonly passwords: PasswordService,
  ) {
    database.onReady(() => this.ensure());
  }

  private async ensure(): Promise<void> {
    const { ADMIN_EMAIL, ADMIN_PASSWORD } = this.config;
    if (ADMIN_EMAIL === null || ADMIN_PASSWORD === null || (await this.users.hasAdministrator())) {
      return;
    }
    const email = normalizeEmail(ADMIN_EMAIL);
    const known = await this.users.findByEmail(email);
    if (known) {
      await this.database.write((manager) =>
        this.users.update(manager, known.id, { userType: 'admin' }, ['user_type']),
      );
      this.logger.log(
        { userId: known.id },
        'The account of ADMIN_EMAIL is administrator now. Its password stays as it was.',
      );
      return;
    }
    await this.create(email, normalForm(ADMIN_PASSWORD));
  }

  private async create(email: string, password: string): Promise<void> {
    const passwordHash = await this.passwords.hash(password);
    try {
      const { id } = await this.database.write((manager) =>
        this.users.create(manager, { username: USERNAME, email, passwordHash, userType: 'admin' }),
      );
      this.logger.log({ userId: id }, 'The first administrator was created.');
    } catch (error) {
      // Another instance may have created it at the same moment.
      const isMade = error instanceof EmailAlreadyRegisteredError || error instanceof UsernameTakenError;
      if (!isMade || !(await this.users.hasAdministrator())) {
        throw error;
      }
    }
  }
}
