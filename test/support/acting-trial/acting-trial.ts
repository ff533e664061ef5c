import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ChatWithMessagesDto } from '../../../src/modules/chat/chats/chat.dto';
import type { ActionDto } from '../../../src/modules/chat/messages/action.dto';
import { createUser, newcomer, type TestAccount } from '../accounts';
import { AdminClient } from '../admin-client';
import { ServiceProcess, SMALL } from '../chat-process';
import { type Answer, call } from '../http';
import type { ScriptedMcpServer } from '../mcp/scripted-mcp-server';
import { endOwnerLeases, ownersIn, ownersWriting } from '../owner-leases';
import { createMigratedDatabase } from '../servers/migrated-database';
import type { TestDatabase } from '../servers/sql-server';
import { databaseEngine } from '../servers/test-database';
import { startTestApp } from '../test-app';
import { Accompanied } from './accompanied';
import { EffectServer } from './effect-server';
import { addEffectTools, startEffectTools } from './effect-tools';
import { type LeftRuns, runsLeftBy } from './left-runs';
import { type Plan, PlannedModel } from './planned-model';
import { randomPlan } from './random-plan';
import { kindOf, PREFIX, TOOLS } from './tool-kinds';

const PROGRAM = join(__dirname, 'service.js');

/** Concurrent conversations. */
const PEOPLE = 6;

/** The most milliseconds from a request to the model to the next kill. */
const LATEST_KILL = 700;

/** Milliseconds to wait for a request to the model. None arrives while all replies wait for a tool. */
const LONGEST_SILENCE = 5_000;

/** Results from MCP servers do not make other calls require approval. */
const SETTINGS = { CONCURRENT_NORMAL: '1000', TAINT_RULE: 'false' };

/** A slow answer is requested again, because its instance may hang. */
const PATIENCE_MILLISECONDS = 30_000;

/** Temporary refusals: another request does the same work, or the service is not ready. */
const PASSING: readonly number[] = [409, 429, 502, 503, 504];

interface Instance {
  process: ServiceProcess;
  /** The name under which it renews its lease; undefined on SQLite. */
  owner: string | undefined;
}

/**
 * A service whose agent calls tools with effects, and that is killed during the calls: one instance on SQLite, two on
 * servers. Users send messages, answer questions, and repeat requests without an answer.
 */
export class ActingTrial {
  /** Violations. */
  readonly faults: string[] = [];
  /** The number of correct messages, by their final status. */
  readonly ended: Record<string, number> = {};
  /** Kills of an instance with running replies, and the state of these. */
  readonly killed = { kills: 0, replies: 0, calls: 0 };
  readonly instances: Instance[] = [];
  /** Since when replies are undisturbed, in milliseconds; null while they are disturbed and may not progress. */
  calmSince: number | null = null;

  private constructor(
    readonly effects: EffectServer,
    readonly model: PlannedModel,
    private readonly tools: ScriptedMcpServer,
    private readonly database: TestDatabase,
    private readonly environment: Record<string, string>,
    private readonly key: string,
    private readonly admin: TestAccount,
    private agentId = 0,
  ) {}

  static async start(more: Record<string, string> = {}, ownDatabase?: TestDatabase): Promise<ActingTrial> {
    const [effects, model] = await Promise.all([EffectServer.start(), PlannedModel.start()]);
    const tools = await startEffectTools(effects);
    const database = ownDatabase ?? (await createMigratedDatabase());
    const settings = { ...SETTINGS, DATABASE_URL: database.url, ...model.environment, ...more };
    const app = await startTestApp(settings);
    const { token } = await createUser(app);
    const admin = await AdminClient.of(app);
    await addEffectTools(admin, tools.url);
    const scopes = ['chat:read', 'chat:write', 'actions:decide'];
    const made = await call<{ key: string }>(`${app.url}/user/api-keys`, { token, body: { name: 'trial', scopes } });
    await app.close();
    const environment = { ...app.environment, ...SMALL, EFFECTS_URL: effects.url };
    const trial = new ActingTrial(effects, model, tools, database, environment, made.body.key, admin.account);
    await trial.begin(1);
    trial.agentId = await trial.makeAgent();
    // After the agent, which a running instance may not know for five seconds.
    await trial.begin(databaseEngine() === 'sqlite' ? 0 : 1);
    return trial;
  }

  /** The number of effects of the MCP server. */
  get served(): number {
    return this.effects.effects.filter(({ tool }) => tool.startsWith(PREFIX)).length;
  }

  /** Sends messages during an action, and waits until all of them have finished. */
  async writeWhile(disturb: () => Promise<unknown>): Promise<void> {
    let isOver = false;
    const writing = Array.from({ length: PEOPLE }, async () => {
      while (!isOver) {
        await this.write(randomPlan());
      }
    });
    this.calmSince = null;
    await disturb();
    this.calmSince = Date.now();
    isOver = true;
    await Promise.all(writing);
  }

  /** Kills an instance this number of times during replies. */
  killOften(kills: number): Promise<void> {
    const until = this.killed.kills + kills;
    return this.writeWhile(async () => {
      while (this.killed.kills < until) {
        // On a busy machine, an instance needs longer than any fixed time for its first request.
        await this.model.nextRequest(LONGEST_SILENCE);
        await delay(randomInt(LATEST_KILL));
        await this.kill(await this.busy());
      }
    });
  }

  /** Kills one instance, and replaces it. */
  async kill(index: number): Promise<void> {
    const [{ process, owner } = { process: null, owner: undefined }] = this.instances.splice(index, 1);
    await process?.end('SIGKILL');
    this.count(await runsLeftBy(this.database.url, owner));
    if (owner !== undefined) {
      await endOwnerLeases(this.database.url, [owner]);
    }
    await this.begin(1);
  }

  /** A random instance that writes replies, weighted by their number. */
  private async busy(): Promise<number> {
    const owners = await ownersWriting(this.database.url);
    const index = this.instances.findIndex(({ owner }) => owner === owners[randomInt(Math.max(1, owners.length))]);
    return index < 0 ? randomInt(this.instances.length) : index;
  }

  /** Pauses one instance for longer than its lease. */
  async standStill(index: number, milliseconds: number): Promise<void> {
    const { process, owner } = this.instances[index] as Instance;
    process.pause('SIGSTOP');
    if (owner !== undefined) {
      await endOwnerLeases(this.database.url, [owner]);
    }
    await delay(milliseconds);
    process.pause('SIGCONT');
  }

  /** Stops one instance as operators do, and replaces it. */
  async restart(index: number): Promise<void> {
    const [instance] = this.instances.splice(index, 1);
    const ending = instance?.process.end('SIGTERM');
    // Only a server can be shared.
    await (databaseEngine() === 'sqlite' ? ending : undefined);
    await this.begin(1);
    await ending;
  }

  /** A user lets the agent follow a plan, and answers its questions. Resolves when the reply has finished. */
  async write(plan: Plan): Promise<void> {
    const accompanied = new Accompanied(this, plan);
    const status = await accompanied.run(this.agentId);
    this.ended[status] = (this.ended[status] ?? 0) + 1;
    this.faults.push(...accompanied.faults);
  }

  /**
   * Repeats a request to any running instance until it has an answer.
   *
   * @param isAnswered whether an error answer also counts
   */
  async request<Body>(
    path: string,
    body?: object,
    { key, isAnswered = () => false }: { key?: string; isAnswered?: (answer: Answer) => boolean } = {},
  ): Promise<Answer<Body>> {
    for (;;) {
      const { process } = this.instances[randomInt(Math.max(1, this.instances.length))] ?? {};
      const answer = process && (await this.try<Body>(`${process.url}${path}`, body, key));
      if (answer && (!PASSING.includes(answer.status) || isAnswered(answer))) {
        return answer;
      }
      await delay(100);
    }
  }

  readChat(chatId: number): Promise<Answer<ChatWithMessagesDto>> {
    return this.request(`/chat/${chatId}`);
  }

  openActions(chatId: number): Promise<Answer<ActionDto[]>> {
    return this.request(`/chat/${chatId}/actions`);
  }

  /** Starts instances one after the other, so that their names are known. */
  async begin(count: number): Promise<void> {
    for (let started = 0; started < count; started++) {
      const before = await ownersIn(this.database.url);
      const process = await ServiceProcess.start(this.environment, [], PROGRAM);
      const owner = (await ownersIn(this.database.url)).find((id) => !before.includes(id));
      this.instances.push({ process, owner });
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.instances.map(({ process }) => process.end('SIGKILL')));
    await Promise.all([this.effects.close(), this.model.close(), this.tools.close()]);
    await this.database.drop();
  }

  private count({ replies, calls }: LeftRuns): void {
    this.killed.kills += replies > 0 ? 1 : 0;
    this.killed.replies += replies;
    this.killed.calls += calls;
  }

  private async try<Body>(url: string, body?: object, key?: string): Promise<Answer<Body> | null> {
    const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
    try {
      return await Promise.race([
        call<Body>(url, { token: this.key, headers, ...(body && { body }) }),
        delay(PATIENCE_MILLISECONDS, null, { ref: false }),
      ]);
    } catch {
      return null;
    }
  }

  private async makeAgent(): Promise<number> {
    const tools = TOOLS.map((name) => {
      const { asks, isReadOnly } = kindOf(name);
      return isReadOnly ? { name } : { name, policy: asks ? 'ask' : 'auto' };
    });
    const url = `${this.instances[0]?.process.url}/agents`;
    const answer = await call<{ data: { id: number } }>(url, {
      token: this.admin.token,
      body: { name: newcomer().username, tools },
    });
    if (answer.status !== 201) {
      throw new Error(`POST /agents answered ${answer.status}: ${answer.text}`);
    }
    return answer.body.data.id;
  }
}
