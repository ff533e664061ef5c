// @databases mariadb: two instances share one database
import { Database } from '../../src/database/database';
import { insertBatch } from '../../src/database/statements/insert';
import type { AgentDto } from '../../src/modules/agent/agent.api';
import { GenerationRetention } from '../../src/modules/generation/generation.retention';
import { ReplyPieceEntity } from '../../src/modules/generation/pieces/reply-piece.entity';
import type { ResponseResource } from '../../src/modules/openai/responses/wire/response-resource';
import { createUser } from '../support/accounts';
import { modelEnvironment } from '../support/chat-app';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { ServiceProcess } from '../support/chat-process';
import { eventually } from '../support/eventually';
import { describeFlood, LongReplies } from '../support/long-replies';
import { type ModelServer, type ModelStep, startModelServer } from '../support/model-server/model-server';
import { ResponsesClient, textOf } from '../support/open-responses/responses-client';
import { endOwnerLeases } from '../support/owner-leases';
import { createMigratedDatabase } from '../support/servers/migrated-database';
import type { TestDatabase } from '../support/servers/sql-server';
import { databaseEngine } from '../support/servers/test-database';
import { startInstance, startTestApp } from '../support/test-app';

/** Characters of one, two, three and four bytes. */
const PIECE = 'Words, größer, 漢字 and 😀. '.repeat(40);
const COUNT = 300;
const TEXT = PIECE.repeat(COUNT);
const ARGUMENTS = JSON.stringify({ city: 'Lissabon '.repeat(5_000) });

/** Sent in many pieces with pauses: each is flushed as it arrives. */
const LONG: ModelStep = { repeat: { text: PIECE, count: COUNT, delay: 1 } };

describe('long replies', () => {
  let database: TestDatabase;
  let model: ModelServer;
  let environment: Record<string, string>;
  let service: ServiceProcess;
  let tokens: string[];

  beforeAll(async () => {
    database = await createMigratedDatabase();
    model = await startModelServer();
    const app = await startTestApp({ DATABASE_URL: database.url, ...modelEnvironment(model) });
    const people = await Promise.all(Array.from({ length: 4 }, () => createUser(app)));
    tokens = people.map(({ token }) => token);
    environment = app.environment;
    await app.close();
    service = await ServiceProcess.start(environment);
  });

  afterAll(async () => {
    await service.end('SIGKILL');
    await model.close();
    await database.drop();
  });

  const newClient = (): ChatClient => new ChatClient(service.url, tokens.pop()!);

  async function programOf(client: ChatClient): Promise<ResponsesClient> {
    const { body: agents } = await client.request<AgentDto[]>('/chat/agents/active');
    return new ResponsesClient(new URL(client.url).origin, client.token, agents[0]?.name ?? '');
  }

  /** Without a check against the standard, whose message would contain the whole text. */
  const readResponse = async (program: ResponsesClient, id: string): Promise<ResponseResource> =>
    (await program.request<ResponseResource>(`/responses/${id}`)).body;

  it('are read, exported and listed up to their current end while they run, and are complete at their end', async () => {
    const client = newClient();
    const content = uniqueContent();
    await model.script({
      key: content,
      steps: [{ reasoning: 'Hm. '.repeat(5_000) }, LONG, { hold: content }, { text: 'END' }],
    });
    const chat = await client.createChat();
    const stream = await client.stream(chat.id, content);
    const written = await eventually(async () => {
      const [, reply] = (await client.read(chat.id)).messages;
      return reply?.content.length === TEXT.length ? reply : undefined;
    });
    expect(written).toMatchObject({ status: 'streaming', reasoning: 'Hm. '.repeat(5_000) });
    expect(written.content === TEXT).toBe(true);
    const { body: listed } = await client.request<{ messages: { content: string }[] }[]>('/chat?include_messages=true');
    expect(listed[0]?.messages[1]?.content === TEXT).toBe(true);
    const { body: page } = await client.request<{ content: string }[]>(`/chat/${chat.id}/messages`);
    expect(page[1]?.content === TEXT).toBe(true);
    const { body: exported } = await client.request<{ messages: { content: string }[] }>('/user/export');
    expect(exported.messages[1]?.content === TEXT).toBe(true);
    await model.release(content);
    const { text, trailer } = await stream.plain();
    expect([text === `${TEXT}END`, trailer.status]).toEqual([true, 'completed']);
    expect((await client.read(chat.id)).messages[1]?.content === `${TEXT}END`).toBe(true);
    const found = await client.request<{ id: number }[]>('/chat?q=größer');
    expect(found.body.map(({ id }) => id)).toEqual([chat.id]);
  });

  it('keep all written text, without repetition, when their instance is killed', async () => {
    const [client, other] = [newClient(), newClient()];
    const content = uniqueContent();
    await model.script({ key: content, steps: [{ reasoning: 'Hm.' }, LONG, { stall: true }] });
    const input = uniqueContent('response');
    const tool = { type: 'function', name: 'get_weather', parameters: { type: 'object' } };
    const call = { name: 'get_weather', arguments: ARGUMENTS.slice(0, 20_000) };
    const rest = ARGUMENTS.slice(20_000);
    await model.script({
      key: input,
      steps: [LONG, { toolCall: call }, { delay: 50 }, { toolArguments: rest }, { hold: 'never' }],
    });
    const chat = await client.createChat();
    const stream = await client.stream(chat.id, content);
    const program = await programOf(other);
    const { id } = await program.create({ input, background: true, tools: [tool] });
    const argumentsOf = async (): Promise<string | undefined> => {
      const output = (await readResponse(program, id)).output.find((item) => item.type === 'function_call');
      return output?.type === 'function_call' ? output.arguments : undefined;
    };
    await eventually(async () => (await client.read(chat.id)).messages[1]?.content.length === TEXT.length);
    await eventually(async () => (await argumentsOf())?.length === ARGUMENTS.length);
    await service.end('SIGKILL');
    await expect(stream.rest()).rejects.toThrow();
    await endOwnerLeases(database.url);
    const after = await startInstance(environment);
    try {
      const reply = await new ChatClient(after.url, client.token).waitForEnd(chat.id);
      expect(reply).toMatchObject({ status: 'interrupted', reasoning: 'Hm.' });
      expect(reply.content === TEXT).toBe(true);
      const again = new ResponsesClient(after.origin, program.token, program.model);
      const response = await eventually(async () => {
        const found = await readResponse(again, id);
        return found.status === 'in_progress' ? undefined : found;
      });
      expect(textOf(response) === TEXT).toBe(true);
      const called = response.output.filter((item) => item.type === 'function_call');
      // The last bytes, up to 4,096, may not have been written when the instance was killed.
      const isKept = (kept: string): boolean => ARGUMENTS.startsWith(kept) && ARGUMENTS.length - kept.length <= 4_096;
      expect(called.map((item) => isKept(item.arguments))).toEqual([true]);
      const pieces = after.app.get(Database).repository(ReplyPieceEntity);
      await eventually(async () => (await pieces.count()) === 0);
    } finally {
      await after.app.close();
      service = await ServiceProcess.start(environment);
    }
  });

  it('soon leave nothing behind after a crash and an erasure', async () => {
    const app = await startTestApp();
    try {
      const store = app.app.get(Database);
      const words = { textOffset: 0, content: 'x', reasoningOffset: 0, reasoning: '', steps: '', calls: null };
      const left = [0, 1, 200].map((number) => ({ messageId: 2_000_000, number, ...words }));
      await store.write((manager) => insertBatch(manager, ReplyPieceEntity, left));
      await app.app.get(GenerationRetention).purge();
      expect(await store.repository(ReplyPieceEntity).count()).toBe(0);
    } finally {
      await app.close();
    }
  });

  if (databaseEngine() !== 'sqlite') {
    it('are joined from another instance, piece by piece', async () => {
      const client = newClient();
      const other = await startInstance(environment);
      try {
        const content = uniqueContent();
        const later = Array.from({ length: 20 }, (_step, index) => [{ delay: 20 }, { text: `later ${index} ` }]).flat();
        await model.script({ key: content, steps: [LONG, { hold: content }, ...later, LONG] });
        const chat = await client.createChat();
        const stream = await client.stream(chat.id, content);
        await eventually(async () => (await client.read(chat.id)).messages[1]?.content.length === TEXT.length);
        const joined = await new ChatClient(other.url, client.token).join(chat.id);
        await joined.until('😀. ');
        await model.release(content);
        const [here, there] = await Promise.all([stream.plain(), joined.plain()]);
        expect(there.text === here.text).toBe(true);
        expect(here.text.length).toBeGreaterThan(2 * TEXT.length);
        expect(there.trailer).toMatchObject({ status: 'completed' });
      } finally {
        await other.app.close();
      }
    });
  }
});

describe('several concurrent long replies', () => {
  it('block no client, and use little more memory than their text', async () => {
    const replies = await LongReplies.start(10);
    try {
      const flood = await replies.flood(1_000_000, 0);
      process.stdout.write(`${describeFlood(flood)}\n`);
      expect(flood.liveness.slowest).toBeLessThanOrEqual(200);
    } finally {
      await replies.close();
    }
  });
});
