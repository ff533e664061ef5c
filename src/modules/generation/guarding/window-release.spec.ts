import { fake } from '../../../../test/support/fake';
import { type AppliedGuard, type GuardScope, MaskRestorer, Masks } from '../../guard/guard.api';
import { GuardedPart, guardPart } from './guarded-part';
import { OutputBlockedError, type OutputPiece, shownText, WindowRelease } from './window-release';

const WINDOW = 24;

const ADDRESS = /[a-z0-9.]{1,12}@[a-z]{1,6}\.[a-z]{2,4}/g;

const WORDS = [
  'the',
  'answer',
  '😀',
  'über',
  '[EMAIL_1]',
  '[NOTE_7]',
  '[ ',
  'a@b',
  'x.y',
  '日本語',
  '[[cite',
  'e\u0301',
  '👩‍👩‍👧',
];

/** A guard that finds addresses as far as it sees them. */
function find(text: string): { action: 'allow' | 'mask'; spans: { start: number; end: number; type: string }[] } {
  const spans = [...text.matchAll(ADDRESS)].map(({ index, 0: found }) => ({
    start: index,
    end: index + found.length,
    type: 'EMAIL',
  }));
  return { action: spans.length > 0 ? 'mask' : 'allow', spans };
}

interface Released {
  text: string;
  /** The text after each release. */
  states: string[];
  calls: { text: string; offset: number; final: boolean }[];
}

async function releaseAll(
  pieces: readonly OutputPiece[],
  {
    windows = [WINDOW],
    masks = new Masks(),
    check = find,
  }: { windows?: number[]; masks?: Masks; check?: typeof find } = {},
): Promise<Released> {
  const released: Released = { text: '', states: [], calls: [] };
  const guards = windows.map(
    (window) =>
      new WindowRelease(window, masks, (part) => {
        released.calls.push(part);
        return Promise.resolve(check(part.text));
      }),
  );
  const restorer = new MaskRestorer(masks);
  const show = (text: string): void => {
    released.text += text;
    released.states.push(released.text);
  };
  const part = new GuardedPart(guards, (left) => {
    for (const piece of left) {
      show(typeof piece === 'string' ? restorer.read(piece) : restorer.end() + shown(piece));
    }
  });
  for (const piece of pieces) {
    await part.take([piece]);
  }
  await part.end();
  show(restorer.end());
  return released;
}

function shown(piece: Exclude<OutputPiece, string>): string {
  return typeof piece === 'number' ? `{${piece}}` : piece.mask;
}

/** The same texts in each run, so that a failure can be repeated. */
function textsOf(count: number, seed = 7): string[] {
  let state = seed;
  const next = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
  return Array.from({ length: count }, () =>
    Array.from({ length: 3 + next(12) }, () =>
      next(4) === 0 ? `${'user'.slice(next(4))}.${next(1_000)}@mail.com` : (WORDS[next(WORDS.length)] as string),
    ).join(next(2) === 0 ? ' ' : ', '),
  );
}

const TEXTS = textsOf(1_000);

it('leaks no value and equals the unsplit text, for 1,000 texts split at every position', async () => {
  let [leaked, different, splits] = [0, 0, 0];
  for (const text of TEXTS) {
    const { text: whole } = await releaseAll([text]);
    const values = new Set(text.match(ADDRESS));
    for (let place = 1; place < text.length; place++) {
      const { text: result, states } = await releaseAll([text.slice(0, place), text.slice(place)]);
      splits++;
      different += Number(result !== whole);
      leaked += Number([...values].some((value) => states.some((state) => state.includes(value))));
    }
  }
  expect({ leaked, different }).toEqual({ leaked: 0, different: 0 });
  expect(splits).toBeGreaterThan(50_000);
});

it('equals the whole text however it is split, character by character too', async () => {
  for (const text of TEXTS.slice(0, 200)) {
    const { text: whole } = await releaseAll([text], { windows: [0] });
    for (const size of [1, 2, 3, 7, 25]) {
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      expect((await releaseAll(pieces)).text).toBe(whole);
      expect((await releaseAll(pieces, { windows: [WINDOW, 0, 40] })).text).toBe(whole);
    }
  }
});

it('equals the unguarded text if nothing was found', async () => {
  const allow: typeof find = () => ({ action: 'allow', spans: [] });
  for (const text of TEXTS) {
    for (const windows of [[1], [WINDOW], [0], [10, 50]]) {
      const pieces = text.match(/[^]{1,5}/g) ?? [];
      expect((await releaseAll(pieces, { windows, check: allow })).text).toBe(text);
    }
  }
});

it('shows nothing of a value before the guard has seen the characters that follow', async () => {
  const value = 'abcdefghijkl@mailin.comx';
  const { states } = await releaseAll([...`${'-'.repeat(60)}${value} and more text that follows it`]);
  expect(states.filter((state) => /-a/.test(state))).toEqual([]);
});

it('calls the guard when a window of characters has arrived, with those released before', async () => {
  const { calls } = await releaseAll([...'0123456789abcdefghijk'], { windows: [5] });
  expect(calls).toEqual([
    { text: '01234', offset: 0, final: false },
    { text: '0123456789', offset: 0, final: false },
    { text: '0123456789abcde', offset: 0, final: false },
    { text: '56789abcdefghij', offset: 5, final: false },
    { text: 'abcdefghijk', offset: 10, final: true },
  ]);
});

it('calls the guard once with the whole part for window 0', async () => {
  const { calls } = await releaseAll([...'0123456789'], { windows: [0] });
  expect(calls).toEqual([{ text: '0123456789', offset: 0, final: true }]);
});

it('counts characters, and never splits one', async () => {
  const { calls } = await releaseAll(
    [...'😀😀😀😀😀'].flatMap((face) => face.split('')),
    { windows: [2] },
  );
  expect(calls.map(({ text, offset }) => [text, offset])).toEqual([
    ['😀😀', 0],
    ['😀😀😀😀', 0],
    ['😀😀😀😀😀', 0],
  ]);
});

it('keeps citations in their place, and those within a value after its mask', async () => {
  const text = ['See', 1, ' a@bc.de', 2, ' and x@', 3, 'yz.fr end', 4];
  expect((await releaseAll(text)).text).toBe('See{1} [EMAIL_1]{2} and [EMAIL_2]{3} end{4}');
});

it('restores masks of the input, but not those of an output guard', async () => {
  const masks = new Masks();
  masks.maskFor('in@bc.de', 'EMAIL', 'answer');
  const { text } = await releaseAll([...'Known [EMAIL_1], found in@bc.de and a@bc.de, unknown [EMAIL_9]'], { masks });
  expect(text).toBe('Known in@bc.de, found [EMAIL_1] and [EMAIL_2], unknown [EMAIL_9]');
});

it('drops a span that touches a mask', async () => {
  const masks = new Masks();
  masks.maskFor('in@bc.de', 'EMAIL', 'answer');
  const check: typeof find = (text) => ({ action: 'mask', spans: [{ start: 0, end: text.length, type: 'ALL' }] });
  expect((await releaseAll(['to [EMAIL_1] now'], { masks, check, windows: [0] })).text).toBe('to in@bc.de now');
});

it('releases nothing after a guard has blocked', async () => {
  const released: OutputPiece[] = [];
  const guard = new WindowRelease(3, new Masks(), ({ text }) =>
    Promise.resolve({ action: text.includes('bad') ? 'block' : 'allow', spans: [] }),
  );
  const part = new GuardedPart([guard], (pieces) => void released.push(...pieces));
  const work = async (): Promise<void> => {
    for (const character of 'fine so far, but bad') {
      await part.take([character]);
    }
    await part.end();
  };
  await expect(work()).rejects.toThrow(OutputBlockedError);
  expect(released.map(String).join('')).toBe('fine so far, bu');
});

it('shows all text to a guard that only reports, without waiting for it', async () => {
  const texts: string[] = [];
  const released: string[] = [];
  const guard = fake<AppliedGuard>({
    mode: 'report',
    window: 4,
    check: ({ text }) => {
      texts.push(text);
      return new Promise(() => undefined);
    },
  });
  const { signal } = new AbortController();
  const part = guardPart([guard], { part: 'text', scope: {} as GuardScope, masks: new Masks(), signal }, (pieces) => {
    released.push(...pieces.map(shownText));
  });
  await part.take(['abcdef']);
  await part.take(['ghijkl']);
  await part.end();
  expect([released, texts]).toEqual([['abcdef', 'ghijkl'], ['abcdef']]);
});
