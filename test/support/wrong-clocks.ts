import { DAY_MILLISECONDS } from '../../src/common/time';
import { Database } from '../../src/database/database';
import { ReplyOwnerEntity } from '../../src/modules/generation/cluster/reply-owner.entity';
import { SideRequestEntity } from '../../src/modules/usage/costs/side-request.entity';
import { createUser, type TestAccount } from './accounts';
import { AdminClient } from './admin-client';
import { allHolds, makeBudget } from './budgets';
import { modelEnvironment } from './chat-app';
import { ChatClient, uniqueContent } from './chat-client';
import { ServiceProcess } from './chat-process';
import { eventually } from './eventually';
import { describeWithFakeTime, wrongClock } from './fake-time';
import { call } from './http';
import { type ModelServer, startModelServer } from './model-server/model-server';
import { endOwnerLeases } from './owner-leases';
import { databaseEngine } from './servers/test-database';
import { startTestApp, type TestApp } from './test-app';
import { WebhookClient } from './webhook-client';
import { WebhookReceiver } from './webhook-receiver';

const HOUR_SECONDS = 3_600;

/** Tokens that one instance issues are also valid for the others, by their own clocks. */
const SETTINGS = { ACCESS_TOKEN_TTL: '86400', CONCURRENT_NORMAL: '10', TITLE_MODEL: 'titles' };

/** The prompt of a title request. */
const TITLES = 'Assistant: ';

/**
 * @param offsets of the clock of an instance that runs alone (SQLite), or is killed next to others (servers), such as
 * `+1h`
 */
export function describeWrongClocks(offsets: readonly string[]): void {
  if (databaseEngine() === 'sqlite') {
    describeAlone(offsets);
  } else {
    describeBesideOthers(offsets);
  }
}

function describeAlone(offsets: readonly string[]): void {
  describeWithFakeTime('an instance with a wrong clock, alone with its file', () => {
    it.each(offsets)('works like any other at %s', async (offset) => {
      const model = await startModelServer();
      const app = await startTestApp({ ...modelEnvironment(model), ...SETTINGS });
      const { token } = await createUser(app);
      await app.app.close();
      const service = await ServiceProcess.start({ ...app.environment, ...wrongClock(offset) });
      const client = new ChatClient(service.url, token);
      const answer = await client.send((await client.createChat()).id, uniqueContent());
      expect(answer.status).toBe(200);
      await service.end('SIGTERM');
      await app.mails.stop();
      await model.close();
    });
  });
}

function describeBesideOthers(offsets: readonly string[]): void {
  describeWithFakeTime('an instance next to others whose clocks are an hour wrong', () => {
    let model: ModelServer;
    let app: TestApp;
    let account: TestAccount;
    let here: ChatClient;
    let fast: ServiceProcess;
    let slow: ServiceProcess;

    beforeAll(async () => {
      model = await startModelServer();
      app = await startTestApp({ ...modelEnvironment(model), ...SETTINGS });
      await limitSpending(app);
      account = await createUser(app);
      here = new ChatClient(app.url, account.token);
      [fast, slow] = await Promise.all([start('+1h'), start('-1h')]);
    });

    afterAll(async () => {
      await Promise.all([fast, slow].map((one) => one.end('SIGKILL')));
      await app.close();
      await model.close();
    });

    const start = (offset: string) => ServiceProcess.start({ ...app.environment, ...wrongClock(offset) });
    const skewOf = async ({ url }: ServiceProcess) => {
      const { text } = await call(new URL('/metrics', url).href);
      return Number(/^database_clock_skew_seconds (.*)$/m.exec(text)?.[1]);
    };
    const signs = async () => {
      const owners = await app.app.get(Database).repository(ReplyOwnerEntity).find();
      return owners.map(({ id, seenAt }) => `${id} ${seenAt.toISOString()}`);
    };
    /** All instances renew their leases several times, and after each they look for expired ones. */
    const looks = async () => {
      for (let round = 0; round < 3; round++) {
        const before = await signs();
        await eventually(async () => !(await signs()).some((sign) => before.includes(sign)));
      }
    };
    const begin = async (client: ChatClient) => {
      const content = uniqueContent();
      await model.script({ key: content, steps: [{ text: 'Hello ' }, { hold: content }, { text: 'you' }] });
      const chat = await client.createChat();
      const stream = await client.stream(chat.id, content);
      await stream.until('Hello ');
      return { content, stream, chat };
    };

    it('shows the clock error of the others', async () => {
      expect(Math.abs((await skewOf(fast)) - HOUR_SECONDS)).toBeLessThan(5);
      expect(Math.abs((await skewOf(slow)) + HOUR_SECONDS)).toBeLessThan(5);
    });

    it('continues its replies, and so do they', async () => {
      const replies = await Promise.all(
        [app.url, fast.url, slow.url].map((url) => begin(new ChatClient(url, account.token))),
      );
      await looks();
      for (const { content, stream } of replies) {
        await model.release(content);
        const { text, trailer } = await stream.plain();
        expect([text, trailer.status]).toEqual(['Hello you', 'completed']);
      }
    });

    it('does not take over their work and questions, nor do they take over its own', async () => {
      await model.script({ key: TITLES, steps: [{ hold: TITLES }, { text: 'A fine title' }] });
      const asked = () => app.app.get(Database).repository(SideRequestEntity).count();
      const names = async () => (await allHolds(app)).map(({ name }) => name).toSorted();
      for (const url of [app.url, fast.url, slow.url]) {
        const client = new ChatClient(url, account.token);
        expect((await client.send((await client.createChat()).id, uniqueContent())).status).toBe(200);
      }
      await eventually(async () => (await asked()) === 3);
      const held = await names();
      expect(held).toEqual(['title', 'title', 'title']);
      await looks();
      expect([await asked(), await names()]).toEqual([3, held]);
      await model.release(TITLES);
      await eventually(async () => (await asked()) === 0 && (await names()).length === 0);
    });

    it('attempts webhook deliveries that they do not repeat, and vice versa', async () => {
      const receiver = await WebhookReceiver.start();
      const answers: (() => void)[] = [];
      receiver.answer = (_delivery, response) => void answers.push(() => response.end('ok'));
      const webhooks = new WebhookClient(app, account);
      const { id } = await webhooks.create(receiver.url('/slow'), { events: ['chat.created'] });
      const other = await WebhookReceiver.start();
      await webhooks.create(other.url('/quick'), { events: ['chat.updated'] });
      const clients = [app.url, fast.url, slow.url].map((url) => new ChatClient(url, account.token));
      const chats = await Promise.all(clients.map((client) => client.createChat()));
      await receiver.waitFor(3);
      // Each of them checks for due work, more than once.
      for (const title of ['one', 'two']) {
        for (const [index, url] of [app.url, fast.url, slow.url].entries()) {
          await call(`${url}/chat/${chats[index]?.id}`, { method: 'PUT', token: account.token, body: { title } });
        }
      }
      await other.waitFor(6);
      answers.splice(0).forEach((answer) => answer());
      await eventually(async () => {
        const deliveries = await webhooks.deliveries(id);
        return deliveries.length === 3 && deliveries.every(({ status }) => status === 'succeeded');
      });
      expect(receiver.received()).toHaveLength(3);
      await Promise.all([receiver.stop(), other.stop()]);
    });

    it.each(offsets)('ends the replies of an instance that is killed with its clock at %s', async (offset) => {
      const dying = await start(offset);
      const { stream, chat } = await begin(new ChatClient(dying.url, account.token));
      await dying.end('SIGKILL');
      await expect(stream.rest()).rejects.toThrow();
      await endOwnerLeases(app.environment.DATABASE_URL ?? '');
      await eventually(async () => (await here.read(chat.id)).messages[1]?.status === 'interrupted', 30);
    });
  });
}

/** Since yesterday, so that all of them hold what they need, whatever their current time. */
async function limitSpending(app: TestApp): Promise<void> {
  const admin = await AdminClient.of(app);
  const yesterday = new Date(Date.now() - DAY_MILLISECONDS).toISOString();
  for (const model of ['scripted', 'titles']) {
    await admin.post('/admin/prices', { model, input: '1', output: '2', valid_from: yesterday });
  }
  await makeBudget(admin, { scope: 'service', limit: '1000', starts_at: yesterday });
}
