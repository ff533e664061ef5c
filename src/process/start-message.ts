import type { AddressInfo } from 'node:net';
import type { INestApplication } from '@nestjs/common';
import { describeBuild } from '../common/build-facts';
import { API_PREFIX } from '../common/http/api-prefix';
import { LoggingConfig } from '../common/logging/logging.config';
import { print } from '../common/logging/print';
import { AppConfig } from '../config/app.config';
import { MailConfig } from '../integrations/mail/mail.config';
import { AdministratorSetup } from '../modules/auth/setup/administrator-setup';

/** Prints what a person who has just started the service needs to know: a few lines, or one record of a JSON log. */
export async function announceStart(app: INestApplication): Promise<void> {
  // The start must not fail if the database became unavailable just now.
  const setup = await app
    .get(AdministratorSetup)
    .link()
    .catch(() => null);
  const server = app.getHttpServer() as { address(): AddressInfo | null };
  const address = server.address();
  // A signal stopped the service during the start.
  if (address === null) {
    return;
  }
  const facts = startFacts(app, address, setup);
  const lines = facts.map(({ name, text, hint = '' }) => {
    const indented = (text + (hint && `\n${hint}`)).replaceAll('\n', `\n${' '.repeat(11)}`);
    return `  ${name.padEnd(9)}${indented}\n`;
  });
  const members = facts.map(({ name, text }): [string, string] => [name.toLowerCase(), text.replaceAll('\n', ' ')]);
  print(app.get(LoggingConfig), lines.join(''), { ...Object.fromEntries(members), msg: 'The service listens.' });
}

/** A line for people, and a member of the JSON record. */
interface StartFact {
  name: string;
  /** An address, or a sentence. */
  text: string;
  /** What to do with it. The JSON record has only the text. */
  hint?: string;
}

/** Addresses that mean all interfaces. A browser cannot open them. */
const ALL_ADDRESSES = ['0.0.0.0', '::'];

/** @param setup the part after the console's address in the link that creates the first administrator */
function startFacts(app: INestApplication, { address, family, port }: AddressInfo, setup: string | null): StartFact[] {
  const config = app.get(AppConfig);
  const reachable = ALL_ADDRESSES.includes(address) ? 'localhost' : family === 'IPv6' ? `[${address}]` : address;
  const base = config.PUBLIC_URL?.replace(/\/+$/, '') ?? `http://${reachable}:${port}`;
  const facts: StartFact[] = [{ name: 'Version', text: describeBuild() }];
  if (config.CONSOLE_ENABLED) {
    facts.push({ name: 'Console', text: `${base}/console` });
    if (setup !== null) {
      const hint = 'makes the first administrator: open it in a browser';
      facts.push({ name: 'Setup', text: `${base}/console${setup}`, hint });
    }
  }
  facts.push({ name: 'API', text: `${base}/${API_PREFIX}` });
  if (config.DOCS_ENABLED) {
    facts.push({ name: 'Swagger', text: `${base}/docs` }, { name: 'ReDoc', text: `${base}/redoc` });
  }
  facts.push({ name: 'Health', text: `${base}/health` });
  if (app.get(MailConfig).SMTP_URL === null) {
    facts.push(
      { name: 'Mails', text: 'are printed to this log (set SMTP_URL to send them)' },
      {
        name: 'Account',
        text:
          `POST ${base}/${API_PREFIX}/auth/send_code {"email":"you@example.com","purpose":"register"},\n` +
          'take the code from this log, then POST …/auth/register with email, username, password and code',
      },
    );
  }
  return facts;
}
