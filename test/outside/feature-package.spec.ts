import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { newcomer, PASSWORD } from '../support/accounts';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { startMariadbServer } from '../support/servers/mariadb-server';
import { describeWithProgram } from '../support/servers/required-program';
import { type SmtpTestServer, startSmtpServer } from '../support/servers/smtp-server';
import type { TestDatabase } from '../support/servers/sql-server';
import { createTestDatabase } from '../support/servers/test-database';
import { ServiceRun } from '../support/service-run';
import { WebhookReceiver } from '../support/webhook-receiver';
import { InstalledService } from './installed-service';
import { queryOnce } from './query-once';

const FIXTURE = resolve(__dirname, '../fixtures/bookmarks');
const ES_MODULE = resolve(__dirname, '../fixtures/es-module');
const ADMINISTRATOR = 'root@example.com';

interface Bookmark {
  id: number;
  message_id: number;
  note: string;
}

let installed: InstalledService;

describe('a feature that comes as a package, with no edit in the service', () => {
  beforeAll(async () => {
    installed = await InstalledService.install(FIXTURE);
  }, 300_000);

  afterAll(() => installed.remove());

  /** Starts a program instead of the example's, and returns its output when it exits. */
  async function saidBy(program: string): Promise<{ code: number | null; output: string }> {
    const file = join(installed.folder, 'other.mjs');
    await writeFile(file, program);
    const run = new ServiceRun(installed.folder, { NODE_ENV: 'test', DATABASE_URL: 'sqlite:other.sqlite' }, file);
    return { code: await run.ended, output: run.output() };
  }

  it('does not start with names that the service already uses, and explains what to do', async () => {
    const { code, output } = await saidBy(`
      import { endWithReason, Feature, startService } from 'chat-service';
      import { defineEvent } from 'chat-service/common/events/event-definition';
      class FaxModule {}
      Feature({ events: [defineEvent('chat.created', { description: 'Again.', fields: {}, example: {} })] })(FaxModule);
      await startService({ features: [FaxModule] }).catch(endWithReason);
    `);
    expect({ code, output }).toEqual({
      code: 1,
      output: 'FaxModule defines the event chat.created, which ChatModule defines already. Rename it.\n',
    });
  });

  it('is known to the TypeORM commands', async () => {
    const { output } = await saidBy(`
      import { commandLineDataSource } from 'chat-service/database';
      import { BookmarkModule } from 'chat-service-bookmarks';
      const source = await (await commandLineDataSource([BookmarkModule])).initialize();
      await source.runMigrations();
      const missing = (await source.driver.createSchemaBuilder().log()).upQueries.length;
      console.log(missing, (await source.query('SELECT COUNT(*) AS bookmarks FROM bookmarks'))[0].bookmarks);
      await source.destroy();
    `);
    expect(output.trim().split('\n').at(-1)).toBe('0 0');
  });

  it('may be an ES module', async () => {
    await cp(ES_MODULE, join(installed.folder, 'node_modules/chat-service-notes'), { recursive: true });
    const program = join(installed.folder, 'notes.mjs');
    await writeFile(
      program,
      `import { endWithReason, Feature, startService } from 'chat-service';
       const { NotesModule } = await import('chat-service-notes');
       class OwnModule {}
       Feature({})(OwnModule);
       await startService({ features: [NotesModule, OwnModule] }).catch(endWithReason);`,
    );
    const run = new ServiceRun(installed.folder, { NODE_ENV: 'test', DATABASE_URL: 'sqlite:notes.sqlite' }, program);
    try {
      await run.untilOutput('The service listens.');
      const answer = await call(`${run.origin()}/api/v1/notes/torn`);
      expect(expectFailure(answer, 409, 'NOTE_TORN').message).toBe('The note is torn. Write another one.');
      const file = join(installed.folder, 'node_modules/chat-service-notes/notes.module.mjs');
      expect(run.output()).toMatch(
        new RegExp(`NotesModule does not name the event note\\.torn\\. Add noteTorn of .* to events in ${file}\\.`),
      );
    } finally {
      await run.kill();
    }
  });

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
  let folder: string;
  let service: ServiceRun;
  let url: string;

  beforeAll(async () => {
    [database, mails, receiver] = await Promise.all([createDatabase(), startSmtpServer(), WebhookReceiver.start()]);
    folder = await mkdtemp(join(tmpdir(), 'feature-'));
    const environment = {
      NODE_ENV: 'test',
      DATABASE_URL: database.url,
      JWT_SECRET: 'kS8rTq1vZx4NwYb7UeHc2MdGf5JpLa9oRt3WiXu6',
      SMTP_URL: mails.url,
      MAIL_FROM: 'Chat <chat@service.test>',
      ADMIN_EMAIL: ADMINISTRATOR,
      ADMIN_PASSWORD: PASSWORD,
      WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
      ACCOUNT_ERASE_DAYS: '0',
      BOOKMARKS_WORTH_A_MAIL: '2',
    };
    service = new ServiceRun(folder, environment, join(installed.folder, 'server.mjs'));
    await service.untilOutput('The service listens.');
    url = `${service.origin()}/api/v1`;
  });

  afterAll(async () => {
    await service.kill();
    await receiver.stop();
    await mails.stop();
    await database.drop();
    await rm(folder, { recursive: true });
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

  it('adds tools, which administrators see and test', async () => {
    const token = await logIn(ADMINISTRATOR);
    await add(token, 31, 'Try me.');
    const tools = `${url}/admin/tools`;
    const listed = await call<{ data: { items: { name: string; source: string }[] } }>(tools, { token });
    const own = listed.body.data.items.filter(({ source }) => source === 'bookmark');
    expect(own.map(({ name }) => name)).toEqual(['list_bookmarks', 'remove_bookmark']);
    const body = { arguments: { limit: 1 } };
    const tried = await call<{ data: { content: string } }>(`${tools}/list_bookmarks/test`, { token, body });
    expect(JSON.parse(tried.body.data.content)).toMatchObject([{ message_id: 31, note: 'Try me.' }]);
    const withEffect = await call(`${tools}/remove_bookmark/test`, { token, body: { arguments: { id: 1 } } });
    expect(withEffect.status).toBe(422);
    const wrong = await call(`${tools}/remove_bookmark/test`, { token, body: { arguments: { id: '1' }, dry: true } });
    expect(wrong.status).toBe(422);
  });

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

  it('has its own scope for API keys, and no other', async () => {
    const { token } = await register();
    const make = (scope: string) =>
      call<{ key: string }>(`${url}/user/api-keys`, { token, body: { name: 'A program', scopes: [scope] } });
    const { key } = (await make('bookmarks')).body;
    expect((await add(key, 7)).status).toBe(200);
    const other = (await make('chat:read')).body.key;
    expect(expectFailure(await add(other, 8), 403, 'SCOPE_REQUIRED').details).toEqual({ scope: 'bookmarks' });
    expect(expectFailure(await make('bookmark'), 422, 'VALIDATION_ERROR').details).toMatchObject({
      errors: [{ field: 'scopes', reason: 'not_allowed' }],
    });
  });

  it('adds its event to the catalogue, and delivers it to a webhook', async () => {
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

  it('sends its mail in the language of the recipient', async () => {
    const { token, email } = await register();
    await add(token, 1);
    await add(token, 2);
    const mail = await mails.waitForMail(email);
    expect(mail.subject).toBe('Many bookmarks');
    expect(mail.text).toContain('You have 2 bookmarks by now.');
  });

  it("records administrators' actions in the audit log, before and after the change", async () => {
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

  it('exports its data of a user, and erases it with the account, including pending events', async () => {
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
    const rows = (sql: string) => queryOnce(database.url, sql);
    await eventually(async () => (await rows(`SELECT id FROM bookmarks WHERE user_id = ${id}`)).length === 0);
    // The event about the closed account is still delivered.
    const kept = `SELECT id FROM webhook_events WHERE user_id = ${id} AND type <> 'user.deleted'`;
    await eventually(async () => (await rows(kept)).length === 0);
  });
}
