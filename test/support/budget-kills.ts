import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { BudgetDto } from '../../src/modules/budget/budgets/budget.dto';
import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import { createAdmin, createUser } from './accounts';
import { money } from './budgets';
import { modelEnvironment } from './chat-app';
import { ChatClient, uniqueContent } from './chat-client';
import { ServiceProcess } from './chat-process';
import { eventually } from './eventually';
import { call } from './http';
import { type ModelServer, startModelServer } from './model-server/model-server';
import { endOwnerLeases } from './owner-leases';
import { createMigratedDatabase } from './servers/migrated-database';
import type { TestDatabase } from './servers/sql-server';
import { startTestApp } from './test-app';

const PEOPLE = 4;
/** Milliseconds from the first request on after which a kill comes at the latest: some have ended by then, some have not begun. */
const LATEST_KILL = 150;

/** 100 tokens of prompt at 1 and 20 of output at 2 a million. */
const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
const COST = money('0.00014');

type Data<Value> = { data: Value };

/** A service under a budget that is killed again and again while replies, titles and programs' requests are under way. */
export class KilledService {
  private service!: ServiceProcess;

  private constructor(
    private readonly model: ModelServer,
    private readonly database: TestDatabase,
    private readonly environment: Record<string, string>,
    private readonly tokens: readonly string[],
    private readonly admin: string,
  ) {}

  static async start(): Promise<KilledService> {
    const model = await startModelServer();
    const database = await createMigratedDatabase();
    const settings = { CONCURRENT_NORMAL: '1000', TITLE_MODEL: 'scripted', DATABASE_URL: database.url };
    const app = await startTestApp({ ...settings, ...modelEnvironment(model) });
    const people = await Promise.all(Array.from({ length: PEOPLE }, () => createUser(app)));
    const { token: admin } = await createAdmin(app);
    await app.close();
    const tokens = people.map(({ token }) => token);
    const killed = new KilledService(model, database, app.environment, tokens, admin);
    await model.setDefault({ steps: [{ text: 'Hel' }, { delay: 30 }, { text: 'lo' }], usage: USAGE });
    await killed.begin();
    await killed.ask('/admin/prices', { model: 'scripted', input: '1', output: '2' });
    return killed;
  }

  /** Makes a budget. */
  async budget(body: object): Promise<BudgetDto> {
    return (await this.ask<Data<BudgetDto>>('/admin/budgets', { window: 'total', ...body })).data;
  }

  async budgetWith(id: number): Promise<BudgetDto> {
    return (await this.ask<Data<BudgetDto>>(`/admin/budgets/${id}`)).data;
  }

  /** Resolves when nothing is held of a budget any more. */
  settled(id: number): Promise<BudgetDto> {
    return eventually(async () => {
      const budget = await this.budgetWith(id);
      return budget.reserved === '0' ? budget : undefined;
    });
  }

  /** Everybody sends in each of the ways, and the process is killed meanwhile; returns when the next one serves. */
  async killWhileAllSend(): Promise<void> {
    const { length: before } = await this.model.requests();
    const sending = this.tokens.flatMap((token) => this.requestsOf(token));
    await eventually(async () => (await this.model.requests()).length > before);
    await delay(randomInt(LATEST_KILL));
    await this.service.end('SIGKILL');
    await Promise.allSettled(sending);
    await this.begin();
  }

  /** What the replies cost at least that are stored as completed. */
  async costOfCompleted(): Promise<bigint> {
    let completed = 0n;
    for (const token of this.tokens) {
      const client = new ChatClient(this.service.url, token);
      const chats = (await client.request<{ id: number }[]>('/chat?limit=100')).body;
      for (const { id } of chats) {
        const { messages } = await client.read(id);
        completed += BigInt(messages.filter(isCompletedReply).length);
      }
    }
    return completed * COST;
  }

  async close(): Promise<void> {
    await this.service.end('SIGKILL');
    await this.model.close();
    await this.database.drop();
  }

  private requestsOf(token: string): Promise<unknown>[] {
    const { url } = this.service;
    const client = new ChatClient(url, token);
    const door = `${new URL(url).origin}/openai/v1`;
    const content = uniqueContent();
    const completion = { model: 'General assistant', messages: [{ role: 'user', content }] };
    const background = { model: 'General assistant', input: content, background: true };
    return [
      client.createChat().then(({ id }) => client.send(id, content)),
      client.createChat().then(({ id }) => client.stream(id, content)),
      call(`${door}/chat/completions`, { token, body: completion }),
      call(`${door}/responses`, { token, body: background }),
    ];
  }

  private async begin(): Promise<void> {
    await endOwnerLeases(this.database.url);
    this.service = await ServiceProcess.start(this.environment);
  }

  private async ask<Body>(path: string, body?: object): Promise<Body> {
    const answer = await call<Body>(`${this.service.url}${path}`, { token: this.admin, ...(body && { body }) });
    if (answer.status >= 300) {
      throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
    }
    return answer.body;
  }
}

function isCompletedReply({ role, status }: MessageDto): boolean {
  return role === 'assistant' && status === 'completed';
}
