import { isTooDeep, pinOf, sealOf } from './tool-definition';
import { labelledToolName, labelOf } from './tool-names';

const TOOL = { name: 'look', description: 'Looks.', inputSchema: { type: 'object', required: ['a', 'b'] } };

describe('the pin of a tool', () => {
  it('is the same for any order of members', () => {
    const { name, description, inputSchema } = TOOL;
    expect(pinOf({ inputSchema: { required: inputSchema.required, type: 'object' }, description, name })).toBe(
      pinOf(TOOL),
    );
  });

  it.each([
    { name: 'Look' },
    { title: '' },
    { description: 'Looks. ' },
    { inputSchema: { type: 'object', required: ['b', 'a'] } },
    { outputSchema: {} },
    { annotations: { readOnlyHint: true } },
  ])('changes with %j', (change) => expect(pinOf({ ...TOOL, ...change })).not.toBe(pinOf(TOOL)));

  it('is sealed for one server at one URL', () => {
    const seals = [
      sealOf({ id: 1, url: 'https://a.example' }, 'x'),
      sealOf({ id: 2, url: 'https://a.example' }, 'x'),
      sealOf({ id: 1, url: 'https://b.example' }, 'x'),
      sealOf({ id: 1, url: 'https://a.example' }, 'y'),
    ];
    expect(new Set(seals).size).toBe(4);
  });
});

describe('a value that is nested too deeply', () => {
  it('is detected without reading deeper', () => {
    let value: unknown = {};
    for (let depth = 0; depth < 31; depth++) value = [value];
    expect([isTooDeep(value), isTooDeep([[value]])]).toEqual([false, true]);
    expect(isTooDeep(JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)))).toBe(true);
  });
});

describe('the tool name for models', () => {
  it.each([
    ['a', 'b', 'a__b'],
    ['my-server', 'files/read:all', 'my-server__files_read_all'],
    ['a', 'ü💡', 'a_____'],
  ])('%s, %s: %s', (label, tool, name) => expect(labelledToolName(label, tool)).toBe(name));

  it('has at most 64 characters, and distinguishes long names', () => {
    const [one, other] = [labelledToolName('a', 'x'.repeat(62)), labelledToolName('a', 'x'.repeat(63))];
    expect([one.length, other.length, one === other]).toEqual([64, 64, false]);
    expect(labelledToolName('a', 'x'.repeat(61))).toBe(`a__${'x'.repeat(61)}`);
  });

  it('starts with the label', () => {
    expect(['a__b', 'a__b__c', '__b', 'ab'].map(labelOf)).toEqual(['a', 'a', null, null]);
  });
});
