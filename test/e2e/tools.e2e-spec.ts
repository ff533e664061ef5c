import { uniqueContent } from '../support/chat-client';
import { call, expectFailure } from '../support/http';
import { useChatApp, useClient } from '../support/use-app';

interface Tool {
  name: string;
  source: string;
  input_schema: { type: string; properties: Record<string, unknown> };
  read_only: boolean;
}

interface Trial {
  arguments: Record<string, unknown>;
  content: string | null;
  is_error: boolean;
  duration_ms: number | null;
}

describe('module tools', () => {
  const app = useChatApp();
  const admin = useClient(app, { userType: 'admin' });

  const test = (name: string, body: unknown) =>
    call<{ data: Trial }>(`${app.url}/admin/tools/${name}/test`, { token: admin.token, body });

  const answer = async (name: string, given: object): Promise<Trial> => {
    const { status, body } = await test(name, { arguments: given });
    expect(status).toBe(200);
    return body.data;
  };

  it('are listed with their module and the schema of their arguments', async () => {
    const { body } = await call<{ data: { items: Tool[]; pagination: { total: number } } }>(`${app.url}/admin/tools`, {
      token: admin.token,
    });
    const { items, pagination } = body.data;
    expect(pagination.total).toBe(items.length);
    expect(items.map(({ name, source }) => `${source}: ${name}`)).toEqual([
      'tool: calculate',
      'tool: current_time',
      'chat: search_conversations',
      'knowledge: search_knowledge',
    ]);
    expect(items[0]).toMatchObject({
      input_schema: { type: 'object', properties: { expression: { type: 'string' } }, required: ['expression'] },
      read_only: true,
      idempotent: true,
      outside: false,
    });
    const second = await call<{ data: { items: Tool[] } }>(`${app.url}/admin/tools?page=2&size=2`, {
      token: admin.token,
    });
    expect(second.body.data.items.map(({ name }) => name)).toEqual(['search_conversations', 'search_knowledge']);
  });

  it('are for administrators', async () => {
    const user = await app.newClient();
    expectFailure(await user.request('/admin/tools'), 403, 'FORBIDDEN');
    const body = { arguments: {}, dry: true };
    expectFailure(await user.request('/admin/tools/current_time/test', { body }), 403, 'FORBIDDEN');
  });

  it.each([
    ['0.1 + 0.2', '0.3', true],
    ['(0.1 + 0.2) * 3 - -1', '1.9', true],
    ['1 / 8', '0.125', true],
    ['1 / 3', `0.${'3'.repeat(30)}`, false],
    ['-.5 * 4', '-2', true],
    ['99999999999999999999 * 99999999999999999999', '9999999999999999999800000000000000000001', true],
  ])('calculate %s exactly', async (expression, result, exact) => {
    const { content, is_error } = await answer('calculate', { expression });
    expect([is_error, JSON.parse(content ?? '')]).toEqual([false, { result, exact }]);
  });

  it('refuse an integer whose digits JavaScript would change', async () => {
    const answer = await test('calculate', { arguments: { expression: '1', digits: 2 ** 53 } });
    const failure = expectFailure(answer, 422, 'VALIDATION_ERROR');
    expect(failure.details).toMatchObject({ field: 'arguments.digits' });
  });

  it.each(['1 / 0', '1 +', '(1', '2 ^ 3', '', 'alert(1)', '1 / (2 - 2)'])(
    'report the error in %j',
    async (expression) => {
      const { content, is_error } = await answer('calculate', { expression });
      expect(is_error).toBe(true);
      expect(content).toMatch(/^[A-Z].*\.$/);
    },
  );

  it('return the time in a time zone, and report an unknown one', async () => {
    const { content, arguments: read } = await answer('current_time', {});
    expect(read).toEqual({ time_zone: 'UTC' });
    expect(JSON.parse(content ?? '')).toMatchObject({ time_zone: 'UTC', utc: expect.stringMatching(/Z$/) });
    expect((await answer('current_time', { time_zone: 'Asia/Tokyo' })).content).toContain('GMT+9');
    expect(await answer('current_time', { time_zone: 'Moon/Base' })).toMatchObject({ is_error: true });
  });

  it("find only the caller's conversations", async () => {
    const word = uniqueContent('needle');
    const stranger = await app.newClient();
    await stranger.createChat({ title: word });
    expect(JSON.parse((await answer('search_conversations', { text: word })).content ?? '')).toEqual({
      total: 0,
      conversations: [],
    });
    const own = await call<{ id: number }>(`${app.url}/chat`, { token: admin.token, body: { title: word } });
    const found = await answer('search_conversations', { text: ` ${word} `, limit: 5 });
    expect(found.arguments).toEqual({ text: word, limit: 5 });
    expect(JSON.parse(found.content ?? '')).toMatchObject({
      total: 1,
      conversations: [{ id: own.body.id, title: word }],
    });
  });

  it('do not run in a dry trial, and never with arguments outside the schema', async () => {
    const dry = await test('calculate', { arguments: { expression: '1 / 0', more: 1 }, dry: true });
    expect(dry.body.data).toEqual({
      arguments: { expression: '1 / 0' },
      content: null,
      is_error: false,
      duration_ms: null,
    });
    for (const given of [{}, { expression: 1 }, { expression: 'x'.repeat(1_001) }]) {
      const failure = expectFailure(await test('calculate', { arguments: given }), 422, 'VALIDATION_ERROR');
      expect(failure.details.field).toBe('arguments.expression');
    }
    expectFailure(await test('current_time', {}), 422, 'VALIDATION_ERROR');
    expectFailure(await test('no_such_tool', { arguments: {} }), 404, 'TOOL_NOT_FOUND');
  });
});
