import { join } from 'node:path';
import { defineMail } from '../../integrations/mail/mail-definition';

/** An identity was linked to the account. */
export const IDENTITY_LINKED = defineMail('identity_linked', {
  template: join(__dirname, 'mails/identity-changed.hbs'),
  example: { provider: 'Example Inc.', person: 'Ada Lovelace', changedAt: '2026-03-01T09:05:00.000Z' },
});

/** An identity was unlinked from the account. */
export const IDENTITY_UNLINKED = defineMail('identity_unlinked', {
  template: join(__dirname, 'mails/identity-changed.hbs'),
  example: { provider: 'Example Inc.', person: 'Ada Lovelace', changedAt: '2026-03-01T09:05:00.000Z' },
});
