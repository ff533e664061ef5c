import { readQuestion } from './question-reader';

const server = { url: 'https://wiki.example.com/mcp', elicitation: 'form_and_url' } as const;

const asking = (properties: object, more: object = {}) => ({
  message: 'Which\u200b room?',
  requestedSchema: { type: 'object', properties, required: Object.keys(properties) },
  ...more,
});

describe('a question of a server', () => {
  it('is shown without what nobody sees, and without what is no field of the protocol', () => {
    const room = { type: 'string', title: 'Ro\u202eom', pattern: '(a+)+$', $ref: 'file:///etc/passwd' };
    const nights = { type: 'integer', minimum: 1 };
    expect(readQuestion(asking({ room, nights }), server)).toEqual({
      message: 'Which room?',
      host: 'wiki.example.com',
      schema: {
        type: 'object',
        properties: { room: { type: 'string', title: 'Room' }, nights },
        required: ['room', 'nights'],
      },
    });
  });

  it.each<[string, object]>([
    ['a password by its name', { user_password: { type: 'string' } }],
    ['a key by its title', { value: { type: 'string', title: 'API key' } }],
    ['a password whose name only looks like it', { pаssword: { type: 'string' } }],
    ['something whose title only looks like a word', { value: { type: 'string', title: 'Your pаssword' } }],
    ['a card by its description', { value: { type: 'number', description: 'The number of your card' } }],
    ['a format that the protocol does not know', { value: { type: 'string', format: 'password' } }],
    ['an object in an object', { value: { type: 'object', properties: {} } }],
    ['a choice with signs that nobody sees', { value: { type: 'string', enum: ['a\u200b', 'a'] } }],
    ['a choice with half a character', { value: { type: 'string', enum: ['a\ud83d', 'a'] } }],
    ['a name with half a character', { 'name\ud83d': { type: 'string' } }],
    ['a name with signs that nobody sees', { 'na\u200bme': { type: 'string' } }],
    ['too much', { value: { type: 'string', description: 'x'.repeat(40_000) } }],
  ])('is not shown where it asks for %s', (_what, properties) => {
    expect(readQuestion(asking(properties), server)).toBeNull();
  });

  it('may be a choice, one or several', () => {
    const properties = {
      one: { type: 'string', oneOf: [{ const: 'a', title: 'A' }] },
      old: { type: 'string', enum: ['a'], enumNames: ['A'] },
      several: { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] }, maxItems: 2 },
      more: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
      sure: { type: 'boolean', title: 'Remember the password', default: true },
    };
    expect(readQuestion(asking(properties), server)).toMatchObject({ schema: { properties } });
  });

  it('is an address only where the settings allow it, https and without credentials', () => {
    const ask = (url: string) => ({ mode: 'url', message: 'Look.', url, elicitationId: '1' });
    const shown = { message: 'Look.', url: 'https://example.com/a?b', host: 'example.com' };
    expect(readQuestion(ask('https://exa\u200bmple.com/a?b'), server)).toEqual(shown);
    expect(readQuestion(ask('https://еxample.com/'), server)).toMatchObject({ host: 'xn--xample-2of.com' });
    for (const url of ['http://example.com', 'https://u:p@example.com', 'javascript:alert(1)', 'file:///etc', 'x']) {
      expect(readQuestion(ask(url), server)).toBeNull();
    }
    expect(readQuestion(ask('https://example.com'), { ...server, elicitation: 'form' })).toBeNull();
  });

  it('is none where the settings allow none, and where it makes no sense', () => {
    expect(readQuestion(asking({}), { ...server, elicitation: 'off' })).toBeNull();
    for (const params of [null, undefined, [], 'x', {}, { message: 'x' }, { ...asking({}), mode: 'voice' }]) {
      expect(readQuestion(params, server)).toBeNull();
    }
  });
});
