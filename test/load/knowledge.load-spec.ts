import { readFileSync } from 'node:fs';
import { readDocuments } from '../../bench/knowledge/questions.js';
import type { EntryDto } from '../../src/modules/knowledge/collections/entry.dto';
import { createUser, type TestAccount } from '../support/accounts';
import { ServiceProcess } from '../support/chat-process';
import { BOMBS } from '../support/documents/bombs';
import { eventually } from '../support/eventually';
import { KnowledgeClient } from '../support/knowledge';
import { LivenessProbe } from '../support/liveness';
import { createMigratedDatabase } from '../support/servers/migrated-database';
import type { TestDatabase } from '../support/servers/sql-server';
import { startTestApp } from '../support/test-app';

/** Goals in MiB of memory of the service, above the idle service, and in milliseconds. */
const MOST_FOR_BOMB = 64;
const MOST_FOR_TEXT = 150;
const MOST_LIVE = 200;

/** Goals in MB of text for each second of CPU of the service and its children, and in milliseconds for a text of 10 kB. */
const LEAST_SPEED = 0.5;
const MOST_FOR_SMALL = 2_000;

/** Of our own documentation: about 4 MB. */
const COPIES = 7;

/** 20 MB in a million lines. */
const LARGE_TEXT = 'a line of nineteen.\n'.repeat(1_000_000);

const SAMPLE_MILLISECONDS = 50;
/** Most seconds for a file. */
const PATIENCE = 600;

describe('the built service while it reads files', () => {
  let database: TestDatabase;
  let service: ServiceProcess;
  let clients: KnowledgeClient[];
  let idle: number;

  // A new service for each test, because memory that an earlier test has used is not returned to the system.
  beforeEach(async () => {
    database = await createMigratedDatabase();
    const app = await startTestApp({
      DATABASE_URL: database.url,
      FILE_MAX_MB: '64',
      KNOWLEDGE_PARSE_MEMORY_MB: '256',
      QUOTA_FREE_STORAGE_MB: '1000',
    });
    const accounts: TestAccount[] = [await createUser(app), await createUser(app), await createUser(app)];
    await app.app.close();
    await app.mails.stop();
    // As `npm start` and the image do.
    const asInProduction = ['--max-semi-space-size=16'];
    service = await ServiceProcess.start({ ...app.environment, KNOWLEDGE_INGESTIONS: '3' }, asInProduction);
    clients = accounts.map((account) => new KnowledgeClient({ app: app.app, url: service.url }, account));
    await read(clients[0]!, 'warm');
    idle = residentMebibytes();
  });

  afterEach(async () => {
    await service.end('SIGTERM');
    await database.drop();
  });

  it('reads texts fast enough', async () => {
    const own = readDocuments().map((document) => document.text);
    // Each copy is cut at other places.
    const text = Array.from({ length: COPIES }, (_copy, at) => own.join('\n').slice(at * 1_000)).join('\n');
    const before = cpuSeconds();
    await read(clients[0]!, text);
    const speed = text.length / 1e6 / (cpuSeconds() - before);
    const begun = performance.now();
    await read(clients[0]!, text.slice(0, 10_000));
    const small = performance.now() - begun;
    process.stdout.write(`${speed.toFixed(2)} MB of text per CPU second; a text of 10 kB in ${small.toFixed(0)} ms\n`);
    expect(speed).toBeGreaterThanOrEqual(LEAST_SPEED);
    expect(small).toBeLessThanOrEqual(MOST_FOR_SMALL);
  });

  it.each(BOMBS)('needs little memory for %s', async (...bomb) => {
    const most = await mostMemoryOf(() => readBomb(clients[0]!, bomb));
    process.stdout.write(`${bomb[0]}: ${most} MiB more\n`);
    // A file that has passages in the end is a text.
    expect(most).toBeLessThanOrEqual(bomb[2] === 'ok' ? MOST_FOR_TEXT : MOST_FOR_BOMB);
  });

  it('needs little memory for a text of a million lines', async () => {
    const most = await mostMemoryOf(() => read(clients[0]!, LARGE_TEXT));
    process.stdout.write(`a text of 20 MB: ${most} MiB more\n`);
    expect(most).toBeLessThanOrEqual(MOST_FOR_TEXT);
  });

  it('answers other clients in time', async () => {
    const probe = new LivenessProbe(service);
    const [, one, other] = clients as [KnowledgeClient, KnowledgeClient, KnowledgeClient];
    const texts = [read(one, `${LARGE_TEXT.slice(1)}1`), read(other, `${LARGE_TEXT.slice(1)}2`)];
    await Promise.all([...texts, readBombs(clients[0]!)]);
    const { percentile99, slowest, answers } = await probe.end();
    const figures = `p99 ${percentile99.toFixed(0)} ms, slowest ${slowest.toFixed(0)} ms of ${answers}`;
    process.stdout.write(`/health/live during two texts and bombs: ${figures}\n`);
    expect(percentile99).toBeLessThanOrEqual(MOST_LIVE);
  });

  async function readBombs(client: KnowledgeClient): Promise<void> {
    for (const bomb of BOMBS) {
      await readBomb(client, bomb);
    }
  }

  async function readBomb(
    client: KnowledgeClient,
    [what, content, fault, filename]: (typeof BOMBS)[number],
  ): Promise<void> {
    const entry = await read(client, Buffer.from(content() as string), filename ?? 'file');
    expect([what, entry.error?.code ?? 'ok']).toEqual([what, fault]);
  }

  async function read(client: KnowledgeClient, content: Buffer | string, name = 'notes.txt'): Promise<EntryDto> {
    const store = await client.createStore();
    const { id } = await client.upload({ content, name });
    await client.attach(store.id, id);
    return eventually(async () => {
      const entry = await client.data<EntryDto>(`/knowledge/${store.id}/files/${id}`);
      return entry.status === 'in_progress' ? null : entry;
    }, PATIENCE);
  }

  async function mostMemoryOf(work: () => Promise<unknown>): Promise<number> {
    let most = 0;
    const timer = setInterval(() => (most = Math.max(most, residentMebibytes())), SAMPLE_MILLISECONDS);
    await work();
    clearInterval(timer);
    return Math.round(most - idle);
  }

  /** The kernel counts hundredths of a second, and those of a child when it has ended. */
  function cpuSeconds(): number {
    const [, fields = ''] = readFileSync(`/proc/${service.id}/stat`, 'utf8').split(') ');
    return fields
      .split(' ')
      .slice(11, 15)
      .reduce((sum, ticks) => sum + Number(ticks) / 100, 0);
  }

  function residentMebibytes(): number {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.id}/status`, 'utf8'))?.[1]) / 1_024;
  }
});
