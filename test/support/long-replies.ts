import { readFileSync } from 'node:fs';
import { createUser } from './accounts';
import { modelEnvironment } from './chat-app';
import { ChatClient, uniqueContent } from './chat-client';
import { ServiceProcess } from './chat-process';
import { type Liveness, LivenessProbe } from './liveness';
import { type ModelServer, startModelServer } from './model-server/model-server';
import { createMigratedDatabase } from './servers/migrated-database';
import type { TestDatabase } from './servers/sql-server';
import { startTestApp } from './test-app';

const MEBIBYTE = 1_048_576;

/** A chunk from a fast model. */
const PIECE = 'A river of words, told by a model that nobody holds back. '.repeat(7);

export interface Flood {
  liveness: Liveness;
  seconds: number;
  /** Bytes of text in all replies. */
  textBytes: number;
  /** The maximum memory of the process, minus that at the start. */
  grownBytes: number;
}

/** The built service in its own process, and users who all get a long reply concurrently. */
export class LongReplies {
  private constructor(
    private readonly database: TestDatabase,
    private readonly model: ModelServer,
    readonly service: ServiceProcess,
    private readonly people: ChatClient[],
  ) {}

  static async start(people: number): Promise<LongReplies> {
    const database = await createMigratedDatabase();
    const model = await startModelServer();
    const app = await startTestApp({ DATABASE_URL: database.url, ...modelEnvironment(model) });
    const accounts = await Promise.all(Array.from({ length: people }, () => createUser(app)));
    await app.app.close();
    await app.mails.stop();
    const service = await ServiceProcess.start({ ...app.environment, SHUTDOWN_GRACE_SECONDS: '1' });
    const clients = accounts.map(({ token }) => new ChatClient(service.url, token));
    return new LongReplies(database, model, service, clients);
  }

  /**
   * Each user receives a text of this number of UTF-16 units, all concurrently, and reads it again after the end.
   *
   * @param delay milliseconds between two pieces; 0: as fast as the service accepts them
   */
  async flood(length: number, delay: number): Promise<Flood> {
    const content = uniqueContent('flood');
    const count = Math.floor(length / PIECE.length);
    await this.model.script({ key: content, steps: [{ repeat: { text: PIECE, count, delay } }] });
    const chats = await Promise.all(this.people.map((person) => person.createChat({ title: 'Long' })));
    const before = memory(this.service, 'VmRSS');
    const probe = new LivenessProbe(this.service);
    const begun = performance.now();
    const ends = await Promise.all(
      this.people.map(async (person, index) => {
        const stream = await person.stream(chats[index]!.id, content);
        const { text, trailer } = await stream.plain();
        return { length: text.length, isWhole: text === PIECE.repeat(count), status: trailer.status };
      }),
    );
    const seconds = (performance.now() - begun) / 1_000;
    const liveness = await probe.end();
    const grownBytes = memory(this.service, 'VmHWM') - before;
    const whole = { length: count * PIECE.length, isWhole: true, status: 'completed' };
    expect(ends).toEqual(this.people.map(() => whole));
    for (const [index, person] of this.people.entries()) {
      const { messages } = await person.read(chats[index]!.id);
      expect(messages[1]?.content === PIECE.repeat(count)).toBe(true);
    }
    return { liveness, seconds, textBytes: this.people.length * whole.length, grownBytes };
  }

  async close(): Promise<void> {
    await this.service.end('SIGTERM');
    await this.model.close();
    await this.database.drop();
  }
}

export function describeFlood({ liveness, seconds, textBytes, grownBytes }: Flood): string {
  const [text, grown] = [textBytes, grownBytes].map((bytes) => Math.round(bytes / MEBIBYTE));
  return (
    `${text} MiB of replies in ${seconds.toFixed(1)} s: memory grew by ${grown} MiB, ` +
    `the slowest of ${liveness.answers} signs of life took ${Math.round(liveness.slowest)} ms`
  );
}

/** @param name `VmRSS`: now; `VmHWM`: maximum */
function memory({ id }: ServiceProcess, name: 'VmRSS' | 'VmHWM'): number {
  const found = new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${id}/status`, 'utf8'));
  return Number(found?.[1]) * 1_024;
}
