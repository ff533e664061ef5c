import { Database } from '../../src/database/database';
import { GenerationEntity } from '../../src/modules/generation/generation.entity';
import { UsageCostEntity } from '../../src/modules/usage/costs/usage-cost.entity';
import { useActing } from '../support/acting';
import { uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { type Answer, call } from '../support/http';

/** The usage that the scripted model reports for a round. */
const ROUND = 16;

describe('completions without storage, whose instance is killed during a tool call', () => {
  const { app, client, tools, agentWith, calling, saying } = useActing();

  afterEach(() => tools.open());

  /** Their only call is running when it is killed. */
  async function cut(route: string) {
    const { name: model } = await agentWith([{ name: 'book', policy: 'auto' }]);
    const key = uniqueContent();
    await calling(key, ['book', { what: key }]);
    await calling(key, ['book', { what: key }]);
    await saying(key, 'Done.');
    const isCompletion = route === 'chat/completions';
    const told = isCompletion ? { messages: [{ role: 'user', content: key }] } : { input: key, store: false };
    const headers = { 'idempotency-key': key.replace(/\W/g, '-') };
    const send = (): Promise<Answer> =>
      call(`${app.origin}/openai/v1/${route}`, { token: client.token, body: { model, ...told }, headers });
    tools.hold();
    const first = send().catch((error: unknown) => error);
    await eventually(() => tools.booked.includes(key));
    const database = app.app.get(Database);
    const generations = database.repository(GenerationEntity);
    const [{ id }] = (await generations.find({ order: { id: 'DESC' }, take: 1 })) as [GenerationEntity];
    await database.write((manager) => manager.update(GenerationEntity, { id }, { ownerId: 'dead' }));
    const status = await eventually(async () => {
      const row = await generations.findOneByOrFail({ id });
      return row.status === 'streaming' ? undefined : row.status;
    });
    tools.open();
    await first;
    return { id, key, send, status };
  }

  it.each(['chat/completions', 'responses'])('do nothing again for a repeated key: %s', async (route) => {
    const { key, send, status } = await cut(route);
    const answers = [await send(), await send()];
    expect([status, ...answers.map((answer) => answer.status)]).toEqual(['failed', 500, 500]);
    expect(tools.booked.filter((what) => what === key)).toHaveLength(1);
  });

  it('cost the usage of their rounds, once', async () => {
    const { id } = await cut('chat/completions');
    const rows = await app.app.get(Database).repository(UsageCostEntity).findBy({ messageId: id });
    expect(rows.map(({ kind, round, attempt }) => [kind, round, attempt])).toEqual([['reply', 1, 1]]);
    const { body } = await client.request<{ tokens: { used: number } }>('/user/quota');
    expect(body.tokens.used).toBe(ROUND);
  });
});
