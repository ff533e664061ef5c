import { createUser } from '../support/accounts';
import { modelEnvironment } from '../support/chat-app';
import { ChatClient } from '../support/chat-client';
import { ServiceProcess } from '../support/chat-process';
import { type ModelServer, startModelServer } from '../support/model-server/model-server';
import { createMigratedDatabase } from '../support/servers/migrated-database';
import type { TestDatabase } from '../support/servers/sql-server';
import { startTestApp } from '../support/test-app';

const PEOPLE = 40;
const MESSAGES = 10;

describe('many users who write concurrently to the built service', () => {
  let database: TestDatabase;
  let model: ModelServer;
  let service: ServiceProcess;
  let people: ChatClient[];

  beforeAll(async () => {
    database = await createMigratedDatabase();
    model = await startModelServer();
    const app = await startTestApp({ DATABASE_URL: database.url, ...modelEnvironment(model) });
    const accounts = await Promise.all(Array.from({ length: PEOPLE }, () => createUser(app)));
    await app.app.close();
    service = await ServiceProcess.start({ ...app.environment, SHUTDOWN_GRACE_SECONDS: '1' });
    people = accounts.map(({ token }) => new ChatClient(service.url, token));
    await app.mails.stop();
  });

  afterAll(async () => {
    await service.end('SIGTERM');
    await model.close();
    await database.drop();
  });

  it('each get their own replies, complete, in order, and counted once', async () => {
    const begun = performance.now();
    await Promise.all(
      people.map(async (person, who) => {
        const { id } = await person.createChat({ title: `Chat ${who}` });
        for (let count = 0; count < MESSAGES; count++) {
          const { status, body } = await person.send(id, `person ${who} message ${count}`);
          expect({ status, roles: body.map(({ role }) => role) }).toEqual({
            status: 200,
            roles: ['user', 'assistant'],
          });
        }
        const { messages } = await person.read(id);
        expect(messages.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual(
          Array.from({ length: MESSAGES }, (_element, count) => `person ${who} message ${count}`),
        );
        expect((await person.request('/user/total-stats')).body).toMatchObject({
          total_messages: 2 * MESSAGES,
          total_chats: 1,
        });
      }),
    );
    const seconds = (performance.now() - begun) / 1000;
    process.stdout.write(`${PEOPLE * MESSAGES} replies in ${seconds.toFixed(1)} seconds\n`);
  });
});
