import type { UserEntity } from '../../src/modules/user/account/user.entity';
import { createUser } from '../support/accounts';
import { modelEnvironment } from '../support/chat-app';
import { ChatClient } from '../support/chat-client';
import { ServiceProcess } from '../support/chat-process';
import { eventually } from '../support/eventually';
import { type Answer, call } from '../support/http';
import { type ModelServer, startModelServer } from '../support/model-server/model-server';
import { createMigratedDatabase } from '../support/servers/migrated-database';
import type { TestDatabase } from '../support/servers/sql-server';
import { startTestApp } from '../support/test-app';
import { UnreadAnswer } from '../support/unread-answer';
import { type Cost, ProcessCost } from './process-cost';
import type { RefusedBody } from './refused-bodies';
import { storedBytes } from './stored-bytes';

/** A small heap, as in a small container. */
const OPTIONS = ['--max-old-space-size=512'];

interface Quota {
  messages: { used: number };
  tokens: { used: number };
}

/** The built service with a small heap, its attackers, and the cost of their attempts. Needs `npm run build`. */
export class AttackedService {
  /** The account whose quota is read. */
  attacker: ChatClient | null = null;
  private readonly lines: string[] = [];
  private readonly meter: ProcessCost;

  private constructor(
    readonly model: ModelServer,
    readonly people: ChatClient[],
    private readonly service: ServiceProcess,
    private readonly database: TestDatabase,
  ) {
    this.meter = new ProcessCost(service.id, this.origin, {
      disk: () => storedBytes(database.url),
      counted: () => this.tokensUsed(),
    });
  }

  /** @param people the number of accounts, and special settings of one */
  static async start(people: Partial<UserEntity>[], settings: Record<string, string> = {}): Promise<AttackedService> {
    const database = await createMigratedDatabase();
    const model = await startModelServer();
    const app = await startTestApp({ DATABASE_URL: database.url, ...modelEnvironment(model), ...settings });
    const accounts = await Promise.all(people.map((columns) => createUser(app, columns)));
    await app.app.close();
    await app.mails.stop();
    const service = await ServiceProcess.start({ ...app.environment, SHUTDOWN_GRACE_SECONDS: '1' }, OPTIONS);
    const clients = accounts.map(({ token }) => new ChatClient(service.url, token));
    return new AttackedService(model, clients, service, database);
  }

  get origin(): string {
    return new URL(this.service.url).origin;
  }

  get hasEnded(): boolean {
    return this.service.hasEnded();
  }

  /** Runs an attempt, and records its cost. */
  async attempt<Result>(what: string, act: () => Promise<Result>): Promise<{ result: Result; cost: Cost }> {
    const { cost, result } = await this.meter.of(act);
    const figures = [
      `${cost.cpuMilliseconds} ms of CPU`,
      `${Math.round(cost.memory)} MB (${Math.round(cost.memoryAdded)} more)`,
      `${cost.diskAdded.toFixed(1)} MB on the disk`,
      `${cost.counted} tokens`,
      `health ${Math.round(cost.healthMilliseconds)} ms`,
    ];
    this.lines.push(`  ${what}: ${figures.join(', ')}`);
    return { result, cost };
  }

  /** Sends a body that is refused. */
  async send(who: number, { path, method, body, status, what, key }: RefusedBody, sent = body()): Promise<Answer> {
    const token = this.people[who]?.token ?? '';
    const headers = { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) };
    const answer = await call(`${this.origin}${path}`, { token, method, headers, raw: sent });
    expect([what, answer.status]).toEqual([what, status]);
    return answer;
  }

  note(title: string): void {
    this.lines.push(title);
  }

  async tokensUsed(): Promise<number> {
    return this.attacker === null ? 0 : (await this.attacker.request<Quota>('/user/quota')).body.tokens.used;
  }

  /** MiB of memory of the process. */
  memory(): number {
    return this.meter.memory();
  }

  /** Milliseconds of processor time of all threads of the process. */
  cpuMilliseconds(): number {
    return this.meter.cpuMilliseconds();
  }

  /** The same for the thread that answers requests. */
  answeringMilliseconds(): number {
    return this.meter.answeringMilliseconds();
  }

  /** Bytes of bodies in progress, as the service reports them. */
  async bytesUnderWay(): Promise<number> {
    return this.measured('request_bodies_bytes');
  }

  /** Sends the same request several times, reads no answer, and disconnects when many answers wait. */
  async askUnread(who: number, path: string, count: number): Promise<void> {
    const ask = (): Promise<UnreadAnswer> => UnreadAnswer.ask(`${this.origin}${path}`, this.people[who]?.token ?? '');
    const answers = await Promise.all(Array.from({ length: count }, ask));
    await Promise.all(answers.map((answer) => answer.begins()));
    await eventually(async () => (await this.measured('unread_answers_bytes')) > 32 * 1_048_576);
    answers.forEach((answer) => answer.end());
  }

  /** The longest time for which the event loop was blocked since the last call. Node samples every ten milliseconds. */
  async longestHeldMilliseconds(): Promise<number> {
    return Math.round((await this.measured('nodejs_eventloop_lag_max_seconds')) * 1_000) - 10;
  }

  private async measured(name: string): Promise<number> {
    const { text } = await call(`${this.origin}/metrics`);
    return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]);
  }

  /** Prints all costs. */
  async close(): Promise<void> {
    process.stdout.write(`${this.lines.join('\n')}\n`);
    await this.meter.close();
    await this.service.end('SIGKILL');
    await this.model.close();
    await this.database.drop();
  }
}
