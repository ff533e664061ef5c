import { ValidateIf } from 'class-validator';
import { normalForm } from '../../../common/validation/normal-form';
import { Rule } from '../../../config/environment-rules';
import { isPlainEmail, normalizeEmail } from '../account/email-address';
import { usernameKey } from '../account/username';
import { isCommonPassword, LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../passwords/password-rules';

/** The administrator that the service creates at startup if there is none. */
export class FirstAdministratorConfig {
  @Rule<FirstAdministratorConfig>(
    ({ ADMIN_EMAIL, ADMIN_PASSWORD }) => (ADMIN_EMAIL === null) === (ADMIN_PASSWORD === null),
    'ADMIN_EMAIL and ADMIN_PASSWORD must be given both or neither',
  )
  @Rule<FirstAdministratorConfig>(
    ({ ADMIN_EMAIL }) => ADMIN_EMAIL === null || isPlainEmail(normalizeEmail(ADMIN_EMAIL)),
    'ADMIN_EMAIL must be an e-mail address',
  )
  ADMIN_EMAIL: string | null = null;

  @ValidateIf((config: FirstAdministratorConfig) => config.ADMIN_PASSWORD !== null)
  @Rule<FirstAdministratorConfig>(
    ({ ADMIN_PASSWORD }) => ADMIN_PASSWORD !== null && isUsable(normalForm(ADMIN_PASSWORD)),
    `ADMIN_PASSWORD must have ${SHORTEST_PASSWORD} to ${LONGEST_PASSWORD} characters and not be a common one`,
  )
  @Rule<FirstAdministratorConfig>(
    ({ ADMIN_EMAIL, ADMIN_PASSWORD }) =>
      ADMIN_EMAIL === null || usernameKey(ADMIN_PASSWORD ?? '') !== usernameKey(normalizeEmail(ADMIN_EMAIL)),
    'ADMIN_PASSWORD must not be ADMIN_EMAIL',
  )
  ADMIN_PASSWORD: string | null = null;
}

function isUsable(password: string): boolean {
  const { length } = [...password];
  return length >= SHORTEST_PASSWORD && length <= LONGEST_PASSWORD && !isCommonPassword(password);
}
