import { refuseBody, refuseParameters } from '../../support/refused-requests';

describe('POST /chat', () => {
  it.each([
    [{ title: 'x'.repeat(201) }, 'title', 'too_long'],
    [{ title: 7 }, 'title', 'wrong_type'],
    [{ agent_id: '1' }, 'agent_id', 'wrong_type'],
    [{ agent_id: 0 }, 'agent_id', 'too_small'],
    [{ lang: 'not a tag' }, 'lang', 'invalid_language'],
  ])('refuses %j', async (body, field, reason) => {
    expect(await refuseBody('POST /chat', body)).toMatchObject({ field, reason });
  });
});

describe('PUT /chat/{chat_id}', () => {
  it.each([
    [{ title: ' ' }, 'title', 'blank'],
    [{ title: '' }, 'title', 'blank'],
    [{ title: null }, 'title', 'required'],
    [{ title: 'x'.repeat(201) }, 'title', 'too_long'],
    [{ is_pinned: 'yes' }, 'is_pinned', 'wrong_type'],
    [{ tags: 'a' }, 'tags', 'wrong_type'],
    [{ tags: ['a', 'a'] }, 'tags', 'duplicate'],
    [{ tags: ['x'.repeat(51)] }, 'tags', 'too_long'],
    [{ tags: [' '] }, 'tags', 'blank'],
    [{ title: 'New', lang: 'not a tag' }, 'lang', 'invalid_language'],
    [{ tags: Array.from({ length: 21 }, (_value, index) => `t${index}`) }, 'tags', 'too_many_items'],
  ])('refuses %j', async (body, field, reason) => {
    expect(await refuseBody('PUT /chat/1', body)).toMatchObject({ field, reason });
  });
});

describe('GET /chat', () => {
  it.each([
    'limit=0',
    'limit=101',
    'limit=x',
    'offset=-1',
    'include_messages=maybe',
    'is_archived=2',
    'is_pinned=x',
    'agent_id=x',
    'tag=%20',
    `tag=${'x'.repeat(51)}`,
  ])('refuses %s', async (query) => {
    expect(await refuseParameters(`GET /chat?${query}`)).toMatchObject({ field: query.split('=')[0] });
  });

  it.each(['q[]=a', 'q[a]=b', 'is_archived[]=true&x[]=1'])(
    'refuses ?%s, a known parameter in another form',
    async (query) => {
      const details = await refuseParameters(`GET /chat?${query}`);
      expect(details).toMatchObject({ field: query.split('[')[0], reason: 'wrong_type' });
    },
  );

  it.each(['0', 'x', '1.5', '-1', '99999999999999999'])('has no conversation with the id %s', async (id) => {
    expect(await refuseParameters(`GET /chat/${id}`)).toMatchObject({ reason: 'invalid_format' });
  });

  it.each(['limit=0', 'limit=201', 'before=x', 'branches=some'])('has no messages for ?%s', async (query) => {
    const details = await refuseParameters(`GET /chat/1/messages?${query}`);
    expect(details).toMatchObject({ field: query.split('=')[0] });
  });
});

describe('POST /chat/message', () => {
  const route = 'POST /chat/message';

  it.each([
    [{ content: '' }, 'content', 'blank'],
    [{ content: ' \n\u00a0' }, 'content', 'blank'],
    [{ content: 'x'.repeat(32_001) }, 'content', 'too_long'],
    [{ content: 5 }, 'content', 'wrong_type'],
    [{ content: null }, 'content', 'required'],
    [{ content: 'a\u0000b' }, 'content', 'not_well_formed'],
    [{ content: '\ud800' }, 'content', 'not_well_formed'],
    [{ role: 'assistant' }, 'role', 'not_allowed'],
    [{ role: 'system' }, 'role', 'not_allowed'],
    [{ chat_id: '1' }, 'chat_id', 'wrong_type'],
    [{ chat_id: undefined }, 'chat_id', 'required'],
    [{ lang: 'x' }, 'lang', 'invalid_language'],
    [{ on_disconnect: 'explode' }, 'on_disconnect', 'not_allowed'],
  ])('refuses %j', async (body, field, reason) => {
    expect(await refuseBody(route, { chat_id: 1, content: 'Hi', ...body })).toMatchObject({ field, reason });
  });

  it.each([
    ['no type', [{ url: 'x' }], 'parts.0.type', 'required'],
    ['another type', [{ type: 'video', url: 'x' }], 'parts.0.type', 'not_allowed'],
    ['a text without one', [{ type: 'text' }], 'parts.0.text', 'required'],
    ['a text that is none', [{ type: 'text', text: 7 }], 'parts.0.text', 'wrong_type'],
    ['an image without a place', [{ type: 'image' }], 'parts.0.url', 'required'],
    ['two places', [{ type: 'file', url: 'x', file: '0'.repeat(64) }], 'parts.0.url', 'conflicts'],
    ['a hash and an id', [{ type: 'file', file: '0'.repeat(64), file_id: 7 }], 'parts.0.file', 'conflicts'],
    ['an address and an id', [{ type: 'image', url: 'x', file_id: 7 }], 'parts.0.url', 'conflicts'],
    ['an id that is none', [{ type: 'file', file_id: 'file-7' }], 'parts.0.file_id', 'wrong_type'],
    ['an id below 1', [{ type: 'file', file_id: 0 }], 'parts.0.file_id', 'too_small'],
    ['null as its id', [{ type: 'file', file_id: null }], 'parts.0.file_id', 'required'],
    ['an unknown use', [{ type: 'file', file_id: 7, use: 'some' }], 'parts.0.use', 'not_allowed'],
    ['an image to search', [{ type: 'image', file_id: 7, use: 'search' }], 'parts.0.use', 'conflicts'],
    ['a hash that is none', [{ type: 'file', file: '../x' }], 'parts.0.file', 'invalid_format'],
    ['an unknown detail', [{ type: 'image', url: 'x', detail: 'most' }], 'parts.0.detail', 'not_allowed'],
    ['nothing', [], 'parts', 'too_few_items'],
    ['no list', 'x', 'parts', 'wrong_type'],
    ['no objects', ['x'], 'parts.0', 'wrong_type'],
    [
      'nothing but white space',
      [
        { type: 'text', text: ' \n' },
        { type: 'text', text: '' },
      ],
      'parts',
      'blank',
    ],
    ['101 of them', Array(101).fill({ type: 'text', text: 'x' }), 'parts', 'too_many_items'],
  ])('refuses parts with %s', async (_case, parts, field, reason) => {
    expect(await refuseBody(route, { chat_id: 1, parts })).toMatchObject({ field, reason });
  });
});

describe('a message', () => {
  it.each(['A'.repeat(64), '..%2F..%2Fetc', 'x'])('has no file with the hash %s', async (hash) => {
    expect(await refuseParameters(`GET /chat/1/messages/1/files/${hash}`)).toMatchObject({ field: 'hash' });
  });

  it.each([undefined, null, '', ' \n', 7, 'x'.repeat(32_001)])('is not changed to %j', async (content) => {
    expect(await refuseBody('PUT /chat/1/messages/1', { content })).toMatchObject({ field: 'content' });
  });

  it.each([
    [{}],
    [{ rating: 'love' }],
    [{ rating: 'like', comment: 'x'.repeat(2_001) }],
    [{ rating: 'like', comment: 3 }],
  ])('is not rated with %j', async (body) => {
    const { field } = await refuseBody('PUT /chat/1/messages/1/feedback', body);
    expect(['rating', 'comment']).toContain(field);
  });

  it.each(['1', undefined])('is not the end of a branch with the id %j', async (message_id) => {
    expect(await refuseBody('PUT /chat/1/line', { message_id })).toMatchObject({ field: 'message_id' });
  });

  it.each([0, 'x', null, undefined, 1.5])('is not marked as read with the id %j', async (message_id) => {
    expect(await refuseBody('POST /chat/1/read', { message_id })).toMatchObject({ field: 'message_id' });
  });
});

describe('GET /events', () => {
  it.each([
    ['an unknown kind', 'kinds=chat.exploded'],
    ['an unknown group', 'kinds=chat.created,rocket.*'],
    ['no kind', 'kinds='],
    ['a place that is no number', 'after=abc'],
    ['a negative place', 'after=-1'],
    ['a place with a fraction', 'after=1.5'],
    ['two places', 'after=1&after=2'],
  ])('refuses %s', async (_case, query) => {
    expect(await refuseParameters(`GET /events?${query}`)).toMatchObject({ field: query.split('=')[0] });
  });
});

describe('POST /chat/{chat_id}/actions/{action_id}', () => {
  it('refuses an unknown decision', async () => {
    expect(await refuseBody('POST /chat/1/actions/1', { decision: 'perhaps' })).toMatchObject({ field: 'decision' });
  });
});

describe('POST /chat/{chat_id}/shares', () => {
  it.each([
    ['expires_at', { expires_at: 'soon' }],
    ['mode', { mode: 'public' }],
  ])('refuses a wrong %s (%j)', async (field, body) => {
    expect(await refuseBody('POST /chat/1/shares', body)).toMatchObject({ field });
  });
});
