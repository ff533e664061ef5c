import { Database } from '../../src/database/database';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import { ReplyRegistry } from '../../src/modules/generation/reply/reply-registry';
import type { ResponseResource } from '../../src/modules/openai/responses/wire/response-resource';
import { useActing } from '../support/acting';
import { uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { ResponsesClient, textOf } from '../support/open-responses/responses-client';

describe('clients that decide and send additional text while another instance takes over the run', () => {
  const { app, client, tools, agentWith, calling, saying } = useActing();

  afterEach(() => tools.open());

  /** The decided call is made, and the additional text waits until the reply has finished. */
  async function deciding() {
    const { name } = await agentWith([{ name: 'note', policy: 'ask' }]);
    const program = new ResponsesClient(app.origin, client.token, name);
    const [key, after] = [uniqueContent(), uniqueContent()];
    await calling(key, ['note', { what: key }]);
    await saying(key, 'Done.');
    await saying(after, 'Yes.');
    const first = await program.create({ input: key });
    const messageId = Number(first.id.slice(5));
    const asked = first.output.find((item) => item.type === 'mcp_approval_request');
    const decision = { type: 'mcp_approval_response', approval_request_id: asked?.id, approve: true };
    tools.hold();
    const input = [decision, { role: 'user', content: after }];
    const answer = program.post<ResponseResource>({ previous_response_id: first.id, input });
    const made = () => tools.keys.filter((one) => one === `call_${messageId}_0`).length;
    await eventually(() => made() === 1);
    const lost = app.app.get(ReplyRegistry).get(messageId);
    const take = async (): Promise<void> => {
      await app.app
        .get(Database)
        .write((manager) => manager.update(MessageEntity, { id: messageId }, { ownerId: 'dead' }));
      await eventually(() => made() === 2);
    };
    return { program, after, first, answer, lost, take };
  }

  it('are answered when the reply has finished on the other instance', async () => {
    const { after, answer, take } = await deciding();
    await take();
    tools.open();
    expect(textOf((await answer).body)).toBe('Yes.');
    expect(JSON.stringify((await app.model.requests(after))[0]?.body)).toContain('Done.');
  });

  it('receive no false end', async () => {
    const { program, after, first, answer, lost, take } = await deciding();
    await take();
    lost?.append('What nobody has stored.');
    tools.open();
    expect((await answer).status).toBe(503);
    expect(await app.model.requests(after)).toEqual([]);
    const next = await eventually(async () => {
      const response = await program.get(`${first.id}_1`);
      return response.status === 'completed' && response;
    });
    expect(textOf(next)).toBe('Done.');
  });
});
