import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { formatAmount } from '../../src/common/money/amount';
import { Database } from '../../src/database/database';
import { findRows } from '../../src/database/statements/find';
import type { BudgetDto } from '../../src/modules/budget/budgets/budget.dto';
import { costOfRow } from '../../src/modules/usage/costs/cost-ledger';
import { UsageCostEntity } from '../../src/modules/usage/costs/usage-cost.entity';
import { createAdmin, createUser } from './accounts';
import { ChatClient, uniqueContent } from './chat-client';
import { ServiceProcess, SMALL } from './chat-process';
import { eventually } from './eventually';
import { call } from './http';
import { INVOICED_PRICE, InvoicingProvider } from './invoicing-provider';
import { endOwnerLeases, ownersIn } from './owner-leases';
import { createMigratedDatabase } from './servers/migrated-database';
import type { TestDatabase } from './servers/sql-server';
import { databaseEngine } from './servers/test-database';
import { startInstance, startTestApp } from './test-app';

const PEOPLE = 4;
const INSTANCES = 3;
/** Milliseconds from the first token of a reply to the next. */
const PACE = 30;
/** Most milliseconds between the request that triggers a kill and the kill, so that some requests have finished. */
const LATEST_KILL = 150;

const COURSES = ['plain', 'cached', 'reasoned', 'cut', 'uncounted'] as const;

type Data<Value> = { data: Value };

interface Instance {
  process: ServiceProcess;
  /** The name under which it renews its lease; undefined on SQLite. */
  owner: string | undefined;
}

/** The ledger compared with the provider's invoice. */
export interface Comparison {
  /** Costs that the ledger calls exact, and that the provider does not bill. */
  unexplained: string[];
  /** Requests that the provider accepted, and that are missing in the ledger. */
  missing: number;
  /** All rows together. */
  cost: string;
  exact: number;
  estimated: number;
}

/**
 * A service with a budget that is repeatedly killed while replies, titles and client requests are running. On servers
 * there are three instances, and one continues while the others are killed.
 */
export class KilledService {
  private readonly instances: Instance[] = [];
  private here: Awaited<ReturnType<typeof startInstance>> | undefined;
  private rounds = 0;

  private constructor(
    private readonly provider: InvoicingProvider,
    private readonly database: TestDatabase,
    private readonly environment: Record<string, string>,
    private readonly tokens: readonly string[],
    private readonly admin: string,
  ) {}

  static async start(): Promise<KilledService> {
    const provider = await InvoicingProvider.start(PACE);
    const database = await createMigratedDatabase();
    const app = await startTestApp({
      CONCURRENT_NORMAL: '1000',
      DATABASE_URL: database.url,
      LLM_PROVIDER: 'openai-compatible',
      LLM_BASE_URL: provider.url,
      LLM_MODEL: 'invoiced',
      TITLE_MODEL: 'invoiced',
    });
    const people = await Promise.all(Array.from({ length: PEOPLE }, () => createUser(app)));
    const { token: admin } = await createAdmin(app);
    await app.close();
    const tokens = people.map(({ token }) => token);
    const environment = { ...app.environment, ...SMALL };
    const killed = new KilledService(provider, database, environment, tokens, admin);
    await killed.begin(1);
    if (databaseEngine() !== 'sqlite') {
      await killed.begin(INSTANCES - 1);
    }
    await killed.ask('/admin/prices', { model: 'invoiced', ...INVOICED_PRICE });
    return killed;
  }

  /** Creates a budget. */
  async budget(body: object): Promise<BudgetDto> {
    return (await this.ask<Data<BudgetDto>>('/admin/budgets', { window: 'total', ...body })).data;
  }

  /** Resolves when a budget has no holds left. */
  settled(id: number): Promise<BudgetDto> {
    return eventually(async () => {
      const budget = (await this.ask<Data<BudgetDto>>(`/admin/budgets/${id}`)).data;
      return budget.reserved === '0' ? budget : undefined;
    });
  }

  /**
   * All users send in each of the ways, and processes are killed during it. @returns the number, for `begin` or
   * `beginHere`
   */
  async killWhileAllSend(): Promise<number> {
    const { length: before } = this.provider.asked;
    const sending = this.tokens.flatMap((token, person) => this.requestsOf(token, person));
    this.rounds++;
    const dead = this.instances.splice(0, Math.max(1, this.instances.length - 1));
    const killing = dead.map(async ({ process }) => {
      // Counted in requests, because a busy machine sends none within a fixed time.
      const trigger = before + 1 + randomInt(sending.length / 2);
      await eventually(() => this.provider.asked.length >= trigger);
      await delay(randomInt(LATEST_KILL));
      await process.end('SIGKILL');
    });
    await Promise.all(killing);
    await Promise.allSettled(sending);
    const owners = dead.map(({ owner }) => owner);
    await endOwnerLeases(
      this.database.url,
      owners.filter((owner) => owner !== undefined),
    );
    return dead.length;
  }

  /** Stops the service, and compares its ledger with the invoice. */
  async compare(): Promise<Comparison> {
    await Promise.all(this.instances.map(({ process }) => process.end('SIGTERM')));
    const { app } = await this.beginHere();
    const rows = await findRows(app.get(Database).manager, UsageCostEntity, {});
    const billed = this.provider.invoice.flatMap(({ cost }) => cost ?? []);
    const unbilled = [...billed];
    const unexplained: string[] = [];
    const exact = rows.filter(({ isEstimated, requests }) => !isEstimated && requests > 0);
    for (const cost of exact.map((row) => costOfRow(row) ?? -1n)) {
      const place = unbilled.indexOf(cost);
      if (place < 0) {
        unexplained.push(formatAmount(cost));
      } else {
        unbilled.splice(place, 1);
      }
    }
    const estimated = rows.filter(({ isEstimated }) => isEstimated).length;
    return {
      unexplained,
      missing: Math.max(0, this.provider.invoice.length - exact.length - estimated),
      cost: formatAmount(rows.reduce((sum, row) => sum + (costOfRow(row) ?? 0n), 0n)),
      exact: exact.length,
      estimated,
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.instances.map(({ process }) => process.end('SIGKILL')));
    await this.here?.app.close();
    await this.provider.close();
    await this.database.drop();
  }

  private requestsOf(token: string, person: number): Promise<unknown>[] {
    const { url } = (this.instances[person % this.instances.length] as Instance).process;
    const client = new ChatClient(url, token);
    const door = `${new URL(url).origin}/openai/v1`;
    const content = uniqueContent(`course:${COURSES[(person + this.rounds) % COURSES.length]}`);
    const completion = { model: 'General assistant', messages: [{ role: 'user', content }] };
    const background = { model: 'General assistant', input: content, background: true };
    return [
      client.createChat().then(({ id }) => client.send(id, content)),
      client.createChat().then(({ id }) => client.stream(id, content)),
      call(`${door}/chat/completions`, { token, body: completion }),
      call(`${door}/responses`, { token, body: background }),
    ];
  }

  /** Starts processes concurrently, on as many cores as available. */
  async begin(count: number): Promise<void> {
    const before = await ownersIn(this.database.url);
    const processes = await Promise.all(Array.from({ length: count }, () => ServiceProcess.start(this.environment)));
    // Their order does not matter, because they are killed together.
    const owners = (await ownersIn(this.database.url)).filter((id) => !before.includes(id));
    this.instances.unshift(...processes.map((process, index) => ({ process, owner: owners[index] })));
  }

  /** Starts an instance in this process once no more are killed, which is faster than another process. */
  async beginHere(): Promise<Awaited<ReturnType<typeof startInstance>>> {
    this.here ??= await startInstance(this.environment);
    return this.here;
  }

  private async ask<Body>(path: string, body?: object): Promise<Body> {
    const { url } = this.here ?? (this.instances[0] as Instance).process;
    const answer = await call<Body>(`${url}${path}`, { token: this.admin, ...(body && { body }) });
    if (answer.status >= 300) {
      throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
    }
    return answer.body;
  }
}
