import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
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
import { InstalledModule } from './packed-packages';
import { queryOnce } from './query-once';

const ES_MODULE = resolve(__dirname, '../fixtures/es-module');
const EXAMPLE = resolve(__dirname, '../../examples/tickets');
const ADMINISTRATOR = 'root@example.com';

interface Ticket {
  id: number;
  subject: string;
  status: string;
}

let installed: InstalledModule;

/** A module package that `create-chat-service` makes, with the packed service from npm. It needs the npm registry. */
describe('a module that comes as a package, with no edit in the service', () => {
  beforeAll(async () => {
    installed = await InstalledModule.create();
  }, 600_000);

  afterAll(() => installed.remove());

  it('is created like the example in the repository', async () => {
    const names = (await readdir(join(EXAMPLE, 'src'), { recursive: true })).filter((name) => /\.\w+$/.test(name));
    expect(await readdir(join(installed.source, 'src/locales'))).toEqual(['en.json']);
    // The texts in other languages are for translators.
    await cp(join(EXAMPLE, 'src/locales'), join(installed.source, 'src/locales'), { recursive: true });
    expect(names.length).toBeGreaterThan(15);
    for (const name of names) {
      const created = name.replace('1800000000000', await migrationTime());
      const text = await readFile(join(installed.source, 'src', created), 'utf8');
      expect(text.replaceAll(await migrationTime(), '1800000000000')).toBe(
        await readFile(join(EXAMPLE, 'src', name), 'utf8'),
      );
    }
  });

  it('builds, and passes its own tests', async () => {
    expect(await installed.test()).toMatch(/pass 4\n.*fail 0/s);
    await installed.install();
  });

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
      import { TicketModule } from 'chat-service-tickets';
      const source = await (await commandLineDataSource([TicketModule])).initialize();
      await source.runMigrations();
      const missing = (await source.driver.createSchemaBuilder().log()).upQueries.length;
      console.log(missing, (await source.query('SELECT COUNT(*) AS tickets FROM tickets'))[0].tickets);
      await source.destroy();
    `);
    expect(output.trim().split('\n').at(-1)).toBe('0 0');
  });

  it('may be an ES module', async () => {
    await cp(ES_MODULE, join(installed.source, 'node_modules/chat-service-notes'), { recursive: true });
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
      expect(run.output()).toContain(
        'NotesModule does not name the event note.torn. Add noteTorn of notes.events to events of its @Feature.',
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

/** The time in the name of the created migration. */
async function migrationTime(): Promise<string> {
  const [file = ''] = await readdir(join(installed.source, 'src/migrations'));
  return file.slice(0, 13);
}

function behaviour(createDatabase: () => Promise<TestDatabase>): void {
  let database: TestDatabase;
  let mails: SmtpTestServer;
  let receiver: WebhookReceiver;
  let folder: string;
  let service: ServiceRun;
  let url: string;
  let earlier: { token: string; id: number };

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
      TICKETS_OPEN_MAX: '2',
    };
    const bare = join(installed.folder, 'bare.mjs');
    await writeFile(bare, "import { startService } from 'chat-service';\nawait startService();\n");
    await start(environment, bare);
    earlier = await register();
    await call(`${url}/chat`, { token: earlier.token, body: { title: 'Before the tickets' } });
    service.signal('SIGTERM');
    await service.ended;
    await start(environment, join(installed.folder, 'server.mjs'));
  });

  async function start(environment: Record<string, string>, program: string): Promise<void> {
    service = new ServiceRun(folder, environment, program);
    await service.untilOutput('The service listens.');
    url = `${service.origin()}/api/v1`;
  }

  afterAll(async () => {
    await service.kill();
    await receiver.stop();
    await mails.stop();
    await database.drop();
    await rm(folder, { recursive: true });
  });

  const create = (token: string, subject: string, lang = 'en') =>
    call<{ data: Ticket; message: string }>(`${url}/tickets`, { token, body: { subject, lang } });

  const close = (token: string, id: number) =>
    call<{ data: Ticket }>(`${url}/tickets/${id}/close`, { method: 'POST', token });

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

  it('is added to a service that has data', async () => {
    const { token } = earlier;
    const chats = await call<{ title: string }[]>(`${url}/chat`, { token });
    expect(chats.body.map(({ title }) => title)).toEqual(['Before the tickets']);
    expect((await create(token, 'The first one.')).status).toBe(201);
  });

  it('adds tools, which administrators see and test', async () => {
    const token = await logIn(ADMINISTRATOR);
    const { id } = (await create(token, 'Try me.')).body.data;
    const tools = `${url}/admin/tools`;
    const listed = await call<{ data: { items: { name: string; source: string }[] } }>(tools, { token });
    const own = listed.body.data.items.filter(({ source }) => source === 'ticket');
    expect(own.map(({ name }) => name)).toEqual(['close_ticket', 'list_tickets']);
    const body = { arguments: { limit: 1 } };
    const tried = await call<{ data: { content: string } }>(`${tools}/list_tickets/test`, { token, body });
    expect(JSON.parse(tried.body.data.content)).toEqual([{ id, subject: 'Try me.', status: 'open' }]);
    const withEffect = await call(`${tools}/close_ticket/test`, { token, body: { arguments: { id } } });
    expect(withEffect.status).toBe(422);
    const wrong = await call(`${tools}/close_ticket/test`, { token, body: { arguments: { id: '1' }, dry: true } });
    expect(wrong.status).toBe(422);
    await close(token, id);
  });

  it('answers, refuses and validates in the language of the caller', async () => {
    const { token } = await register();
    const created = await create(token, 'Grüße', 'de');
    expect(created).toMatchObject({ status: 201, body: { message: 'Das Ticket ist erstellt.' } });
    expect(created.body.data).toMatchObject({ subject: 'Grüße', status: 'open' });
    await create(token, 'Second');
    expect(expectFailure(await create(token, 'Third'), 409, 'TOO_MANY_TICKETS').message).toBe(
      'You have too many open tickets. Close one first.',
    );
    expect(expectFailure(await create(token, 'Third', 'ja'), 409, 'TOO_MANY_TICKETS').message).toBe(
      '開いているチケットが多すぎます。先に一つ閉じてください。',
    );
    expect(expectFailure(await create(token, ''), 422, 'VALIDATION_ERROR').details).toMatchObject({
      errors: [{ field: 'subject', reason: 'too_short' }],
    });
    const document = await call<{ tags: object[]; paths: object }>(new URL('/openapi.json', url).href);
    expect(document.body.tags.at(-1)).toEqual({ name: 'Tickets', description: 'Requests for help.' });
    expect(document.body.paths).toHaveProperty(['/api/v1/tickets']);
  });

  it('has its own scope for API keys, and no other', async () => {
    const { token } = await register();
    const make = (scope: string) =>
      call<{ key: string }>(`${url}/user/api-keys`, { token, body: { name: 'A program', scopes: [scope] } });
    const { key } = (await make('tickets')).body;
    expect((await create(key, 'By a program.')).status).toBe(201);
    const other = (await make('chat:read')).body.key;
    expect(expectFailure(await create(other, 'No.'), 403, 'SCOPE_REQUIRED').details).toEqual({ scope: 'tickets' });
    expect(expectFailure(await make('ticket'), 422, 'VALIDATION_ERROR').details).toMatchObject({
      errors: [{ field: 'scopes', reason: 'not_allowed' }],
    });
  });

  it('adds its events to the catalogue, and delivers them to a webhook', async () => {
    const { token } = await register();
    const catalogue = await call<{ data: { items: { type: string; schema: object }[] } }>(`${url}/webhooks/events`, {
      token,
    });
    expect(catalogue.body.data.items.slice(-2)).toMatchObject([
      { type: 'ticket.created', schema: { properties: { data: { required: ['ticket_id', 'subject'] } } } },
      { type: 'ticket.closed', schema: { properties: { data: { required: ['ticket_id'] } } } },
    ]);
    const body = { url: receiver.url('/own'), events: ['ticket.*'] };
    expect((await call(`${url}/webhooks`, { token, body })).status).toBe(201);
    const { id } = (await create(token, 'The printer is on fire.')).body.data;
    const [delivery] = await receiver.waitFor(1, ({ path }) => path === '/own');
    expect(delivery?.body).toMatchObject({
      type: 'ticket.created',
      data: { ticket_id: id, subject: 'The printer is on fire.' },
    });
  });

  it('sends its mail in the language of the recipient', async () => {
    const { token, email } = await register();
    await close(token, (await create(token, 'A & B')).body.data.id);
    const mail = await mails.waitForMail(email);
    expect(mail.subject).toBe('Your ticket is closed');
    expect(mail.text).toContain('Your ticket is closed: A & B');
  });

  it("records administrators' actions in the audit log, before and after the change", async () => {
    const token = await logIn(ADMINISTRATOR);
    const { id } = (await create(token, 'The printer.')).body.data;
    expect((await close(token, id)).status).toBe(200);
    const logs = await call<{ data: { items: object[] } }>(`${url}/admin/audit_logs?target=ticket:${id}`, { token });
    const state = { subject: 'The printer.', status: 'open' };
    expect(logs.body.data.items).toMatchObject([
      { action: 'ticket.close', before: { status: 'open' }, after: { status: 'closed' } },
      { action: 'ticket.create', before: null, after: state },
    ]);
  });

  it('exports its data of a user, and erases it with the account, including pending events', async () => {
    const administrator = await logIn(ADMINISTRATOR);
    receiver.answer = (_delivery, response) => void response.writeHead(500).end();
    const body = { url: receiver.url('/all'), events: ['ticket.created'], scope: 'all' };
    expect((await call(`${url}/webhooks`, { token: administrator, body })).status).toBe(201);
    const { token, id } = await register();
    const { data } = (await create(token, 'About my illness.')).body;
    const exported = await call<{ tickets: object[] }>(`${url}/user/export`, { token });
    expect(exported.body.tickets).toEqual([data]);
    await receiver.waitFor(1, ({ path }) => path === '/all');
    const closing = { method: 'DELETE', token, body: { password: PASSWORD } };
    expect((await call(`${url}/user/account`, closing)).status).toBe(200);
    const rows = (sql: string) => queryOnce(database.url, sql);
    await eventually(async () => (await rows(`SELECT id FROM tickets WHERE user_id = ${id}`)).length === 0);
    // The event about the closed account is still delivered.
    const kept = `SELECT id FROM webhook_events WHERE user_id = ${id} AND type <> 'user.deleted'`;
    await eventually(async () => (await rows(kept)).length === 0);
  });
}
