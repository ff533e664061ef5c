import { join } from 'node:path';
import { defineMail } from '../../integrations/mail/mail-definition';

/** Tells the former address that the directory of a company gave the account another one. */
export const ADDRESS_CHANGED = defineMail('address_changed', {
  template: join(__dirname, 'mails/address-changed.hbs'),
  example: { provider: 'Example Inc.', changedAt: '2026-03-01T09:05:00.000Z' },
});
