import { createUser } from './accounts';
import { ChatClient, uniqueContent } from './chat-client';
import { eventually } from './eventually';
import { call, expectFailure } from './http';
import type { TestApp } from './test-app';

/** The time within which readiness must report whether writes succeed, in seconds. */
const PROMISED_SECONDS = 10;

/** The maximum length of a message: logs overwrite themselves, and short writes fit into them for a while. */
const LONG_TEXT = 'x'.repeat(31_000);

interface Readiness {
  error?: { details: { checks: { database: { reason?: string } } } };
}

/**
 * Fills the database's disk, frees space, and expects that writes are refused while it is full, and that nothing is
 * lost.
 */
export async function tryFullDisk(app: TestApp, fill: () => unknown, makeRoom: () => unknown): Promise<void> {
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
  const stored = async () => {
    const { messages } = await client.read(chat.id);
    return messages.filter(({ role }) => role === 'user').map(({ content }) => content);
  };
  const readiness = async () => {
    const { status, body } = await call<Readiness>(`${app.origin}/health/ready`);
    return [status, body.error?.details.checks.database.reason];
  };
  expect((await write()).status).toBe(200);

  await fill();
  const refused = await eventually(async () => {
    const answer = await write();
    return answer.status !== 200 && answer;
  });
  const { retry_after: seconds } = expectFailure(refused, 503, 'SERVICE_UNAVAILABLE');
  expect(refused.headers.get('retry-after')).toBe(String(seconds));
  await eventually(async () => (await readiness())[0] === 503, PROMISED_SECONDS);
  expect(await readiness()).toEqual([503, 'not_writable']);
  expect((await call(`${app.origin}/health/live`)).status).toBe(200);
  expect(await stored()).toEqual(acknowledged);

  await makeRoom();
  await eventually(async () => (await readiness())[0] === 200, PROMISED_SECONDS);
  await eventually(async () => (await write()).status === 200, PROMISED_SECONDS);
  expect(await stored()).toEqual(acknowledged);
}
