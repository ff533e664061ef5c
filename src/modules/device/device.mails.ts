import { join } from 'node:path';
import { defineMail } from '../../integrations/mail/mail-definition';

/** Notifies the user of an approved command-line program. */
export const DEVICE_APPROVED = defineMail('device_approved', {
  template: join(__dirname, 'mails/device-approved.hbs'),
  example: {
    program: 'chat-service-client',
    device: 'ada-laptop',
    address: '203.0.113.7',
    approvedAt: '2026-03-01T09:05:00.000Z',
  },
});
