import { setTimeout as delay } from 'node:timers/promises';
import { Database } from '../../src/database/database';
import type { ChatWithMessagesDto } from '../../src/modules/chat/chats/chat.dto';
import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import { createUser, type TestAccount } from './accounts';
import { call } from './http';
import { startInstance } from './test-app';

const PEOPLE = 6;

/** The users' observations, in numbers, except for violations. */
export interface StoreReport {
  /** Messages confirmed as stored. */
  acknowledged: number;
  /** Requests that were refused and sent again: 429 and 503. */
  refused: number;
  /** Acknowledged writes that were not visible on the other instance in a read right after them. */
  stale: string[];
  /** Acknowledged messages that are missing at the end, or stored twice. */
  lost: string[];
  doubled: string[];
  /** Messages whose parent is not the one before them. */
  torn: string[];
  /** Unexpected error answers. */
  faults: string[];
}

export type StoreInstance = Awaited<ReturnType<typeof startInstance>>;

interface StoreTrial {
  /** How each of the two instances reaches the store that they share. */
  urls: readonly [string, string];
  seconds: number;
  /** Common settings of both in addition to the URL of the store. */
  environment?: Record<string, string>;
  /** The statement time limit once all users have an account, in milliseconds; default: as in most tests. */
  statementMilliseconds?: number;
  /** Runs during the writes. */
  disturb: (instances: readonly StoreInstance[]) => Promise<unknown>;
}

/**
 * Lets users write through two instances, and read each message on the other instance. All write in their own chat, and
 * one request sends several messages at once.
 */
export async function tryStore({
  urls,
  seconds,
  environment,
  statementMilliseconds,
  disturb,
}: StoreTrial): Promise<StoreReport> {
  // They migrate one after the other, and conflict in no other way.
  const instances = await Promise.all(urls.map((url) => start(url, environment)));
  const report: StoreReport = { acknowledged: 0, refused: 0, stale: [], lost: [], doubled: [], torn: [], faults: [] };
  const people: Person[] = [];
  for (let index = 0; index < PEOPLE; index++) {
    people.push(new Person(await createUser(instances[index % 2] as StoreInstance), instances, report));
  }
  if (statementMilliseconds !== undefined) {
    for (const { app } of instances) {
      Object.assign(app.get(Database).manager.dataSource.driver.options, {
        maxQueryExecutionTime: statementMilliseconds,
      });
    }
  }
  const end = Date.now() + seconds * 1_000;
  await Promise.all([disturb(instances), ...people.map((person) => person.writeUntil(end))]);
  await Promise.all(people.map((person) => person.compare()));
  await Promise.all(instances.map(({ app }) => app.close()));
  return report;
}

function start(url: string, environment?: Record<string, string>): Promise<StoreInstance> {
  return startInstance({
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    JWT_SECRET: 'kS8rTq1vZx4NwYb7UeHc2MdGf5JpLa9oRt3WiXu6',
    RATE_LIMIT_NORMAL: '1000000',
    RATE_LIMIT_ANONYMOUS: '1000000',
    RATE_LIMIT_AUTH: '1000000',
    QUOTA_FREE_MESSAGES: '100000',
    QUOTA_FREE_TOKENS: '100000000',
    CONCURRENT_NORMAL: '10',
    DATABASE_URL: url,
    ...environment,
  });
}

class Person {
  private readonly acknowledged = new Map<number, string[]>();
  private sent = 0;

  constructor(
    private readonly account: TestAccount,
    private readonly instances: readonly StoreInstance[],
    private readonly report: StoreReport,
  ) {}

  /** Two chats at once: the user's counters are one row that both change. */
  async writeUntil(end: number): Promise<void> {
    await Promise.all([0, 1].map((chat) => this.writeIn(chat, end)));
  }

  /** Reads all chats at the end. */
  async compare(): Promise<void> {
    for (const [chatId, contents] of this.acknowledged) {
      const { messages } = await this.read(chatId, this.instances[0] as StoreInstance);
      const said = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
      this.report.lost.push(...contents.filter((content) => !said.includes(content)));
      // A key whose reply was cut is free again: the cut message stays, and the message is sent again.
      const whole = messages
        .filter(({ role }, index) => role === 'user' && messages[index + 1]?.status !== 'interrupted')
        .map(({ content }) => content);
      this.report.doubled.push(...whole.filter((content, index) => whole.indexOf(content) !== index));
      messages.forEach((message, index) => this.compareParent(message, messages[index - 1]));
    }
  }

  private compareParent(message: MessageDto, before: MessageDto | undefined): void {
    const { parent_id: parent } = message;
    if (parent !== (before?.id ?? null)) {
      this.report.torn.push(`${message.id}: ${parent}, not ${before?.id}`);
    }
  }

  private async writeIn(index: number, end: number): Promise<void> {
    const chat = await this.send<{ id: number }>(index, '/chat', { agent_id: 1 });
    const contents: string[] = [];
    this.acknowledged.set(chat.id, contents);
    for (let turn = 0; Date.now() < end; turn++) {
      const content = `message ${chat.id}/${this.sent++}`;
      // A key, so that a message whose answer was lost is not written twice.
      await this.send(
        turn + index,
        '/chat/message',
        { chat_id: chat.id, content },
        { 'idempotency-key': content.replace(/\W/g, '-') },
      );
      this.report.acknowledged++;
      contents.push(content);
      const { messages } = await this.read(chat.id, this.instances[(turn + index + 1) % 2] as StoreInstance);
      if (!messages.some((message) => message.content === content)) {
        this.report.stale.push(content);
      }
    }
  }

  private read(chatId: number, instance: StoreInstance): Promise<ChatWithMessagesDto> {
    return this.request(() => instance, `/chat/${chatId}`);
  }

  private send<Body>(from: number, path: string, body: object, headers: Record<string, string> = {}): Promise<Body> {
    return this.request((attempt) => this.instances[(from + attempt) % 2] as StoreInstance, path, { body, headers });
  }

  /** Repeats until it is neither refused nor too early. */
  private async request<Body>(
    at: (attempt: number) => StoreInstance,
    path: string,
    options: { body?: object; headers?: Record<string, string> } = {},
  ): Promise<Body> {
    for (let attempt = 0; ; attempt++) {
      const answer = await call<Body>(`${at(attempt).url}${path}`, { ...options, token: this.account.token });
      if (answer.status < 300) {
        return answer.body;
      }
      // The message is stored, and its reply failed with the store: the same key has the same answer for a day.
      if (answer.status === 503 && answer.text.includes('"user_message_id"')) {
        this.report.refused++;
        return answer.body;
      }
      // A message whose connection was cut may still be running: 409 until it has finished.
      if (![409, 429, 503].includes(answer.status) || attempt > 200) {
        this.report.faults.push(`${path}: ${answer.status} ${answer.text.slice(0, 200)}`);
        throw new Error(`${path}: ${answer.status} ${answer.text.slice(0, 500)}`);
      }
      this.report.refused++;
      await delay(100 + Math.random() * 200);
    }
  }
}
