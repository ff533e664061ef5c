import { uniqueContent } from '../support/chat-client';
import { useConsoleApp, violations } from '../support/console-app';
import { ConsoleChat } from '../support/console-chat';
import { eventually } from '../support/eventually';
import type { ModelScript } from '../support/model-server/model-server';
import { ResponsesClient } from '../support/open-responses/responses-client';

const REPLY = 'Hello from the model.';

describe('the chat of the console', () => {
  const app = useConsoleApp();
  let chat: ConsoleChat;

  beforeAll(async () => {
    chat = await ConsoleChat.visit(app);
  });

  it('starts a conversation with a chosen agent, and shows the reply while it is written', async () => {
    const content = uniqueContent('Lisbon');
    await app.model.script({
      key: content,
      steps: [{ reasoning: 'A first visit.' }, { text: 'The **Alfama**' }, { hold: content }, { text: ' quarter.' }],
    });
    await chat.open();
    await chat.page.getByText('Translator', { exact: true }).click();
    await chat.send(content);
    await chat.page.locator('strong', { hasText: 'Alfama' }).waitFor();
    await chat.button('Stop reply').waitFor();
    expect(await chat.page.locator('details.reasoning').count()).toBe(1);
    const id = Number(/\/chat\/(\d+)$/.exec(chat.page.url())?.[1]);
    await app.model.release(content);
    await chat.waitForEnd();
    const { messages, agent } = await chat.client.read(id);
    expect(messages.map((message) => message.content)).toEqual([content, 'The **Alfama** quarter.']);
    expect(agent?.name).toBe('Translator');
    expect((await chat.line())[1]).toBe('The Alfama quarter.');
    await chat.page.getByRole('heading', { level: 1, name: content.slice(0, 20) }).waitFor();
    expect((await chat.titles())[0]).toContain(content.slice(0, 20));
  });

  it('stops a reply, and the next message can follow immediately', async () => {
    const [content, next] = [uniqueContent(), uniqueContent('next')];
    await app.model.script({ key: content, steps: [{ text: 'Half' }, { stall: true }] });
    const id = await chat.openNew();
    await chat.send(content);
    await chat.page.getByText('Half', { exact: true }).waitFor();
    await chat.entry.press('Escape');
    await chat.page.getByText('You stopped this reply.').waitFor();
    await chat.send(next);
    await chat.waitForEnd();
    const messages = await chat.expectLine(id, content, 'Half', next, REPLY);
    expect(messages.map(({ status }) => status)).toEqual(['completed', 'stopped', 'completed', 'completed']);
  });

  it('regenerates a reply, and navigates between versions', async () => {
    const content = uniqueContent();
    const id = await chat.openNew();
    await chat.send(content);
    await chat.waitForEnd();
    await app.model.script({ key: content, times: 1, steps: [{ text: 'Another one' }] });
    await chat.button('Regenerate reply').click();
    await chat.page.getByText('2/2').waitFor();
    await chat.expectLine(id, content, 'Another one');
    await chat.button('Previous version').click();
    await chat.page.getByText('1/2').waitFor();
    await chat.expectLine(id, content, REPLY);
    await chat.button('Next version').click();
    await chat.expectLine(id, content, 'Another one');
  });

  it('edits a message by keyboard alone', async () => {
    const [first, second] = [uniqueContent('first'), uniqueContent('second')];
    const id = await chat.openNew();
    await chat.send(first);
    await chat.waitForEnd();
    await chat.entry.press('ArrowUp');
    const wording = chat.page.getByRole('textbox', { name: 'Edit message' });
    await wording.press('Escape');
    await wording.waitFor({ state: 'detached' });
    await chat.entry.focus();
    await chat.entry.press('ArrowUp');
    await wording.fill(second);
    await wording.press('Enter');
    await chat.page.getByText('2/2').waitFor();
    await chat.expectLine(id, second, REPLY);
  });

  it('rates a reply, with a reason', async () => {
    const id = await chat.openNew();
    await chat.send(uniqueContent());
    await chat.waitForEnd();
    await chat.button('Bad reply').click();
    await chat.page.getByLabel('What went wrong? (optional)').fill('Too short');
    await chat.button('Send', chat.page.locator('.comment')).click();
    await chat.page.locator('.comment').waitFor({ state: 'detached' });
    const feedback = async () => (await chat.client.read(id)).messages[1]?.feedback;
    expect(await feedback()).toEqual({ rating: 'dislike', comment: 'Too short' });
    await chat.button('Bad reply').click();
    await eventually(async () => (await feedback()) === null);
  });

  it('shows the usage of a reply', async () => {
    await chat.openNew();
    await chat.send(uniqueContent());
    await chat.waitForEnd();
    await chat.button('Details').click();
    const facts = await chat.page.locator('.reply-facts').innerText();
    expect(facts).toMatch(
      /scripted[\s\S]*Input tokens\s+\d+[\s\S]*Output tokens\s+\d+[\s\S]*Time to first token\s+\d+/,
    );
  });

  it('shows a failure in place, and retries', async () => {
    const content = uniqueContent();
    await app.model.script({ key: content, times: 3, status: 500 });
    const id = await chat.openNew();
    await chat.send(content);
    await chat.page.locator('.reply-end').getByText('The AI model').waitFor();
    await chat.button('Try again').click();
    await chat.replies.getByText(REPLY).waitFor();
    await chat.waitForEnd();
    await chat.expectLine(id, content, REPLY);
  });

  it.each<[string, ModelScript, string]>([
    ['gives nothing', { steps: [] }, 'The model returned no text.'],
    ['gives white space', { steps: [{ text: ' \n' }] }, 'The model returned no text.'],
    ['only thinks', { steps: [{ reasoning: 'Hm.' }] }, 'The model returned no text.'],
    [
      'only thinks, to its greatest length',
      { steps: [{ reasoning: 'Hm.' }], finish: 'length' },
      'The model reached its output limit before returning any text.',
    ],
  ])('explains that a model %s, and retries', async (_case, script, words) => {
    const content = uniqueContent();
    await app.model.script({ key: content, times: 1, ...script });
    const id = await chat.openNew();
    await chat.send(content);
    await chat.replies.getByText(words).waitFor();
    await chat.page.locator('[aria-live=polite]', { hasText: 'The model returned no text.' }).waitFor();
    expect(await violations(chat.page)).toEqual([]);
    await chat.open(`chat/${id}`);
    await chat.replies.getByText(words).waitFor();
    await chat.button('Try again').click();
    await chat.replies.getByText(REPLY).waitFor();
    await chat.waitForEnd();
    await chat.expectLine(id, content, REPLY);
  });

  it('shows where a client had the conversation summarised, and nothing for an empty reply', async () => {
    const program = new ResponsesClient(app.origin, chat.client.token, 'General assistant');
    const input = [{ role: 'user', content: uniqueContent() }, { type: 'compaction_trigger' }];
    const { conversation } = await program.create({ input });
    await chat.show(Number(conversation?.id.slice('conv_'.length)));
    await chat.replies.getByText('Earlier messages were summarized here for the model.').waitFor();
    expect(await chat.page.getByText('The model returned no text.').count()).toBe(0);
    expect(await violations(chat.page)).toEqual([]);
  });

  it('keeps an unsent draft for each conversation', async () => {
    const id = await chat.openNew();
    await chat.entry.fill('unfinished');
    await chat.openNew();
    expect(await chat.entry.inputValue()).toBe('');
    await chat.open(`chat/${id}`);
    expect(await chat.entry.inputValue()).toBe('unfinished');
  });

  it('does not send text that an input method is still composing', async () => {
    const id = await chat.openNew();
    await chat.entry.fill('にほん');
    await chat.entry.dispatchEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true });
    expect(await chat.entry.inputValue()).toBe('にほん');
    expect((await chat.client.read(id)).messages).toEqual([]);
  });
});
