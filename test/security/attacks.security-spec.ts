import { uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { call, type CallOptions } from '../support/http';
import { dataUrl, png } from '../support/sent-images';
import { UnfinishedBody } from '../support/unfinished-body';
import { AttackedService } from './attacked-service';
import { REFUSED_BODIES } from './refused-bodies';
import { storageAttempts } from './storage-attempts';

const MB = 1_048_576;

/** Maximum text length of an item. */
const LONGEST = 1_000_000;

const JSON_BODY = { 'content-type': 'application/json' };

/** MiB by which the process may grow: with the heap of 512, with bodies in progress, and with 200 refused ones. */
const MOST_MEMORY_OF_READS = 300;
const MOST_MEMORY_OF_BODIES = 256 + 200;
const MOST_MEMORY_OF_UNREAD = 512;

const FREE_TOKENS = 20_000;
const FREE_STORAGE_MB = 40;

/** The overhead of rows, indexes and SQLite's log beyond the counted bytes. */
const MOST_DISK_OF_STORAGE = 3 * FREE_STORAGE_MB;

/** One free account, or a few of them, try to crash or exhaust the service. It prints the cost of each attempt. */
describe('the built service under attack', () => {
  let service: AttackedService;
  let silent: UnfinishedBody[];
  const begun: UnfinishedBody[] = [];

  beforeAll(async () => {
    const people = Array.from({ length: 14 }, () => ({}));
    service = await AttackedService.start(people, {
      QUOTA_FREE_TOKENS: String(FREE_TOKENS),
      QUOTA_FREE_STORAGE_MB: String(FREE_STORAGE_MB),
    });
  });

  afterEach(() => expect(service.hasEnded).toBe(false));

  afterAll(async () => {
    [...begun, ...silent].forEach((body) => body.end());
    await service.close();
  });

  const tokenOf = (who: number): string => service.people[who]?.token ?? '';
  const door = (who: number, path: string, options: CallOptions = {}) =>
    call(`${service.origin}/openai/v1${path}`, { token: tokenOf(who), ...options });
  const conversation = async (who: number, body = {}): Promise<string> =>
    ((await door(who, '/conversations', { body })).body as { id: string }).id;
  const attackAs = (who: number): void => {
    service.attacker = service.people[who] ?? null;
  };

  it('cuts unfinished bodies, and limits the memory that they use', async () => {
    service.note('Unfinished bodies, 26 of 28 MB each, then silence');
    const head = '{"model":"none","input":[{"role":"user","content":[{"type":"input_file","file_data":"';
    const part = Buffer.from(head.padEnd(26 * MB, 'A'));
    const begin = async (who: number): Promise<UnfinishedBody> => {
      const body = await UnfinishedBody.begin(`${service.origin}/openai/v1/responses`, tokenOf(who), 28 * MB);
      begun.push(body);
      void body.write(part);
      return body;
    };
    const answers = (bodies: UnfinishedBody[]): string[] => bodies.map(({ answer }) => answer.slice(9, 12));
    const one = await service.attempt('25 connections of one account', async () => {
      const bodies = await Promise.all(Array.from({ length: 25 }, () => begin(0)));
      await eventually(() => answers(bodies).filter((status) => status === '429').length === 23);
      await eventually(async () => (await service.bytesUnderWay()) === 52 * MB);
      return bodies;
    });
    expect(one.cost.memoryAdded).toBeLessThan(52 + 200);
    const many = await service.attempt('two connections of each of 12 accounts', async () => {
      const bodies = await Promise.all(Array.from({ length: 24 }, (_body, index) => begin(1 + (index % 12))));
      await eventually(() => answers(bodies).filter((status) => status === '503').length >= 18);
      return bodies;
    });
    expect(many.cost.memoryAdded).toBeLessThan(MOST_MEMORY_OF_BODIES);
    expect(await service.bytesUnderWay()).toBeLessThanOrEqual(256 * MB);
    const { result } = await service.attempt('a small body of somebody else meanwhile', () =>
      call(`${service.people[13]?.url}/chat`, { token: tokenOf(13), body: { title: 'Still here' } }),
    );
    expect(result.status).toBe(201);
    const held = [...one.result, ...many.result].filter(({ answer }) => answer === '');
    expect(held.length).toBeGreaterThan(4);
    // The service handles one of them on its own.
    silent = held.splice(0, 1);
    held.forEach((body) => body.end());
    await eventually(async () => (await service.bytesUnderWay()) === 26 * MB);
  });

  it('does not run out of memory because of items that are stored and read concurrently', async () => {
    service.note('Items of a conversation');
    attackAs(0);
    const id = await conversation(0);
    const items = `/conversations/${id}/items`;
    const said = (text: string) => ({ role: 'user', content: text });
    const add = async (texts: string[]) => (await door(0, items, { body: { items: texts.map(said) } })).status;
    // Created once, because the attacker uses the same processors.
    const raw = Buffer.from(JSON.stringify({ items: [said('x'.repeat(26 * MB))] }));
    const huge = await service.attempt('19 items of 26 MB', () =>
      repeated(19, async () => (await door(0, items, { raw, headers: JSON_BODY })).status),
    );
    expect(new Set(huge.result)).toEqual(new Set([400]));
    expect(huge.cost.diskAdded).toBeLessThan(1);
    const allowed = await service.attempt('4 times 7 items of a million characters', () =>
      repeated(4, () => add(Array.from({ length: 7 }, () => 'x'.repeat(LONGEST)))),
    );
    expect(allowed.result).toEqual(Array(4).fill(200));
    const reads = await service.attempt('six reads of 100 items at once', () =>
      Promise.all(Array.from({ length: 6 }, () => door(0, `${items}?limit=100`))),
    );
    for (const { status, text, body } of reads.result) {
      expect([status, (body as { has_more: boolean }).has_more]).toEqual([200, true]);
      expect(text.length).toBeLessThan(4 * MB + 2 * LONGEST);
    }
    expect(reads.cost.memoryAdded).toBeLessThan(MOST_MEMORY_OF_READS);
  });

  it('does not run out of memory because of unread answers', async () => {
    service.note('Two images of 9.5 MB, asked for and not taken');
    const content = [1, 2].map(() => ({ type: 'input_image', image_url: dataUrl(png(9.5 * MB)) }));
    const id = await conversation(4, { items: [{ role: 'user', content }] });
    const images = `/openai/v1/conversations/${id}/items?include[]=message.input_image.image_url`;
    const { cost } = await service.attempt(`40 times ${images.replace(/\?.*/, '')}`, () =>
      service.askUnread(4, images, 40),
    );
    expect(cost.memoryAdded).toBeLessThan(MOST_MEMORY_OF_UNREAD);
  });

  it('returns no replies for free', async () => {
    service.note('Replies that are ended before their first word');
    attackAs(1);
    const client = service.people[1];
    const key = uniqueContent();
    const { id: chat } = (await client?.createChat()) ?? { id: 0 };
    const reply = (await client?.send(chat, `${key} ${'some words '.repeat(1_000)}`))?.body[1];
    await service.model.script({ key, hang: true });
    const regenerated = await service.attempt('regenerate and stop, four times', async () => {
      for (let count = 0; count < 4; count++) {
        const path = `/chat/${chat}/messages/${reply?.id}/regenerate`;
        const answer = client?.request(path, { method: 'POST', body: {} });
        await service.model.waitFor('received', { key, count: count + 2 });
        await client?.stop(chat);
        await answer;
      }
    });
    expect(regenerated.cost.counted).toBeGreaterThan(4 * 1_900);
    const left = await service.attempt('completions whose client leaves, until the quota ends that', async () => {
      for (let count = 1; ; count++) {
        const leaving = new AbortController();
        const before = await service.tokensUsed();
        const messages = [{ role: 'user', content: `${key} ${'some words '.repeat(1_000)}` }];
        const answer = fetch(`${service.origin}/openai/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${tokenOf(1)}`, 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'General assistant', messages }),
          signal: leaving.signal,
        }).then(
          ({ status }) => status,
          () => 0,
        );
        const refused = await Promise.race([answer, service.model.waitFor('received', { key, count: count + 5 })]);
        leaving.abort();
        if (refused === 429) {
          return count;
        }
        await eventually(async () => (await service.tokensUsed()) > before);
      }
    });
    expect(left.result).toBeLessThan(8);
    expect(await service.tokensUsed()).toBeGreaterThanOrEqual(FREE_TOKENS);
  });

  it('stores no files from refused requests', async () => {
    service.note('Two images of 9.5 MB when the quota of the day is used up');
    attackAs(1);
    const image = { type: 'input_image', image_url: dataUrl(png(9.5 * MB)) };
    const input = [{ role: 'user', content: [image, image] }];
    const body = { model: 'General assistant', input };
    const { result, cost } = await service.attempt('three responses', () =>
      repeated(3, async () => (await door(1, '/responses', { body })).status),
    );
    expect(result).toEqual([429, 429, 429]);
    expect(cost.diskAdded).toBeLessThan(0.5);
    expect(cost.counted).toBe(0);
  });

  it('stores no more than the plan allows, whatever a client sends', async () => {
    service.note(`Storage of ${FREE_STORAGE_MB} MB`);
    attackAs(3);
    const id = await conversation(3);
    const fill = async (length: number, count: number): Promise<number> => {
      const items = Array<object>(count).fill({ role: 'user', content: 'x'.repeat(length) });
      let sent = 0;
      while ((await door(3, `/conversations/${id}/items`, { body: { items } })).status === 200) {
        sent++;
      }
      return sent;
    };
    const filled = await service.attempt('items until it is full', async () => [
      await fill(LONGEST, 7),
      await fill(100_000, 5),
      await fill(5_000, 5),
      await fill(0, 20),
    ]);
    expect(filled.result[0]).toBe(Math.floor((FREE_STORAGE_MB * MB) / (7 * LONGEST)));
    expect(filled.cost.diskAdded).toBeLessThan(MOST_DISK_OF_STORAGE);
    for (const [what, path, body] of storageAttempts(id, LONGEST)) {
      const { result, cost } = await service.attempt(`${what}, when it is full`, () => door(3, path, { body }));
      const { error } = result.body as { error?: { code: string; message: string } };
      expect([what, result.status, error?.code]).toEqual([what, 413, 'STORAGE_QUOTA_EXCEEDED']);
      expect(error?.message).toMatch(/until they leave the trash/);
      expect([what, cost.diskAdded < 0.5, cost.counted]).toEqual([what, true, 0]);
    }
  });

  it('refuses bodies that would take much time, and answers other clients promptly', async () => {
    service.note('Bodies that are refused');
    attackAs(2);
    for (const refused of REFUSED_BODIES) {
      const { what } = refused;
      const body = refused.body();
      const { cost } = await service.attempt(what, () => service.send(2, refused, body));
      expect([what, cost.diskAdded < 0.5, cost.counted]).toEqual([what, true, 0]);
    }
  });

  it('has cut the silent body on its own, released its memory, and continues', async () => {
    await silent[0]?.closed();
    expect(silent.map(({ answer }) => answer.slice(9, 12))).toEqual(['400']);
    expect(silent[0]?.answer).toContain('took too long');
    await eventually(async () => (await service.bytesUnderWay()) === 0);
    const { status, body } = await call(`${service.origin}/health`);
    expect([status, body]).toEqual([200, expect.objectContaining({ status: 'ok' })]);
    service.note(`At the end: ${Math.round(service.memory())} MB`);
  });
});

async function repeated<Result>(count: number, act: () => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  while (results.length < count) results.push(await act());
  return results;
}
