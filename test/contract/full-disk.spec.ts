import { Database } from '../../src/database/database';
import { createUser } from '../support/accounts';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { SmallDisk } from '../support/small-disk';
import { startTestApp, type TestApp } from '../support/test-app';

const DISK_BYTES = 48 * 1_048_576;

/** Within this time readiness must show that no write succeeds, in seconds. */
const PROMISED_SECONDS = 10;

/** As long as a message may be: the log of SQLite overwrites itself, and short writes find room in it for a while. */
const LONG_TEXT = 'x'.repeat(31_000);

const describeWhereMounting = SmallDisk.isPossible() || process.env.CI ? describe : describe.skip;

describeWhereMounting('a disk that is full, with the database of SQLite on it [needs the right to mount]', () => {
  let disk: SmallDisk;
  let app: TestApp;

  beforeAll(async () => {
    disk = SmallDisk.make(DISK_BYTES);
    app = await startTestApp({ DATABASE_URL: `sqlite:${disk.folder}/app.sqlite` });
  });

  afterAll(async () => {
    await app.close();
    disk.remove();
  });

  const readiness = async () => {
    const { status, body } = await call<{ error?: { details: { checks: { database: { reason?: string } } } } }>(
      `${app.origin}/health/ready`,
    );
    return [status, body.error?.details.checks.database.reason];
  };

  it('refuses what has no room with a time to come back, loses nothing, and is used again when there is room', async () => {
    const { token } = await createUser(app);
    const client = new ChatClient(app.url, token);
    const chat = await client.createChat();
    const acknowledged: string[] = [];
    const write = async () => {
      const content = `${uniqueContent()} ${LONG_TEXT}`;
      const answer = await client.send(chat.id, content);
      if (answer.status === 200) acknowledged.push(content);
      return answer;
    };
    expect((await write()).status).toBe(200);
    disk.fill();
    const refused = await eventually(async () => {
      const answer = await write();
      return answer.status !== 200 && answer;
    });
    const { retry_after: seconds } = expectFailure(refused, 503, 'SERVICE_UNAVAILABLE');
    expect(refused.headers.get('retry-after')).toBe(String(seconds));
    await eventually(async () => (await readiness())[0] === 503, PROMISED_SECONDS);
    expect(await readiness()).toEqual([503, 'not_writable']);
    expect((await call(`${app.origin}/health/live`)).status).toBe(200);
    const during = await client.read(chat.id);
    expect(during.messages.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual(acknowledged);

    disk.makeRoom();
    await eventually(async () => (await readiness())[0] === 200, PROMISED_SECONDS);
    await eventually(async () => (await write()).status === 200, PROMISED_SECONDS);
    const { messages } = await client.read(chat.id);
    expect(messages.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual(acknowledged);
    expect(await app.app.get(Database).manager.query('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  });
});
