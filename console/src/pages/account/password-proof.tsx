import { isApiError } from 'chat-service-client';
import type { JSX } from 'preact';
import { texts } from '../../app/i18n/languages';
import { user } from '../../app/visit';
import { EntryError } from '../../components/form/faults';

const t = texts('account');

/** Names the account, so that password managers fill in its password. */
export function PasswordManagerName(): JSX.Element {
  return <input type="text" name="name" autocomplete="username" value={user.value?.email ?? ''} hidden readOnly />;
}

/** Runs an action that needs the password. A wrong password is reported at its field. */
export async function withPassword<Answer>(field: string, action: () => Promise<Answer>): Promise<Answer> {
  try {
    return await action();
  } catch (error) {
    if (isApiError(error, 'INVALID_CREDENTIALS')) throw new EntryError(field, t('wrong_password'));
    throw error;
  }
}
