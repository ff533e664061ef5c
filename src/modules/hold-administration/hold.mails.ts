import { join } from 'node:path';
import { defineMail } from '../../integrations/mail/mail-definition';

/** A legal hold covers data of the user. */
export const HOLD_BEGAN = defineMail('hold_began', {
  template: join(__dirname, 'mails/hold-began.hbs'),
  example: { since: '2026-03-01T09:30:00.000Z' },
});

/** A legal hold on data of the user has ended. */
export const HOLD_ENDED = defineMail('hold_ended', {
  template: join(__dirname, 'mails/hold-ended.hbs'),
  example: { since: '2026-03-01T09:30:00.000Z' },
});
