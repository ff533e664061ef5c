// @databases mariadb: two instances share one database
import { DomainEvents } from '../../src/common/events/domain-events';
import { Database } from '../../src/database/database';
import { ConnectActions } from '../../src/modules/generation/acting/deciding/connect-actions';
import { resultsOf, useActing } from '../support/acting';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { ConnectedTools } from '../support/connected-tools';
import { eventually } from '../support/eventually';
import { expectFailure } from '../support/http';
import { databaseEngine } from '../support/servers/test-database';
import { startInstance } from '../support/test-app';
import { made } from '../support/use-app';

const DENIED = 'This call was not allowed. Do not try it again unless you are asked to.';

describe('calls whose user has to connect to the server', () => {
  const { app, client, chatWith, calling, saying, actionsOf, decide } = useActing();
  const mailbox = made(beforeAll, () => Promise.resolve(ConnectedTools.in(app)));

  beforeEach(() => {
    mailbox.isSeenBefore = false;
    mailbox.calls.length = 0;
  });

  /** A reply that calls the tool this often in one round. */
  async function waiting(times = 1) {
    const chatId = await chatWith([{ name: mailbox.name, policy: 'auto' }]);
    const key = uniqueContent();
    await calling(key, ...Array.from({ length: times }, (_value, to): [string, object] => [mailbox.name, { to }]));
    await saying(key, 'Done.');
    const { body } = await client.send(chatId, key);
    const actions = await actionsOf(chatId);
    return { chatId, reply: body[1], actions, userId: actions[0]?.user_id ?? 0 };
  }

  const connected = (userId: number, label = mailbox.label) => app.app.get(ConnectActions).connected(userId, label);

  it.each([true, false])(
    'wait, and all continue when the user has connected (detected before the call: %s)',
    async (isSeenBefore) => {
      mailbox.isSeenBefore = isSeenBefore;
      const [first, second] = [await waiting(2), await waiting()];
      expect(first.reply.status).toBe('requires_action');
      expect(first.actions).toHaveLength(2);
      for (const action of first.actions) {
        expect(action).toMatchObject({
          kind: 'connect',
          server: 'mailbox',
          host: 'mail.example.com',
          scopes: [],
          url: null,
        });
      }
      expect(mailbox.calls).toEqual([]);
      await connected(first.userId, 'another');
      expect((await client.read(first.chatId)).messages.at(-1)?.status).toBe('requires_action');
      mailbox.missing.set(first.userId, []);
      await Promise.all(Array.from({ length: 5 }, () => connected(first.userId)));
      expect(resultsOf(await client.waitForEnd(first.chatId))).toEqual(['Sent.', 'Sent.']);
      expect(resultsOf(await client.waitForEnd(second.chatId))).toEqual(['Sent.']);
      expect(mailbox.calls).toHaveLength(3);
    },
  );

  it('continue once the connection is stored', async () => {
    const { chatId, userId } = await waiting();
    mailbox.missing.set(userId, []);
    const { label } = mailbox;
    const event = { type: 'mcp.connected', userId, data: { label }, isInternal: true } as const;
    await app.app.get(Database).write((manager) => app.app.get(DomainEvents).publish(manager, event));
    const reply = await eventually(async () => {
      const last = (await client.read(chatId)).messages.at(-1);
      return last?.status === 'completed' ? last : undefined;
    });
    expect(resultsOf(reply)).toEqual(['Sent.']);
  });

  it('continue without a notification, and not before the connection exists', async () => {
    const [first, second] = [await waiting(), await waiting()];
    const look = () => app.app.get(ConnectActions).findConnected();
    await look();
    expect(await actionsOf(first.chatId)).toHaveLength(1);
    mailbox.missing.set(first.userId, []);
    await Promise.all([look(), look()]);
    for (const { chatId } of [first, second]) {
      expect(resultsOf(await client.waitForEnd(chatId))).toEqual(['Sent.']);
    }
    expect(mailbox.calls).toHaveLength(2);
    mailbox.missing.set(first.userId, ['mail.send']);
    const { chatId } = await waiting();
    await look();
    expect(await actionsOf(chatId)).toMatchObject([{ kind: 'connect', scopes: ['mail.send'] }]);
  });

  it('wait for more scopes, and again while these are insufficient', async () => {
    const { userId } = await waiting();
    mailbox.missing.set(userId, ['mail.send']);
    const { chatId, actions } = await waiting();
    expect(actions).toMatchObject([{ kind: 'connect', scopes: ['mail.send'] }]);
    await connected(userId);
    const ended = await client.waitForEnd(chatId);
    expect(ended.status).toBe('requires_action');
    const [again] = await actionsOf(chatId);
    expect(again?.id).not.toBe(actions[0]?.id);
    expect(mailbox.calls).toEqual([]);
  });

  it('are cancelled by a denial, and by no approval', async () => {
    const { chatId, actions, userId } = await waiting(2);
    const [one, other] = actions;
    const approve = { decision: 'approve', arguments_hash: one?.arguments_hash };
    const { details } = expectFailure(await decide(chatId, one?.id ?? 0, approve), 422, 'VALIDATION_ERROR');
    expect(details.field).toBe('decision');
    await decide(chatId, one?.id ?? 0, { decision: 'deny', reason: 'Not now.' });
    mailbox.missing.set(userId, []);
    await connected(userId);
    const results = resultsOf(await client.waitForEnd(chatId));
    expect(results.filter((result) => result === 'Sent.')).toHaveLength(1);
    expect(results.filter((result) => result === `${DENIED} Not now.`)).toHaveLength(1);
    expect((await decide(chatId, other?.id ?? 0, { decision: 'deny' })).status).toBe(409);
  });

  if (databaseEngine() !== 'sqlite') {
    it('continue once, however many instances are notified', async () => {
      const { chatId, userId } = await waiting();
      mailbox.missing.set(userId, []);
      const other = await startInstance(app.environment);
      try {
        const there = ConnectedTools.in({ ...app, app: other.app });
        there.missing.set(userId, []);
        await Promise.all([
          connected(userId),
          other.app.get(ConnectActions).connected(userId, mailbox.label),
          connected(userId),
        ]);
        const reply = await new ChatClient(other.url, client.token).waitForEnd(chatId);
        expect(resultsOf(reply)).toEqual(['Sent.']);
        expect(mailbox.calls.length + there.calls.length).toBe(1);
      } finally {
        await other.app.close();
      }
    });
  }
});
