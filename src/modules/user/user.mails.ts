import { join } from 'node:path';
import { defineMail } from '../../integrations/mail/mail-definition';

/** Notifies the user that the account is closed, and when its content will be erased. */
export const ACCOUNT_DELETED = defineMail('account_deleted', {
  template: join(__dirname, 'mails/account-deleted.hbs'),
  example: { eraseAt: '2026-03-08T00:00:00.000Z' },
});

/** Notifies the user that a closed account was restored. */
export const ACCOUNT_RESTORED = defineMail('account_restored', {
  template: join(__dirname, 'mails/account-restored.hbs'),
  example: {},
});
