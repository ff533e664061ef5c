import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMariadbServer } from '../support/servers/mariadb-server';
import { describeWithProgram } from '../support/servers/required-program';
import type { SqlServer } from '../support/servers/sql-server';
import { NoteService, SEGMENT } from './text-index.harness';

const owners = (function* () {
  for (let id = 1; ; id++) yield id;
})();

/** The contract of an index, independent of its documents. */
function itKeepsTheContract(service: () => NoteService): void {
  let ownerId: number;
  /** Folders of this owner only. */
  let [first, second]: [number, number] = [0, 0];

  /** As many notes as a segment has, one of them with this text. @returns its id */
  const fillSegment = async (folderId: number, text: string, of = ownerId) => {
    const notes = Array.from({ length: SEGMENT }, (_note, index) => ({
      ownerId: of,
      folderId,
      text: index === 3 ? text : `note ${index}`,
    }));
    return (await service().add(notes))[3]!;
  };

  /** The notes that the index returns, by their folders; null when it is not ready. */
  const named = async (text: string, of = ownerId) => {
    const answer = await service().index.candidates(of, text);
    return answer && Object.fromEntries(answer.candidates.groupIds.map((id) => [id, [...answer.candidates.of(id)]]));
  };

  beforeEach(() => {
    ownerId = owners.next().value!;
    [first, second] = [ownerId * 10, ownerId * 10 + 1];
  });

  it('returns the documents of one owner that contain a text, by their groups', async () => {
    const [lisbon, porto] = [await fillSegment(first, 'A week in Lisbon'), await fillSegment(second, 'From LISBON on')];
    await fillSegment(first, 'Lisbon again', owners.next().value);
    await service().fill();
    expect(await named('lisbon')).toEqual({ [first]: [lisbon], [second]: [porto] });
    expect(await named('week in')).toEqual({ [first]: [lisbon] });
    expect(await named('nowhere')).toEqual({});
  });

  it('returns the newest document of a group first', async () => {
    const older = await fillSegment(first, 'Lisbon');
    const newer = await fillSegment(first, 'Lisbon');
    await service().fill();
    expect(await named('lisbon')).toEqual({ [first]: [newer, older] });
  });

  it('returns a document with length 0, also as the first one', async () => {
    const [tagged] = await service().add([{ ownerId, folderId: first, text: '#lisbon' }]);
    await fillSegment(second, 'Porto');
    await service().fill();
    expect(await named('lisbon')).toMatchObject({ [first]: [tagged] });
    expect(await named('porto')).toMatchObject({ [first]: [] });
  });

  it('is not ready for a short text, nor before a segment is full', async () => {
    const [id] = await service().add([{ ownerId, folderId: first, text: 'Lisbon' }]);
    await service().fill();
    expect([await named('lisbon'), await service().stored(ownerId)]).toEqual([null, { segments: 1, grams: 0 }]);
    await fillSegment(first, 'Porto');
    await service().fill();
    expect([await named('li'), await named('lisbon')]).toEqual([null, { [first]: expect.arrayContaining([id]) as [] }]);
  });

  it('finds the groups with a text, even before it is ready, and among documents that are not indexed yet', async () => {
    const find = async () => [
      await service().find(ownerId, 'lisbon', [first, second]),
      await service().find(ownerId, 'porto', [first, second]),
      await service().find(ownerId, 'lisbon', [second]),
    ];
    await fillSegment(first, 'A week in Lisbon');
    expect(await find()).toEqual([[first], [], []]);
    await service().fill();
    expect(await named('lisbon')).not.toBeNull();
    expect(await find()).toEqual([[first], [], []]);
    const [porto] = await service().add([{ ownerId, folderId: second, text: 'PORTO' }]);
    expect(await find()).toEqual([[first], [second], []]);
    await service().change(porto!, { isInTrash: true });
    expect(await find()).toEqual([[first], [], []]);
  });

  it('reports from where on it is incomplete, and waits for a document that may still change', async () => {
    await fillSegment(first, 'Lisbon');
    await service().fill();
    const [draft, later] = await service().add([
      { ownerId, folderId: first, text: 'half', isDraft: true },
      { ownerId, folderId: first, text: 'Lisbon' },
    ]);
    await service().fill(2);
    expect(await service().index.candidates(ownerId, 'lisbon')).toMatchObject({ lastId: draft! - 1, newestId: later });
    await service().change(draft!, { text: 'half and whole', isDraft: false });
    await service().fill();
    expect(await service().index.candidates(ownerId, 'whole')).toMatchObject({ lastId: later, newestId: later });
  });

  it('postpones a segment for a quarter of an hour while a document may change again', async () => {
    const id = await fillSegment(first, 'Lisbon');
    await service().fill();
    await service().change(id, { isDraft: true });
    expect(await service().buildAnew(ownerId)).toEqual([15]);
    await service().change(id, { isDraft: false });
    await service().fill();
    expect(await named('lisbon')).toEqual({ [first]: [id] });
  });

  it('drops erased groups, and is rebuilt from the others', async () => {
    const [lisbon] = await service().add([{ ownerId, folderId: first, text: 'Lisbon' }]);
    await fillSegment(second, 'Lisbon');
    await fillSegment(second, 'Porto');
    await service().fill();
    expect(Object.keys((await named('lisbon'))!)).toEqual([String(first), String(second)]);
    await service().erase(ownerId, [second]);
    expect(await service().stored(ownerId)).toEqual({ segments: 1, grams: 0 });
    await service().fill();
    expect([await named('lisbon'), await named('porto')]).toEqual([{ [first]: [lisbon] }, {}]);
  });

  it('keeps nothing of a removed owner, and everything of another', async () => {
    const other = owners.next().value;
    const kept = await fillSegment(second, 'Lisbon', other);
    await fillSegment(first, 'Lisbon');
    await service().fill();
    expect((await service().stored(ownerId)).grams).toBeGreaterThan(0);
    await service().index.removeOwner(ownerId);
    expect(await service().stored(ownerId)).toEqual({ segments: 0, grams: 0 });
    expect([await named('lisbon'), await named('lisbon', other)]).toEqual([null, { [second]: [kept] }]);
  });

  it('separates documents of other types', async () => {
    await fillSegment(first, 'Lisbon');
    await service().fill();
    const rows = await service().database.manager.query<object[]>('SELECT id FROM chat_search_segments');
    expect(rows).toEqual([]);
  });
}

describe('an index of texts on SQLite', () => {
  let folder: string;
  let service: NoteService;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'notes-'));
    service = await NoteService.start(`sqlite:${join(folder, 'app.sqlite')}`);
  });

  afterAll(async () => {
    await service.close();
    await rm(folder, { recursive: true });
  });

  itKeepsTheContract(() => service);
});

describeWithProgram('mariadbd', 'an index of texts on MariaDB', () => {
  let server: SqlServer;
  let service: NoteService;

  beforeAll(async () => {
    server = await startMariadbServer();
    service = await NoteService.start(`${server.url}?wait=99`);
  });

  afterAll(async () => {
    await service.close();
    await server.stop();
  });

  itKeepsTheContract(() => service);
});
