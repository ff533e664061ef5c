import type { AddressInfo } from 'node:net';
import type { INestApplication } from '@nestjs/common';
import { fake } from '../../test/support/fake';
import { LoggingConfig } from '../common/logging/logging.config';
import { AppConfig } from '../config/app.config';
import { type EnvironmentVariables, loadConfiguration } from '../config/load-configuration';
import { MailConfig } from '../integrations/mail/mail.config';
import { AdministratorSetup } from '../modules/auth/setup/administrator-setup';
import { announceStart } from './start-message';

const LOCAL: AddressInfo = { address: '127.0.0.1', family: 'IPv4', port: 3000 };

describe('the start message', () => {
  /** The printed message. @param link of the setup; a failure simulates a lost connection to the database */
  async function messageOf(
    environment: EnvironmentVariables,
    address: AddressInfo | null = LOCAL,
    link: () => Promise<string | null> = () => Promise.resolve(null),
  ): Promise<string> {
    const configuration = loadConfiguration([AppConfig, LoggingConfig, MailConfig], environment);
    const app = {
      get: (type: typeof AppConfig) => configuration.get(type) ?? (type === (AdministratorSetup as never) && { link }),
      getHttpServer: () => ({ address: () => address }),
    };
    const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    await announceStart(fake<INestApplication>(app));
    return write.mock.calls.map(([text]) => String(text)).join('');
  }

  it('lists all addresses of the service itself', async () => {
    const message = await messageOf({}, LOCAL, () => Promise.resolve('/setup#token=abc'));
    for (const line of [
      'Version  1.0.0',
      'Console  http://127.0.0.1:3000/console',
      'Setup    http://127.0.0.1:3000/console/setup#token=abc\n           makes the first administrator: open it in a browser',
      'API      http://127.0.0.1:3000/api/v1',
      'Swagger  http://127.0.0.1:3000/docs',
      'ReDoc    http://127.0.0.1:3000/redoc',
      'Health   http://127.0.0.1:3000/health',
    ]) {
      expect(message).toContain(`\n  ${line}\n`);
    }
    expect(message).toMatch(/^ {2}Mails .*\n {2}Account /m);
  });

  it.each<[string, AddressInfo, string]>([
    ['all addresses', { address: '0.0.0.0', family: 'IPv4', port: 80 }, 'http://localhost:80'],
    ['all addresses of IPv6', { address: '::', family: 'IPv6', port: 80 }, 'http://localhost:80'],
    ['one address of IPv6', { address: '::1', family: 'IPv6', port: 80 }, 'http://[::1]:80'],
  ])('lists a reachable address when it listens on %s', async (_what, address, origin) => {
    expect(await messageOf({}, address)).toContain(`  Console  ${origin}/console\n`);
  });

  it("lists the user's address, and nothing that is switched off or finished", async () => {
    const message = await messageOf(
      {
        PUBLIC_URL: 'https://chat.example.com/',
        CONSOLE_ENABLED: 'false',
        DOCS_ENABLED: 'false',
        SMTP_URL: 'smtp://127.0.0.1:25',
      },
      LOCAL,
      () => Promise.resolve('/setup'),
    );
    expect(message).toBe(
      '\n  Version  1.0.0\n  API      https://chat.example.com/api/v1\n  Health   https://chat.example.com/health\n\n',
    );
    expect(await messageOf({})).not.toContain('Setup ');
  });

  it('is one record when the log is JSON', async () => {
    const message = await messageOf({ LOG_FORMAT: 'json' }, LOCAL, () => Promise.resolve('/setup#token=abc'));
    expect(JSON.parse(message)).toMatchObject({
      level: 'info',
      msg: 'The service listens.',
      console: 'http://127.0.0.1:3000/console',
      setup: 'http://127.0.0.1:3000/console/setup#token=abc',
      api: 'http://127.0.0.1:3000/api/v1',
      health: expect.any(String),
      mails: expect.any(String),
      account: expect.any(String),
    });
  });

  it('is omitted if the service was asked to stop before', async () => {
    expect(await messageOf({}, null)).toBe('');
  });

  it('omits the setup if the connection to the database has just been lost', async () => {
    const message = await messageOf({}, LOCAL, () => Promise.reject(new Error('away')));
    expect(message).toContain('  Console  http://127.0.0.1:3000/console\n  API ');
  });
});
