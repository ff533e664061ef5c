import { join } from 'node:path';
import { defineMail } from '../../integrations/mail/mail-definition';

/** Deliveries to an endpoint failed for too long, or the endpoint responded with 410. */
export const ENDPOINT_DISABLED = defineMail('webhook_disabled', {
  template: join(__dirname, 'mails/webhook-disabled.hbs'),
  example: { url: 'https://example.com/hook?a=1&b=2', disabledAt: '2026-03-01T09:05:00.000Z' },
});
