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

/** What an index promises to a feature, whatever its documents are. */
function itKeepsTheContract(service: () => NoteService): void {
  let ownerId: number;
  /** Folders of this owner and of nobody else. */
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

  /** The notes that the index names, by their folders; null when it does not serve. */
  const named = async (text: string, of = ownerId) => {
    const answer = await service().index.candidates(of, text);
    return answer && Object.fromEntries(answer.candidates.groupIds.map((id) => [id, [...answer.candidates.of(id)]]));
  };

  beforeEach(() => {
    ownerId = owners.next().value!;
    [first, second] = [ownerId * 10, ownerId * 10 + 1];
  });

  it('names the documents of one owner that have a text, by their groups', async () => {
    const [lisbon, porto] = [await fillSegment(first, 'A week in Lisbon'), await fillSegment(second, 'From LISBON on')];
    await fillSegment(first, 'Lisbon again', owners.next().value);
    await service().fill();
    expect(await named('lisbon')).toEqual({ [first]: [lisbon], [second]: [porto] });
    expect(await named('week in')).toEqual({ [first]: [lisbon] });
    expect(await named('nowhere')).toEqual({});
  });

  it('names the newest document of a group first', async () => {
    const older = await fillSegment(first, 'Lisbon');
    const newer = await fillSegment(first, 'Lisbon');
    await service().fill();
    expect(await named('lisbon')).toEqual({ [first]: [newer, older] });
  });

  it('names a document whose length is 0, in the first place too', async () => {
    const [tagged] = await service().add([{ ownerId, folderId: first, text: '#lisbon' }]);
    await fillSegment(second, 'Porto');
    await service().fill();
    expect(await named('lisbon')).toMatchObject({ [first]: [tagged] });
    expect(await named('porto')).toMatchObject({ [first]: [] });
  });

  it('does not serve for a short text, nor before a segment is full', async () => {
    const [id] = await service().add([{ ownerId, folderId: first, text: 'Lisbon' }]);
    await service().fill();
    expect([await named('lisbon'), await service().stored(ownerId)]).toEqual([null, { segments: 1, grams: 0 }]);
    await fillSegment(first, 'Porto');
    await service().fill();
    expect([await named('li'), await named('lisbon')]).toEqual([null, { [first]: expect.arrayContaining([id]) as [] }]);
  });

  it('finds the groups with a text, also before it can serve, and among documents that it does not know yet', async () => {
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

  it('says from where on it knows nothing, and waits for a document that may still change', async () => {
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

  it('leaves a segment alone for a quarter of an hour in which a document may change again', async () => {
    const id = await fillSegment(first, 'Lisbon');
    await service().fill();
    await service().change(id, { isDraft: true });
    expect(await service().buildAnew(ownerId)).toEqual([15]);
    await service().change(id, { isDraft: false });
    await service().fill();
    expect(await named('lisbon')).toEqual({ [first]: [id] });
  });

  it('loses groups that are erased, and is built again from the others', async () => {
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

  it('keeps nothing of an owner who is removed, and everything of another', async () => {
    const other = owners.next().value;
    const kept = await fillSegment(second, 'Lisbon', other);
    await fillSegment(first, 'Lisbon');
    await service().fill();
    expect((await service().stored(ownerId)).grams).toBeGreaterThan(0);
    await service().index.removeOwner(ownerId);
    expect(await service().stored(ownerId)).toEqual({ segments: 0, grams: 0 });
    expect([await named('lisbon'), await named('lisbon', other)]).toEqual([null, { [second]: [kept] }]);
  });

  it('keeps the documents of other kinds apart', async () => {
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
