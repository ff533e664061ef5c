import { MaskRestorer } from './mask-restorer';
import { joinSpans } from './mask-text';
import { Masks } from './masks';

const EMAIL = { type: 'EMAIL', restore: 'answer' } as const;

it('numbers masks per type, and gives the same value the same mask', () => {
  const masks = new Masks();
  const text = 'a@b.c or d@e.f or a@b.c by Ann';
  const spans = [
    { ...EMAIL, start: 0, end: 5 },
    { ...EMAIL, start: 9, end: 14 },
    { ...EMAIL, start: 18, end: 23 },
    { start: 27, end: 30, type: 'PERSON', restore: 'answer' as const },
  ];
  expect(masks.apply(text, spans)).toBe('[EMAIL_1] or [EMAIL_2] or [EMAIL_1] by [PERSON_1]');
  expect(masks.unsaved).toHaveLength(3);
  expect(masks.restore('[EMAIL_2], [PERSON_1], [PERSON_2]', 'answer')).toBe('d@e.f, Ann, [PERSON_2]');
});

it('continues the numbers of stored pairs', () => {
  const masks = new Masks([{ type: 'EMAIL', number: 4, value: 'a@b.c', restore: 'answer' }]);
  expect(masks.maskFor('a@b.c', 'OTHER', 'answer')).toBe('[EMAIL_4]');
  expect(masks.maskFor('d@e.f', 'EMAIL', 'answer')).toBe('[EMAIL_5]');
  expect(masks.unsaved).toEqual([{ type: 'EMAIL', number: 5, value: 'd@e.f', restore: 'answer' }]);
});

it('escapes text that looks like a mask, so that it is never replaced', () => {
  const masks = new Masks();
  const masked = masks.apply('[EMAIL_1] is a@b.c [email_1] [IBAN_12]', [{ ...EMAIL, start: 13, end: 18 }]);
  expect(masked).toBe('[ EMAIL_1] is [EMAIL_1] [email_1] [ IBAN_12]');
  expect(masks.restore(masked, 'answer')).toBe('[ EMAIL_1] is a@b.c [email_1] [ IBAN_12]');
});

it('maps places of a masked text to the original one', () => {
  const masks = new Masks();
  const text = '[A_1] a@b.c and Ann [B_2]';
  const { text: masked, original } = masks.applyMapped(text, [{ ...EMAIL, start: 6, end: 11 }]);
  for (const word of ['and', 'Ann', 'A_1', '] ']) {
    const start = masked.indexOf(word);
    const span = original({ start, end: start + word.length, type: 'X' });
    expect(span && text.slice(span.start, span.end)).toBe(word);
  }
  const mask = masked.indexOf('[EMAIL_1]');
  expect(original({ start: mask - 2, end: mask + 1, type: 'X' })).toBeNull();
  expect(original({ start: mask + 9, end: mask + 12, type: 'X' })).toMatchObject({ start: 11, end: 14 });
});

it('joins overlapping spans, with the type of the earliest', () => {
  const spans = [
    { start: 4, end: 8, type: 'B' },
    { start: 0, end: 5, type: 'A' },
    { start: 8, end: 9, type: 'C' },
  ];
  expect(joinSpans(spans)).toEqual([
    { start: 0, end: 8, type: 'A' },
    { start: 8, end: 9, type: 'C' },
  ]);
});

it('restores only what the guard wants', () => {
  const masks = new Masks();
  masks.maskFor('answer', 'A', 'answer');
  masks.maskFor('"tools"', 'A', 'answer_and_tools');
  masks.maskFor('none', 'A', 'none');
  expect(masks.restore('[A_1] [A_2] [A_3]', 'answer')).toBe('answer "tools" [A_3]');
  expect(masks.restoreJson('{"to":"[A_1] [A_2] [A_3]"}', 'tools')).toBe(String.raw`{"to":"[A_1] \"tools\" [A_3]"}`);
});

it('restores the value of a mask of the output once the input has it too', () => {
  const masks = new Masks();
  masks.maskFor('a@b.c', 'EMAIL', 'none');
  expect(masks.restore('[EMAIL_1]', 'answer')).toBe('[EMAIL_1]');
  masks.maskFor('a@b.c', 'EMAIL', 'answer');
  expect(masks.restore('[EMAIL_1]', 'answer')).toBe('a@b.c');
});

it('masks known values again, the longest first', () => {
  const masks = new Masks();
  masks.maskFor('b@c.d', 'EMAIL', 'answer');
  masks.maskFor('ab@c.d', 'EMAIL', 'answer');
  expect(masks.applyKnown('ab@c.d, b@c.d, b@c.d and [EMAIL_2]')).toBe('[EMAIL_2], [EMAIL_1], [EMAIL_1] and [ EMAIL_2]');
});

it('restores a mask that is split at any place', () => {
  const masks = new Masks();
  const type = `A${'B'.repeat(31)}`;
  masks.maskFor('a@b.c', 'EMAIL', 'answer');
  masks.maskFor('long', type, 'answer');
  const text = `[[EMAIL_1] [EMAIL_1 [E [EMAIL_1][${type}_1] [EMAIL_2] [ EMAIL_1] [`;
  for (let first = 0; first <= text.length; first++) {
    for (let second = first; second <= text.length; second++) {
      const restorer = new MaskRestorer(masks);
      const pieces = [text.slice(0, first), text.slice(first, second), text.slice(second)];
      const shown = pieces.map((piece) => restorer.read(piece)).join('') + restorer.end();
      expect(shown).toBe('[a@b.c [EMAIL_1 [E a@b.clong [EMAIL_2] [ EMAIL_1] [');
    }
  }
});
