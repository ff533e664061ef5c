import fc from 'fast-check';
import { itemsAt, membersAt, textOf, withReplaced } from './json-ranges';

describe('the ranges of JSON text', () => {
  it.each([undefined, ' ', '\t'])('are those of the values, however the text is written (indent %j)', (indent) => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        const json = Buffer.from(JSON.stringify(object, null, indent));
        const members = membersAt(json, 0);
        const read = members.map(({ name, value }): [string, unknown] => [name, JSON.parse(textOf(json, value))]);
        expect(read).toEqual(Object.entries(JSON.parse(json.toString()) as object));
      }),
    );
  });

  it('are found for each item of an array', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (list) => {
        const json = Buffer.from(`{"a":"[]", "messages" : ${JSON.stringify(list)}}`);
        const [, messages] = membersAt(json, 0);
        const items = itemsAt(json, messages?.value.from ?? 0).map(
          (range) => JSON.parse(textOf(json, range)) as unknown,
        );
        expect(items).toEqual(JSON.parse(JSON.stringify(list)));
      }),
    );
  });

  it('include both members of a name that occurs twice, however it is escaped', () => {
    const json = Buffer.from('\ufeff{"model":"a", "mod\\u0065l":"b"}');
    expect(membersAt(json, 0).map(({ name }) => name)).toEqual(['model', 'model']);
  });

  it('are replaced without other changes', () => {
    const json = Buffer.from('{ "model" : "a","max_tokens":1.0e2 , "x": [1.50,{"é":"\\""}] }');
    const [model, limit] = membersAt(json, 0);
    const changes = [
      { range: limit?.value ?? { from: 0, to: 0 }, text: '7' },
      { range: model?.value ?? { from: 0, to: 0 }, text: '"bb"' },
    ];
    expect(withReplaced(json, changes).toString()).toBe('{ "model" : "bb","max_tokens":7 , "x": [1.50,{"é":"\\""}] }');
    expect(withReplaced(json, [])).toBe(json);
  });
});
