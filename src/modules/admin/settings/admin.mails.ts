import { join } from 'node:path';
import { defineMail } from '../../../integrations/mail/mail-definition';

/** Sent when an administrator tests the mail settings. */
export const EMAIL_TEST = defineMail('email_test', {
  template: join(__dirname, '../mails/email-test.hbs'),
  example: { requestedAt: '2026-03-01T09:05:00.000Z' },
});
