// @databases mariadb: requests at the same time
import { createHash, randomUUID } from 'node:crypto';
import { Database } from '../../src/database/database';
import { toDecisionRequest } from '../../src/modules/chat/acting/decision.dto';
import { WaitingReplies } from '../../src/modules/generation/acting/waiting-replies';
import { IdempotencyKeyEntity } from '../../src/modules/generation/idempotency/idempotency-key.entity';
import { useActing } from '../support/acting';
import { uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { expectFailure } from '../support/http';

describe('decisions with an Idempotency-Key, or concurrent with a stop', () => {
  const { app, client, tools, chatWith, calling, saying, actionsOf, waiting } = useActing();

  afterEach(() => tools.open());

  it("store no hash that would reveal the user's text, and are recognised when repeated", async () => {
    const { chatId, action } = await waiting();
    const key = randomUUID();
    const body = { decision: 'approve' as const, arguments_hash: action.arguments_hash, arguments: { what: 'yes' } };
    const path = `/chat/${chatId}/actions/${action.id}`;
    const decide = (given: object) => client.request(path, { body: given, headers: { 'idempotency-key': key } });
    const first = await decide(body);
    expect(first.status).toBe(200);
    const keys = app.app.get(Database).repository(IdempotencyKeyEntity);
    const plain = createHash('sha256')
      .update(JSON.stringify([`POST ${path}`, toDecisionRequest(action.id, body)]))
      .digest('hex');
    const stored = (await keys.findOneByOrFail({ key })).fingerprint;
    expect(stored).toMatch(/^[0-9a-f]{64}$/);
    expect(stored).not.toBe(plain);
    expect((await decide(body)).text).toBe(first.text);
    expectFailure(await decide({ ...body, arguments: { what: 'no' } }), 409, 'IDEMPOTENCY_CONFLICT');
    // As the previous version stored it.
    await app.app
      .get(Database)
      .write((manager) => manager.update(IdempotencyKeyEntity, { key }, { fingerprint: plain }));
    expect((await decide(body)).text).toBe(first.text);
    expectFailure(await decide({ ...body, arguments: { what: 'no' } }), 409, 'IDEMPOTENCY_CONFLICT');
  });

  it('are recognised after the reply has continued, and after the same decision without a key', async () => {
    const chatId = await chatWith([{ name: 'book' }]);
    const content = uniqueContent();
    const rooms = ['one', 'two', 'three', 'four'].map((what): [string, unknown] => ['book', { what }]);
    await calling(content, ...rooms);
    await saying(content, 'Done.');
    await client.send(chatId, content);
    const actions = (await actionsOf(chatId)).reverse();
    const [, second, third, fourth] = actions.map(({ id }) => id);
    const decide = (id: number | undefined, decision: string, key?: string) => {
      const { arguments_hash } = actions.find((action) => action.id === id) ?? {};
      const options = { body: { decision, arguments_hash }, ...(key && { headers: { 'idempotency-key': key } }) };
      return client.request(`/chat/${chatId}/actions/${id}?stream=true`, options);
    };
    tools.hold();
    const first = decide(actions[0]?.id, 'approve');
    await eventually(() => tools.booked.includes('one'));
    const keys = [randomUUID(), randomUUID()];
    const others = [decide(second, 'deny', keys[0]), decide(second, 'deny', keys[1])];
    await eventually(async () => (await actionsOf(chatId)).length === 2);
    const used = decide(third, 'deny', keys[0]);
    await new Promise((resolve) => setTimeout(resolve, 200));
    tools.open();
    await Promise.all([first, ...others]);
    expectFailure(await used, 409, 'IDEMPOTENCY_CONFLICT');
    expectFailure(await decide(fourth, 'deny', keys[1]), 409, 'IDEMPOTENCY_CONFLICT');
  });

  it('do not prevent a stop of a reply that continues at the same moment', async () => {
    const { chatId, reply, action } = await waiting();
    const { arguments_hash } = action;
    tools.hold();
    jest.spyOn(app.app.get(WaitingReplies), 'end').mockImplementationOnce(async () => {
      void client.request(`/chat/${chatId}/actions/${action.id}`, { body: { decision: 'approve', arguments_hash } });
      await eventually(async () => (await client.read(chatId)).messages.at(-1)?.status === 'streaming');
      return false;
    });
    expect(await client.stop(chatId)).toMatchObject({ status: 200, body: { message_id: reply.id } });
    expect((await client.waitForEnd(chatId)).status).toBe('stopped');
  });
});
