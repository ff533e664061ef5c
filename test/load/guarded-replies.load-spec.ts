import { type ChatApp, startChatApp } from '../support/chat-app';
import type { ChatClient } from '../support/chat-client';
import { addGuard } from '../support/guarding';

const REPLIES = 1_000;
const AT_ONCE = 10;

const WORDS = ['one', 'zwei', '三', '😀', '[EMAIL_9]', '[', '12', '\n\n', '`x`', 'é', '[[cite:1]]', '] ['];

/** A different text for each number. */
const textOf = (number: number): string =>
  Array.from({ length: 20 + (number % 40) }, (_none, index) => WORDS[(index * (number + 3)) % WORDS.length]).join(' ');

describe('many streamed replies with a guard that masks', () => {
  let app: ChatApp;

  beforeAll(async () => {
    app = await startChatApp();
    await addGuard(app, { name: 'builtin', rules: ['email', 'credit_card', 'iban'], window: 30 });
  });
  afterAll(() => app.close());

  it('equal the unmasked text if nothing was found', async () => {
    let equal = 0;
    const work = async (client: ChatClient, first: number): Promise<void> => {
      const { id } = await client.createChat();
      for (let number = first; number < REPLIES; number += AT_ONCE) {
        const key = `reply-${number}-of-${first};`;
        const text = textOf(number);
        const size = 1 + (number % 9);
        const steps = (text.match(new RegExp(`[^]{1,${size}}`, 'gu')) ?? []).map((piece) => ({ text: piece }));
        await app.model.script({ key, times: 1, steps });
        const reply = await (await client.stream(id, key)).plain();
        equal += Number(reply.text === text);
      }
    };
    const clients = await Promise.all(Array.from({ length: AT_ONCE }, () => app.newClient()));
    await Promise.all(clients.map(work));
    expect(equal).toBe(REPLIES);
  });
});
