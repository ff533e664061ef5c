import { resolve } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Clock } from '../../src/common/clock';
import type { Database } from '../../src/database/database';
import type { AccountRetention } from '../../src/modules/user/personal-data/account.retention';
import { newcomer, PASSWORD } from '../support/accounts';
import { BuiltWithModule } from '../support/built-with-module';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { startMariadbServer } from '../support/servers/mariadb-server';
import { describeWithProgram } from '../support/servers/required-program';
import { type SmtpTestServer, startSmtpServer } from '../support/servers/smtp-server';
import type { TestDatabase } from '../support/servers/sql-server';
import { createTestDatabase } from '../support/servers/test-database';
import { WebhookReceiver } from '../support/webhook-receiver';

const FIXTURE = resolve(__dirname, '../fixtures/bookmarks');
const ADMINISTRATOR = 'root@example.com';
const DAY_MILLISECONDS = 86_400_000;

/** All that adding the module takes outside of its folder, its migration apart. */
const EDITS = [
  {
    file: 'src/app.module.ts',
    before: "import { ChatModule } from './modules/chat/chat.module';",
    insert: "import { BookmarkModule } from './modules/bookmark/bookmark.module';\n",
  },
  { file: 'src/app.module.ts', before: '        HomeModule,', insert: '        BookmarkModule,\n' },
  { file: '.dependency-cruiser.js', before: '  health: [],', insert: "  bookmark: ['user'],\n" },
];

interface Bookmark {
  id: number;
  message_id: number;
  note: string;
}

let built: BuiltWithModule;

describe('a module that the service does not know, added by its folder, a migration and a line', () => {
  beforeAll(async () => {
    built = await BuiltWithModule.build(FIXTURE, EDITS);
  }, 300_000);

  afterAll(() => built.remove());

  it('keeps the import rule', async () => {
    await built.program('dependency-cruiser/bin/dependency-cruise.mjs', 'src', '--config', '.dependency-cruiser.js');
  }, 120_000);

  describe('on SQLite', () => behaviour(createTestDatabase));

  describeWithProgram('mariadbd', 'on MariaDB', () =>
    behaviour(async () => {
      const server = await startMariadbServer();
      return { url: server.url, drop: () => server.stop() };
    }),
  );
});

function behaviour(createDatabase: () => Promise<TestDatabase>): void {
  let database: TestDatabase;
  let mails: SmtpTestServer;
  let receiver: WebhookReceiver;
  let app: NestExpressApplication;
  let url: string;
  let now = (): number => Date.now();

  beforeAll(async () => {
    [database, mails, receiver] = await Promise.all([createDatabase(), startSmtpServer(), WebhookReceiver.start()]);
    const started = await built.start({
      NODE_ENV: 'test',
      LOG_LEVEL: 'silent',
      DATABASE_URL: database.url,
      JWT_SECRET: 'kS8rTq1vZx4NwYb7UeHc2MdGf5JpLa9oRt3WiXu6',
      SMTP_URL: mails.url,
      MAIL_FROM: 'Chat <chat@service.test>',
      ADMIN_EMAIL: ADMINISTRATOR,
      ADMIN_PASSWORD: PASSWORD,
      WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
      BOOKMARKS_WORTH_A_MAIL: '2',
    });
    app = started.app;
    url = `${started.origin}/api/v1`;
    const provided = <Type>(path: string, name: string): Type =>
      app.get(built.load<Record<string, new () => Type>>(path)[name]!);
    await provided<Database>('database/database', 'Database').whenReady();
    provided<Clock>('common/clock', 'Clock').now = () => new Date(now());
  });

  afterAll(async () => {
    await app.close();
    await receiver.stop();
    await mails.stop();
    await database.drop();
  });

  const add = (token: string, message_id: number, note = 'The recipe.', lang = 'en') =>
    call<{ data: Bookmark; message: string }>(`${url}/bookmarks`, { token, body: { message_id, note, lang } });

  const logIn = async (email: string): Promise<string> =>
    (await call<{ access_token: string }>(`${url}/auth/login`, { body: { email, password: PASSWORD } })).body
      .access_token;

  async function register(): Promise<{ token: string; email: string; id: number }> {
    const { email, username, password } = newcomer();
    await call(`${url}/auth/send_code`, { body: { email, purpose: 'register' } });
    const mail = await mails.waitForMail(email);
    const code = /\b\d{6}\b/.exec(mail.text ?? '')?.[0];
    const answer = await call<{ access_token: string }>(`${url}/auth/register`, {
      body: { email, username, password, code },
    });
    expect(answer.status).toBe(200);
    const token = answer.body.access_token;
    const { id } = (await call<{ id: number }>(`${url}/user/profile`, { token })).body;
    return { token, email, id };
  }

  it('answers, refuses and validates in the language of the caller', async () => {
    const { token } = await register();
    const added = await add(token, 7, 'Grüße', 'de');
    expect(added).toMatchObject({ status: 200, body: { message: 'Die Nachricht ist markiert.' } });
    expect(added.body.data).toMatchObject({ message_id: 7, note: 'Grüße' });
    expect(expectFailure(await add(token, 7), 409, 'ALREADY_BOOKMARKED').message).toBe(
      'You have marked this message already.',
    );
    expect(expectFailure(await add(token, 7, '', 'ja'), 409, 'ALREADY_BOOKMARKED').message).toBe(
      'このメッセージはすでにブックマークされています。',
    );
    expect(expectFailure(await add(token, 0, ''), 422, 'VALIDATION_ERROR').details).toMatchObject({
      errors: [{ field: 'message_id', reason: 'too_small' }],
    });
    const document = await call<{ tags: object[]; paths: object }>(new URL('/openapi.json', url).href);
    expect(document.body.tags.at(-1)).toEqual({ name: 'Bookmarks', description: 'Messages that a user marked.' });
    expect(document.body.paths).toHaveProperty(['/api/v1/bookmarks']);
  });

  it('has its event in the catalogue, and delivers it to a webhook', async () => {
    const { token } = await register();
    const catalogue = await call<{ data: { items: { type: string; schema: object }[] } }>(`${url}/webhooks/events`, {
      token,
    });
    expect(catalogue.body.data.items.at(-1)).toMatchObject({
      type: 'bookmark.created',
      schema: { properties: { data: { required: ['bookmark_id', 'message_id', 'note'] } } },
    });
    const body = { url: receiver.url('/own'), events: ['bookmark.*'] };
    expect((await call(`${url}/webhooks`, { token, body })).status).toBe(201);
    const { data } = (await add(token, 8)).body;
    const [delivery] = await receiver.waitFor(1, ({ path }) => path === '/own');
    expect(delivery?.body).toMatchObject({
      type: 'bookmark.created',
      data: { bookmark_id: data.id, message_id: 8, note: 'The recipe.' },
    });
  });

  it('sends its mail in the language of its reader', async () => {
    const { token, email } = await register();
    await add(token, 1);
    await add(token, 2);
    const mail = await mails.waitForMail(email);
    expect(mail.subject).toBe('Many bookmarks');
    expect(mail.text).toContain('You have 2 bookmarks by now.');
  });

  it('has what an administrator does in the audit log, as it was and as it became', async () => {
    const token = await logIn(ADMINISTRATOR);
    const { id } = (await add(token, 9)).body.data;
    expect((await call(`${url}/bookmarks/${id}`, { method: 'DELETE', token })).status).toBe(200);
    const logs = await call<{ data: { items: object[] } }>(`${url}/admin/audit_logs?target=bookmark:${id}`, { token });
    const state = { message_id: 9, note: 'The recipe.' };
    expect(logs.body.data.items).toMatchObject([
      { action: 'bookmark.delete', before: state, after: null },
      { action: 'bookmark.create', before: null, after: state },
    ]);
  });

  it('exports what it keeps of a user, and erases it with the account, its waiting events too', async () => {
    const administrator = await logIn(ADMINISTRATOR);
    receiver.answer = (_delivery, response) => void response.writeHead(500).end();
    const body = { url: receiver.url('/all'), events: ['bookmark.created'], scope: 'all' };
    expect((await call(`${url}/webhooks`, { token: administrator, body })).status).toBe(201);
    const { token, id } = await register();
    const { data } = (await add(token, 10, 'About my illness.')).body;
    const exported = await call<{ bookmarks: object[] }>(`${url}/user/export`, { token });
    expect(exported.body.bookmarks).toEqual([data]);
    await receiver.waitFor(1, ({ path }) => path === '/all');
    const closing = { method: 'DELETE', token, body: { password: PASSWORD } };
    expect((await call(`${url}/user/account`, closing)).status).toBe(200);
    const later = Date.now() + 8 * DAY_MILLISECONDS;
    now = () => later;
    const { AccountRetention: Retention } = built.load<{ AccountRetention: typeof AccountRetention }>(
      'modules/user/personal-data/account.retention',
    );
    const { Database: Store } = built.load<{ Database: typeof Database }>('database/database');
    const rows = (sql: string) => app.get<Database>(Store).manager.query<Record<string, string>[]>(sql);
    await eventually(async () => {
      await app.get<AccountRetention>(Retention).eraseDue();
      return (await rows(`SELECT id FROM bookmarks WHERE user_id = ${id}`)).length === 0;
    });
    const types = (await rows(`SELECT type FROM webhook_events WHERE user_id = ${id}`)).map(({ type }) => type);
    expect(types.filter((type) => type !== 'user.deleted')).toEqual([]);
  });
}
