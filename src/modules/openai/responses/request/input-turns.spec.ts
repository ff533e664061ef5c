import { parse } from 'valibot';
import type { BinaryPart } from '../../../../integrations/llm/port/message-parts';
import type { InputPart } from './content-schema';
import { inputItem } from './input-item-schema';
import { inputTurns, type Piece } from './input-turns';

const modelNameOf = (server: string, name: string): string => `${server}__${name}`;
const NOTHING = { modelNameOf, files: new Map<InputPart, BinaryPart>(), references: new Map<string, Piece>() };

const turnsOf = (items: unknown[], found = NOTHING) =>
  inputTurns(
    items.map((item) => parse(inputItem, item)),
    found,
  );

const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'f', arguments: '{}' });
const result = (id: string, output: unknown = 'r') => ({ type: 'function_call_output', call_id: id, output });

describe('the turns of an input', () => {
  it('are one turn for a text', () => {
    expect(inputTurns('Hello', NOTHING)).toEqual([{ role: 'user', content: 'Hello', parts: null }]);
  });

  it('have the roles of the messages; developer becomes system', () => {
    const items = ['user', 'assistant', 'system', 'developer'].map((role) => ({ role, content: role }));
    expect(turnsOf(items).map(({ role, content }) => `${role} ${content}`)).toEqual([
      'user user',
      'assistant assistant',
      'system system',
      'system developer',
    ]);
  });

  it("join the model's text with its calls, and results with each other", () => {
    const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] };
    const turns = turnsOf([said, { type: 'reasoning', summary: [] }, call('a'), call('b'), result('a'), result('b')]);
    expect(turns.map(({ role, parts }) => [role, parts?.map(({ type }) => type)])).toEqual([
      ['assistant', ['text', 'tool_call', 'tool_call']],
      ['user', ['tool_result', 'tool_result']],
    ]);
    expect(turns[0]?.content).toBe('I look.');
  });

  it('keep user messages separate', () => {
    const items = [{ role: 'user', content: 'a' }, result('x'), { role: 'user', content: 'b' }];
    expect(turnsOf(items)).toHaveLength(3);
  });

  it('have the texts of results, and their images with the call ID', () => {
    const texts = [
      { type: 'input_text', text: 'a' },
      { type: 'input_text', text: 'b' },
    ];
    expect(turnsOf([result('x', texts)])[0]?.parts).toEqual([{ type: 'tool_result', id: 'x', content: 'a\nb' }]);
    const item = parse(inputItem, result('x', [{ type: 'input_image', image_url: 'data:,' }])) as {
      output: InputPart[];
    };
    const image: BinaryPart = {
      type: 'image',
      media_type: 'image/png',
      name: null,
      data: Buffer.from('a'),
      detail: null,
    };
    const [turn] = inputTurns([item as never], { ...NOTHING, files: new Map([[item.output[0] as InputPart, image]]) });
    expect(turn?.parts).toEqual([
      { type: 'tool_result', id: 'x', content: '' },
      { ...image, call_id: 'x' },
    ]);
  });

  it('have files in their positions', () => {
    const item = parse(inputItem, {
      role: 'user',
      content: [
        { type: 'input_image', image_url: 'u' },
        { type: 'input_text', text: 'What?' },
      ],
    });
    const [part] = 'role' in item && Array.isArray(item.content) ? item.content : [];
    const file: BinaryPart = {
      type: 'image',
      media_type: 'image/png',
      name: null,
      data: new Uint8Array(),
      detail: null,
    };
    const turns = inputTurns([item], { ...NOTHING, files: new Map([[part as InputPart, file]]) });
    expect(turns).toEqual([{ role: 'user', content: 'What?', parts: [file, { type: 'text', text: 'What?' }] }]);
  });

  it('include referenced items, and nothing for reasoning', () => {
    const references = new Map<string, Piece>([
      ['msg_1', { role: 'assistant', parts: [{ type: 'text', text: 'Stored.' }] }],
      ['rs_1_0', { role: 'assistant', parts: [] }],
    ]);
    const items = [{ type: 'item_reference', id: 'rs_1_0' }, { id: 'msg_1' }];
    expect(turnsOf(items, { ...NOTHING, references })).toEqual([
      { role: 'assistant', content: 'Stored.', parts: null },
    ]);
  });
});
