import { join } from 'node:path';
import { defineMail } from '../../integrations/mail/mail-definition';

/** Notifies the former address that a company's directory changed the address of the account. */
export const ADDRESS_CHANGED = defineMail('address_changed', {
  template: join(__dirname, 'mails/address-changed.hbs'),
  example: { provider: 'Example Inc.', changedAt: '2026-03-01T09:05:00.000Z' },
});
