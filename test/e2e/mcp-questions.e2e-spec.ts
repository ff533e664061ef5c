import { ServiceUnavailableError } from '../../src/common/errors/common.errors';
import { Database } from '../../src/database/database';
import { ToolActionEntity } from '../../src/modules/generation/actions/tool-action.entity';
import { ToolCallEntity } from '../../src/modules/generation/actions/tool-call.entity';
import { SchemaChecker } from '../../src/modules/mcp/calling/schema-checker';
import { StorageService } from '../../src/modules/usage/usage.api';
import { newcomer } from '../support/accounts';
import { resultsOf } from '../support/acting';
import { uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { expectFailure } from '../support/http';
import { useMcpCalls } from '../support/mcp/mcp-calls';
import { watchNormalizing } from '../support/normalized-marks';
import { ResponsesClient, textOf } from '../support/open-responses/responses-client';

const FIELDS = { room: { type: 'string', enum: ['blue', 'red'] }, nights: { type: 'integer', minimum: 1 } };

const form = (properties: object) => ({
  method: 'elicitation/create',
  params: { message: 'Which\u200b room?', requestedSchema: { type: 'object', properties, required: ['room'] } },
});

const MARKS = '\u0315'.repeat(20_000) + '\u0316'.repeat(20_000);

const look = (url: string) => ({ method: 'elicitation/create', params: { mode: 'url', message: 'Pay.', url } });

describe('agents whose servers ask users before they continue', () => {
  const { app, admin, client, scripted, trusted, chatWith, asking, actionOf, decide } = useMcpCalls();

  beforeEach(() => {
    scripted.isModern = true;
    app.app.get(SchemaChecker).checkMilliseconds = 30_000;
  });

  /** A reply whose call of `book` waits for an answer. */
  async function waiting(inputRequests: object = { where: form(FIELDS) }, elicitation = 'form_and_url') {
    scripted.results = ({ params }) =>
      params?.inputResponses === undefined
        ? { resultType: 'input_required', inputRequests, requestState: 'opaque' }
        : 'Booked.';
    const { label } = await trusted({ elicitation });
    const chatId = await chatWith({ name: `${label}__book`, policy: 'auto' });
    const { reply } = await asking(chatId, `${label}__book`, { what: 'a room' });
    return { label, chatId, reply, action: await actionOf(chatId) };
  }

  const stored = (id: number) => app.app.get(Database).repository(ToolActionEntity).findOneByOrFail({ id });

  it('wait for the values of a form, and continue with them', async () => {
    const { label, chatId, reply, action } = await waiting();
    expect(reply).toMatchObject({ status: 'requires_action', actions: [{ id: action.id }] });
    expect(action).toMatchObject({ kind: 'input', tool: `${label}__book`, server: label, approver: 'user' });
    expect(action).toMatchObject({
      message: 'Which room?',
      host: new URL(scripted.url).host,
      schema: { type: 'object', properties: FIELDS, required: ['room'] },
      url: null,
      scopes: null,
      can_remember: false,
    });
    const values = { room: 'blue', nights: 2 };
    const { arguments_hash } = action;
    const answer = { decision: 'approve', arguments_hash, arguments: { ...values, more: 'dropped' } };
    const { status, body } = await decide(chatId, action.id, answer);
    expect({ status, reply: body[1] }).toMatchObject({ status: 200, reply: { id: reply.id, status: 'completed' } });
    expect(resultsOf(body[1])).toEqual(['Booked.']);
    const [first, second, ...others] = scripted.calls();
    expect(others).toEqual([]);
    expect(second?.id).not.toBe(first?.id);
    expect(first?.params?._meta).toMatchObject({
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {}, url: {} } },
    });
    expect(second?.params).toMatchObject({
      arguments: { what: 'a room' },
      inputResponses: { where: { action: 'accept', content: values } },
      requestState: 'opaque',
      _meta: { idempotencyKey: `call_${reply.id}_0` },
    });
    const call = await app.app.get(Database).repository(ToolCallEntity).findOneByOrFail({ messageId: reply.id });
    expect([(await stored(action.id)).answer, (await stored(action.id)).edited, call.asked]).toEqual([
      null,
      null,
      null,
    ]);
    expect(JSON.stringify(await client.read(chatId))).not.toContain('blue');
    const audit = await admin.items<{ action: string }>('/admin/audit_logs?size=100');
    expect(JSON.stringify(audit.filter(({ action: what }) => what.startsWith('action.')))).not.toContain('blue');
    expect((await decide(chatId, action.id, answer)).status).toBe(200);
    const other = { ...answer, arguments: { room: 'red' } };
    expectFailure(await decide(chatId, action.id, other), 409, 'ACTION_ALREADY_DECIDED');
  });

  it('are answered only by the owner of the conversation, with valid form values', async () => {
    const { chatId, action } = await waiting();
    const approve = { decision: 'approve', arguments_hash: action.arguments_hash };
    for (const [body, field] of [
      [approve, 'arguments'],
      [{ ...approve, arguments: { room: 'green' } }, 'arguments'],
      [{ ...approve, arguments: { nights: 1 } }, 'arguments'],
      [{ ...approve, arguments: { room: 'blue', nights: 0.5 } }, 'arguments'],
      [{ decision: 'deny', arguments: { room: 'blue' } }, 'arguments'],
      [{ decision: 'retry', arguments_hash: action.arguments_hash }, 'decision'],
      [{ ...approve, arguments: { room: 'blue' }, remember: 'chat' }, 'remember'],
    ] as const) {
      expect(expectFailure(await decide(chatId, action.id, body), 422, 'VALIDATION_ERROR').details.field).toBe(field);
    }
    const stranger = await app.newClient();
    expectFailure(await decide(chatId, action.id, { decision: 'deny' }, stranger), 404, 'ACTION_NOT_FOUND');
    expect(scripted.calls()).toHaveLength(1);
    const [listed] = await admin.items<{ id: number }>('/admin/actions?size=1');
    expect(listed).toMatchObject({ id: action.id, arguments: null, message: null, schema: null });
  });

  it('accept one of fifty concurrent answers', async () => {
    const { chatId, action } = await waiting();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_value, nights) => {
        const values = { room: 'red', nights: nights + 1 };
        const body = { decision: 'approve', arguments_hash: action.arguments_hash, arguments: values };
        return decide(chatId, action.id, body);
      }),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(49).fill(409)]);
    expect(scripted.calls()).toHaveLength(2);
  });

  it('decline, and the server decides the outcome of the call', async () => {
    const { chatId, action } = await waiting();
    const { body } = await decide(chatId, action.id, { decision: 'deny', reason: 'No.' });
    expect(resultsOf(body[1])).toEqual(['Booked.']);
    expect(scripted.calls()[1]?.params?.inputResponses).toEqual({ where: { action: 'decline' } });
  });

  it('continue when all questions of a call are answered, and show the visible ones', async () => {
    const inputRequests = {
      where: form(FIELDS),
      secret: form({ room: { type: 'string', title: 'Your password' } }),
      pay: look('https://pay.example.com/1'),
      files: { method: 'roots/list' },
    };
    const { chatId } = await waiting(inputRequests);
    const actions = (await client.request<(typeof action)[]>(`/chat/${chatId}/actions`)).body;
    const action = await actionOf(chatId);
    expect(actions).toHaveLength(2);
    expect(action).toMatchObject({ url: 'https://pay.example.com/1', host: 'pay.example.com', schema: null });
    const { arguments_hash } = action;
    const approve = { decision: 'approve', arguments_hash };
    const withValues = await decide(chatId, action.id, { ...approve, arguments: {} });
    expectFailure(withValues, 422, 'VALIDATION_ERROR');
    expect((await decide(chatId, action.id, approve)).body[1]).toMatchObject({ status: 'requires_action' });
    const { body } = await decide(chatId, actions[1]?.id ?? 0, { decision: 'deny' });
    expect(body[1]).toMatchObject({ status: 'completed' });
    expect(scripted.calls()[1]?.params?.inputResponses).toEqual({
      where: { action: 'decline' },
      secret: { action: 'decline' },
      pay: { action: 'accept' },
      files: { action: 'decline' },
    });
  });

  it.each<[string, object, string]>([
    ['what is too large', { where: form({ room: { type: 'string', title: MARKS } }) }, 'form_and_url'],
    ['a secret', { where: form({ room: { type: 'string', title: 'Token' } }) }, 'form_and_url'],
    ['an address that is not https', { where: look('http://pay.example.com/1') }, 'form_and_url'],
    ['an address, where only forms are allowed', { where: look('https://pay.example.com/1') }, 'form'],
    ['what their settings do not allow', { where: form(FIELDS) }, 'off'],
    ['what models answer', { where: { method: 'sampling/createMessage', params: {} } }, 'form_and_url'],
  ])('decline %s automatically', async (_what, inputRequests, elicitation) => {
    const longestRow = watchNormalizing();
    const { reply } = await waiting(inputRequests, elicitation);
    expect(resultsOf(reply)).toEqual(['Booked.']);
    expect(longestRow()).toBeLessThanOrEqual(30);
    jest.restoreAllMocks();
    const [first, second] = scripted.calls();
    expect(JSON.stringify(first?.params?._meta).includes('elicitation')).toBe(elicitation !== 'off');
    expect(second?.params?.inputResponses).toEqual({ where: { action: 'decline' } });
  });

  it('are refused if a server never stops asking', async () => {
    scripted.results = () => ({ resultType: 'input_required', requestState: 'again' });
    const { label } = await trusted({ elicitation: 'form' });
    const chatId = await chatWith({ name: `${label}__look` });
    expect(resultsOf((await asking(chatId, `${label}__look`)).reply)).toEqual([
      'The server refused the call, and did nothing.',
    ]);
  });

  it('wait for a day, and not longer', async () => {
    const { chatId, reply, action } = await waiting();
    app.advanceClock(86_401_000);
    const ended = await eventually(async () => {
      const last = (await client.read(chatId)).messages.at(-1);
      return last?.status === 'completed' ? last : undefined;
    });
    expect(ended).toMatchObject({ id: reply.id, finish_reason: 'action_expired' });
    const late = { decision: 'approve', arguments_hash: action.arguments_hash, arguments: { room: 'red' } };
    expectFailure(await decide(chatId, action.id, late), 410, 'ACTION_EXPIRED');
    expect(scripted.calls()).toHaveLength(1);
  });

  it('leave no answer if the result is stored in a second attempt', async () => {
    const { chatId, reply, action } = await waiting();
    const storage = app.app.get(StorageService);
    const keepText = jest.spyOn(storage, 'keepText').mockRejectedValueOnce(new ServiceUnavailableError());
    const { arguments_hash } = action;
    const { body } = await decide(chatId, action.id, {
      decision: 'approve',
      arguments_hash,
      arguments: { room: 'red' },
    });
    expect([keepText.mock.calls.length, resultsOf(body[1])]).toEqual([2, ['Booked.']]);
    keepText.mockRestore();
    const call = await app.app.get(Database).repository(ToolCallEntity).findOneByOrFail({ messageId: reply.id });
    expect([(await stored(action.id)).answer, call.asked]).toEqual([null, null]);
  });

  it('are cancelled by a stop', async () => {
    const { chatId, action } = await waiting();
    await client.stop(chatId);
    expect((await client.read(chatId)).messages.at(-1)).toMatchObject({ status: 'stopped' });
    expect(await stored(action.id)).toMatchObject({ state: 'cancelled' });
    expectFailure(await decide(chatId, action.id, { decision: 'deny' }), 409, 'ACTION_ALREADY_DECIDED');
  });

  it('see a denial if no user can be asked', async () => {
    scripted.results = () => ({ resultType: 'input_required', inputRequests: { where: form(FIELDS) } });
    const { label } = await trusted({ elicitation: 'form' });
    const name = newcomer().username;
    await admin.post('/agents', { name, tools: [{ name: `${label}__look` }] });
    const key = uniqueContent();
    await app.model.script({ key, times: 1, steps: [{ toolCall: { name: `${label}__look`, arguments: '{}' } }] });
    await app.model.script({ key, steps: [{ text: 'Done.' }] });
    const response = await new ResponsesClient(app.origin, client.token, name).create({ input: key, store: false });
    expect(textOf(response)).toBe('Done.');
    const told = JSON.stringify((await app.model.requests(key))[1]?.body);
    expect(told).toContain('This call was not allowed.');
    expect((await client.request('/user/actions')).body).toEqual([]);
  });
});
