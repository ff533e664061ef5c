import { join } from 'node:path';
import { defineMail } from '../../integrations/mail/mail-definition';

/** Notice that the account is closed, and when its content goes. */
export const ACCOUNT_DELETED = defineMail('account_deleted', {
  template: join(__dirname, 'mails/account-deleted.hbs'),
  example: { eraseAt: '2026-03-08T00:00:00.000Z' },
});

/** Notice that a closed account is open again. */
export const ACCOUNT_RESTORED = defineMail('account_restored', {
  template: join(__dirname, 'mails/account-restored.hbs'),
  example: {},
});
