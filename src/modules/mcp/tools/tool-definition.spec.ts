import { isTooDeep, pinOf, sealOf } from './tool-definition';
import { labelOf, toldName } from './tool-names';

const TOOL = { name: 'look', description: 'Looks.', inputSchema: { type: 'object', required: ['a', 'b'] } };

describe('the pin of a tool', () => {
  it('is the same whatever the order of members', () => {
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
  ])('is another with %j', (change) => expect(pinOf({ ...TOOL, ...change })).not.toBe(pinOf(TOOL)));

  it('is sealed for one server at one address', () => {
    const seals = [
      sealOf({ id: 1, url: 'https://a.example' }, 'x'),
      sealOf({ id: 2, url: 'https://a.example' }, 'x'),
      sealOf({ id: 1, url: 'https://b.example' }, 'x'),
      sealOf({ id: 1, url: 'https://a.example' }, 'y'),
    ];
    expect(new Set(seals).size).toBe(4);
  });
});

describe('what is too deep', () => {
  it('is found without looking deeper', () => {
    let value: unknown = {};
    for (let depth = 0; depth < 31; depth++) value = [value];
    expect([isTooDeep(value), isTooDeep([[value]])]).toEqual([false, true]);
    expect(isTooDeep(JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)))).toBe(true);
  });
});

describe('what models call a tool', () => {
  it.each([
    ['a', 'b', 'a__b'],
    ['my-server', 'files/read:all', 'my-server__files_read_all'],
    ['a', 'ü💡', 'a_____'],
  ])('%s, %s: %s', (label, tool, name) => expect(toldName(label, tool)).toBe(name));

  it('has 64 characters at most, and tells long ones apart', () => {
    const [one, other] = [toldName('a', 'x'.repeat(62)), toldName('a', 'x'.repeat(63))];
    expect([one.length, other.length, one === other]).toEqual([64, 64, false]);
    expect(toldName('a', 'x'.repeat(61))).toBe(`a__${'x'.repeat(61)}`);
  });

  it('begins with the label', () => {
    expect(['a__b', 'a__b__c', '__b', 'ab'].map(labelOf)).toEqual(['a', 'a', null, null]);
  });
});
