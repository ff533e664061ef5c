import { Database } from '../../src/database/database';
import type { BudgetDto } from '../../src/modules/budget/budgets/budget.dto';
import type { AdminClient } from './admin-client';
import { allHolds, makeBudget, money, windowsOf } from './budgets';
import type { ChatApp } from './chat-app';
import { ChatClient } from './chat-client';
import { eventually } from './eventually';
import type { ErrorAnswer } from './http';
import { startInstance } from './test-app';

const CONTENT = 'The same words from everybody.';
const GATE = 'when all have sent';

/** 100 tokens of prompt at 1 and 20 of output at 2 a million. */
const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

/** The results of the sends of a crowd. */
export interface CrowdResult {
  admitted: number;
  /** The codes of the refused ones. */
  refused: Set<string>;
  /** The budget while the admitted requests run, and after them. */
  during: { spent: string; reserved: string } | undefined;
  after: { spent: string; reserved: string } | undefined;
  /** The hold of one of them. */
  hold: bigint;
  limit: bigint;
}

/**
 * Many users who send concurrently, over as many instances as the database may have, against a budget for some of them.
 */
export class BudgetCrowd {
  private readonly others: Awaited<ReturnType<typeof startInstance>>[] = [];

  constructor(
    private readonly app: ChatApp,
    private readonly admin: AdminClient,
  ) {}

  async start(instances: number): Promise<void> {
    await this.admin.post('/admin/prices', { model: 'scripted', input: '1', output: '2' });
    const count = this.app.app.get(Database).isShared ? instances - 1 : 0;
    for (let other = 0; other < count; other++) {
      this.others.push(await startInstance(this.app.environment));
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.others.map(({ app }) => app.close()));
  }

  /** @param people who send this number of messages together, each in its own conversation */
  async sendAtOnce(sends: number, people: number, room: number): Promise<CrowdResult> {
    const hold = await this.holdOfOne();
    const limit = hold * BigInt(room);
    const budget = await this.budgetOf(limit);
    const chats = await this.chats(sends, people);
    await this.app.model.setDefault({ steps: [{ text: 'Hello' }, { hold: GATE }], usage: USAGE });
    const streams = await Promise.all(chats.map(({ client, id }) => client.stream(id, CONTENT)));
    const admitted = streams.filter(({ status }) => status === 200);
    const refusals = streams.filter(({ status }) => status !== 200);
    const failures = await Promise.all(refusals.map((stream) => stream.failure()));
    const [during] = await windowsOf(this.app, budget.id);
    await this.app.model.release(GATE);
    await Promise.all(admitted.map((stream) => stream.rest()));
    await eventually(async () => (await allHolds(this.app)).length === 0);
    const [after] = await windowsOf(this.app, budget.id);
    const refused = new Set(failures.map(({ code }: ErrorAnswer['error']) => code));
    await this.admin.delete(`/admin/budgets/${budget.id}`);
    return { admitted: admitted.length, refused, during, after, hold, limit };
  }

  /** The holds of all of them. */
  private async holdOfOne(): Promise<bigint> {
    const budget = await this.budgetOf(money('1'));
    await this.app.model.setDefault({ steps: [{ text: 'Hello' }], usage: USAGE });
    const client = await this.app.newClient();
    const answer = await client.send((await client.createChat()).id, CONTENT);
    await this.admin.delete(`/admin/budgets/${budget.id}`);
    return money('1') - money(answer.headers.get('x-budget-remaining') ?? '1');
  }

  private budgetOf(limit: bigint): Promise<BudgetDto> {
    const text = limit.toString().padStart(13, '0');
    return makeBudget(this.admin, { scope: 'service', limit: `${text.slice(0, -12)}.${text.slice(-12)}` });
  }

  private async chats(sends: number, people: number): Promise<{ client: ChatClient; id: number }[]> {
    const urls = [this.app.url, ...this.others.map(({ url }) => url)];
    const tokens = await Promise.all(Array.from({ length: people }, async () => (await this.app.newClient()).token));
    return Promise.all(
      Array.from({ length: sends }, async (_one, index) => {
        const url = urls[index % urls.length] as string;
        const client = new ChatClient(url, tokens[index % people] as string);
        return { client, id: (await client.createChat()).id };
      }),
    );
  }
}

/** The environment of a crowd: only budgets limit it. */
export const CROWD = { CONCURRENT_NORMAL: '100000', BUDGET_ASSUMED_OUTPUT: '1000' };
