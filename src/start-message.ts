import type { AddressInfo } from 'node:net';
import type { INestApplication } from '@nestjs/common';
import { API_PREFIX } from './common/http/api-prefix';
import { LoggingConfig } from './common/logging/logging.config';
import { print } from './common/logging/print';
import { AppConfig } from './config/app.config';
import { MailConfig } from './integrations/mail/mail.config';

/** Prints what a person who has just started the service wants to know: a few lines, or one record of a JSON log. */
export function announceStart(app: INestApplication): void {
  const facts = startFacts(app);
  const lines = facts.map(([name, text]) => `  ${name.padEnd(9)}${text.replaceAll('\n', `\n${' '.repeat(11)}`)}\n`);
  const members = facts.map(([name, text]): [string, string] => [name.toLowerCase(), text.replaceAll('\n', ' ')]);
  print(app.get(LoggingConfig), lines.join(''), { ...Object.fromEntries(members), msg: 'The service listens.' });
}

function startFacts(app: INestApplication): [name: string, text: string][] {
  const config = app.get(AppConfig);
  const address = (app.getHttpServer() as { address(): AddressInfo }).address();
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  const base = config.PUBLIC_URL?.replace(/\/+$/, '') ?? `http://${host}:${address.port}`;
  const facts: [string, string][] = [['API', `${base}/${API_PREFIX}`]];
  if (config.DOCS_ENABLED) {
    facts.push(['Swagger', `${base}/docs`], ['ReDoc', `${base}/redoc`]);
  }
  facts.push(['Health', `${base}/health`]);
  if (app.get(MailConfig).SMTP_URL === null) {
    facts.push(
      ['Mails', 'are printed to this log (set SMTP_URL to send them)'],
      [
        'Account',
        `POST ${base}/${API_PREFIX}/auth/send_code {"email":"you@example.com","purpose":"register"},\n` +
          'take the code from this log, then POST …/auth/register with email, username, password and code',
      ],
    );
  }
  return facts;
}
