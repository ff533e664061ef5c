import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Database } from '../../src/database/database';
import { queryRows } from '../../src/database/statements/query';
import { ServiceProcess, SMALL } from './chat-process';
import { EmbeddingServer } from './embedding-server';
import { eventually } from './eventually';
import { KnowledgeClient } from './knowledge';
import { createMigratedDatabase } from './servers/migrated-database';
import type { TestDatabase } from './servers/sql-server';
import { startInstance, startTestApp } from './test-app';

/** Milliseconds after a start within which the process is killed: parsing, passages and vectors take about as long. */
const LATEST_KILL = 2_500;

const ARRIVAL = 50;

const USERS = 2;

/** What is in the database after all kills, compared with what should be. */
export interface KillOutcome {
  entries: number;
  completed: number;
  /** Passages that are there twice, or not at all. */
  wrongPassages: number;
  /** Passages that no word leads to. */
  unindexed: number;
  /** Texts that were sent more than twice. */
  sentTooOften: number;
  /** Texts that were sent again although a kill did not cut their batch. */
  sentAgainWithoutKill: number;
}

/** A service that is killed again and again while it reads files. */
export class KilledIngestion {
  /** The number of requests before each kill. */
  private readonly kills: number[] = [];

  private constructor(
    private readonly server: EmbeddingServer,
    private readonly database: TestDatabase,
    private readonly environment: Record<string, string>,
  ) {}

  /** @param files of each of the users */
  static async start(files: number): Promise<KilledIngestion> {
    const server = await EmbeddingServer.start();
    const database = await createMigratedDatabase();
    const environment = {
      DATABASE_URL: database.url,
      LLM_PROVIDER: 'openai-compatible',
      LLM_BASE_URL: server.url,
      LLM_MODEL: 'scripted',
      EMBEDDING_PROVIDER: 'default',
      EMBEDDING_MODEL: 'words-16',
      QUOTA_FREE_EMBEDDING_TOKENS: '1000000000',
      KNOWLEDGE_INGESTIONS: '0',
    };
    const app = await startTestApp(environment);
    const killed = new KilledIngestion(server, database, { ...app.environment, ...SMALL, KNOWLEDGE_INGESTIONS: '2' });
    for (let user = 0; user < USERS; user++) {
      const client = await KnowledgeClient.of(app);
      const store = await client.createStore();
      for (let file = 0; file < files; file++) {
        const { id } = await client.upload({ content: textOf(user, file) });
        const strategy = { type: 'static', static: { max_chunk_size_tokens: 100, chunk_overlap_tokens: 0 } };
        await client.attach(store.id, id, { chunking_strategy: strategy });
      }
    }
    await app.close();
    return killed;
  }

  /** Starts the service and kills it a moment later. @returns the number of kills so far */
  async kill(): Promise<number> {
    const process = await ServiceProcess.start(this.environment);
    await delay(randomInt(LATEST_KILL));
    await process.end('SIGKILL');
    // What it has sent may still arrive.
    await delay(ARRIVAL);
    return this.kills.push(this.server.requests.length);
  }

  /** Whether files remain to be read. */
  async hasWork(): Promise<boolean> {
    const instance = await startInstance({ ...this.environment, KNOWLEDGE_INGESTIONS: '0' });
    const [row] = await queryRows<{ jobs: number | string }>(
      instance.app.get(Database).manager,
      'SELECT COUNT(*) AS jobs FROM knowledge_jobs',
    );
    await instance.app.close();
    return Number(row?.jobs) > 0;
  }

  /** Lets the service finish, and looks at what it made. */
  async finish(): Promise<KillOutcome> {
    const { app } = await startInstance(this.environment);
    const { manager } = app.get(Database);
    const count = async (sql: string): Promise<number> =>
      Number((await queryRows<{ found: number | string }>(manager, sql))[0]?.found);
    await eventually(async () => (await count('SELECT COUNT(*) AS found FROM knowledge_jobs')) === 0, 600);
    const outcome = {
      entries: await count('SELECT COUNT(*) AS found FROM knowledge_entries'),
      completed: await count(
        "SELECT COUNT(*) AS found FROM knowledge_entries WHERE status = 'completed' AND warning IS NULL",
      ),
      wrongPassages: await count(
        `SELECT COUNT(*) AS found FROM (SELECT entry.id FROM knowledge_entries entry
          LEFT JOIN knowledge_passages passage ON passage.ingestion_id = entry.ingestion_id
          GROUP BY entry.id, entry.passages
          HAVING COUNT(passage.id) <> entry.passages OR COUNT(DISTINCT passage.start_offset) <> entry.passages
            OR MAX(passage.number) <> entry.passages - 1) wrong`,
      ),
      unindexed: await count(
        `SELECT COUNT(*) AS found FROM knowledge_passages passage WHERE NOT EXISTS
          (SELECT 1 FROM knowledge_vectors stored WHERE stored.passage_id = passage.id)`,
      ),
      ...this.sent(),
    };
    await app.close();
    return outcome;
  }

  async close(): Promise<void> {
    await this.server.close();
    await this.database.drop();
  }

  private sent(): Pick<KillOutcome, 'sentTooOften' | 'sentAgainWithoutKill'> {
    const batches = this.server.requests.map(({ input }) => [input].flat());
    const placesOf = new Map<string, number[]>();
    batches.forEach((texts, place) =>
      texts.forEach((text) => placesOf.set(text, [...(placesOf.get(text) ?? []), place])),
    );
    const places = [...placesOf.values()];
    // One batch of a file is on its way at a time, so a kill cuts the last one before it.
    const isCut = (place: number): boolean => {
      const end = this.kills.find((requests) => requests > place) ?? place;
      const file = fileOf(batches[place]!);
      return end > place && !batches.slice(place + 1, end).some((texts) => fileOf(texts) === file);
    };
    return {
      sentTooOften: places.filter(({ length }) => length > 2).length,
      sentAgainWithoutKill: places.filter((sent) => sent.length > 1 && !isCut(sent[0]!)).length,
    };
  }
}

/** The file that texts are from. */
function fileOf([text = '']: readonly string[]): string {
  return /User \d+ wrote in file \d+/.exec(text)?.[0] ?? '';
}

function textOf(user: number, file: number): string {
  const line = (index: number): string =>
    `User ${user} wrote in file ${file} line ${index} about ${(index * 7_919) % 1_009}.\n`;
  return Array.from({ length: 600 }, (_line, index) => line(index)).join('');
}
