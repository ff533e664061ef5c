import { agentRequests, createAgent } from '../e2e/agent-requests';
import { createAdmin } from '../support/accounts';
import { uniqueContent } from '../support/chat-client';
import { useConsoleApp } from '../support/console-app';
import { ConsoleChat } from '../support/console-chat';
import { ConsoleLooks } from '../support/console-looks';
import { tidyWindow } from '../support/console-window';

/** An image of one pixel. */
const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const PICTURE = { name: 'dot.png', mimeType: 'image/png', buffer: DOT };
const NOTES = { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('# 東京\n') };

/** Simulates dropping a file or pasting from the clipboard. */
const transfer = (kind: 'drop' | 'paste', target: string): string => `(() => {
  const data = new DataTransfer();
  data.items.add(new File([Uint8Array.from(atob('${DOT.toString('base64')}'), (c) => c.charCodeAt(0))], '${kind}.png', { type: 'image/png' }));
  const event = ${
    kind === 'drop'
      ? "new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })"
      : "new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })"
  };
  document.querySelector('${target}').dispatchEvent(event);
  return event.defaultPrevented;
})()`;

describe('images and files in the chat of the console', () => {
  const app = useConsoleApp();
  let chat: ConsoleChat;

  beforeAll(async () => (chat = await ConsoleChat.visit(app)));

  afterEach(() => tidyWindow(chat.page));

  const chosen = () => chat.page.locator('.composer .attachment');
  const choose = (...files: (typeof PICTURE)[]) => chat.page.locator('.composer input[type=file]').setInputFiles(files);
  const says = (text: string) => chat.page.getByText(text).waitFor();

  it('are selected, pasted and dropped, removed, sent, shown and enlarged', async () => {
    const id = await chat.openNew();
    await choose(PICTURE, NOTES);
    expect(await chat.page.evaluate(transfer('paste', '#chat-entry'))).toBe(true);
    expect(await chat.page.evaluate(transfer('drop', '.messages'))).toBe(true);
    await chosen().nth(3).waitFor();
    const [spoken, faults] = [uniqueContent('Look'), await new ConsoleLooks(chat.page).faults('attachments')];
    expect(faults).toEqual([]);
    await chat.button('Remove drop.png').click();
    await chat.button('Remove paste.png').focus();
    await chat.page.keyboard.press('Enter');
    await chat.send(spoken);
    await chat.waitForEnd();
    expect(await chosen().count()).toBe(0);

    const [request] = await app.model.requests(spoken);
    expect(request?.body.messages.at(-1)?.content).toMatchObject([
      { type: 'text' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${DOT.toString('base64')}` } },
      { type: 'file' },
    ]);
    const [message] = (await chat.client.read(id)).messages;
    expect(message?.parts).toMatchObject([
      { type: 'text', text: spoken },
      { name: 'dot.png', media_type: 'image/png' },
      { name: 'notes.md' },
    ]);

    await chat.button('Enlarge dot.png').click();
    const large = chat.page.getByRole('dialog').getByRole('img', { name: 'dot.png' });
    await large.waitFor();
    expect(await new ConsoleLooks(chat.page).faults('picture-large')).toEqual([]);
    await chat.page.keyboard.press('Escape');
    await large.waitFor({ state: 'detached' });
  });

  it('start a chat without text', async () => {
    await chat.open();
    await choose(PICTURE);
    await chat.button('Send').click();
    await chat.waitForEnd();
    await chat.button('Enlarge dot.png').waitFor();
    const id = Number(new URL(chat.page.url()).pathname.split('/').pop());
    expect((await chat.client.read(id)).messages[0]?.parts).toMatchObject([{ name: 'dot.png' }]);
  });

  it('are restored when the message was refused, and sent with the next attempt', async () => {
    const id = await chat.openNew();
    // Its declared type is an image, but it is none.
    await choose({ ...PICTURE, name: 'page.png', buffer: Buffer.from('<script>alert(1)</script>') }, PICTURE);
    await chat.send('Look');
    await chat.alert.first().waitFor();
    await chosen().nth(1).waitFor();
    expect(await chat.entry.inputValue()).toBe('Look');
    await chat.button('Remove page.png').click();
    await chat.entry.press('Enter');
    await chat.waitForEnd();
    const { messages } = await chat.client.read(id);
    expect(messages.map(({ role, parts }) => [role, parts?.length])).toEqual([
      ['user', 2],
      ['assistant', undefined],
    ]);
  });

  it('run no code, whatever type they declare', async () => {
    const id = await chat.openNew();
    const script = '<script>window.hacked = 1; parent.hacked = 1</script>';
    // Its header declares a width and height of 2^31 - 1 pixels.
    const vast = Buffer.from(DOT);
    vast.writeUInt32BE(2 ** 31 - 1, 16);
    vast.writeUInt32BE(2 ** 31 - 1, 20);
    await choose(
      {
        name: 'drawing.svg',
        mimeType: 'image/svg+xml',
        buffer: Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" onload="window.hacked = 1">${script}</svg>`),
      },
      { name: 'page.html', mimeType: 'text/html', buffer: Buffer.from(`<!doctype html>${script}`) },
      // A file that is a GIF, a page and a program.
      { name: 'dot.gif', mimeType: 'image/gif', buffer: Buffer.from(`GIF89a=1/*${script}*/;window.hacked=1`) },
      { name: 'vast.png', mimeType: 'image/png', buffer: vast },
    );
    await chosen().nth(3).waitFor();
    expect(await chat.page.locator('.composer img[src*=svg], .composer iframe, .composer object').count()).toBe(0);
    await chat.send('Look');
    await chat.waitForEnd();
    expect((await chat.client.read(id)).messages[0]?.parts).toHaveLength(5);
    expect(await chat.page.locator('.messages iframe, .messages object, .messages embed').count()).toBe(0);
    const saved = chat.page.waitForEvent('download');
    await chat.page.getByRole('button', { name: /page\.html/ }).click();
    expect((await saved).suggestedFilename()).toBe('page.html');
    expect(await chat.page.evaluate("'hacked' in window")).toBe(false);
  });

  it('are refused with a message before they are sent', async () => {
    await chat.openNew();
    await choose({ ...NOTES, name: 'nothing.txt', buffer: Buffer.alloc(0) });
    await says('“nothing.txt” is empty or a folder.');
    await choose({
      ...NOTES,
      name: 'archive.zip',
      mimeType: 'application/zip',
      buffer: Buffer.from('PK\u0003\u0004\0'),
    });
    await says(
      '“archive.zip” is not supported. Use an image (PNG, JPEG, GIF, WebP), a PDF, an office document, or a text file.',
    );
    await choose({ ...PICTURE, name: 'large.png', buffer: Buffer.alloc(10 * 2 ** 20 + 1) });
    await says('“large.png” is too large');
    expect(await chosen().count()).toBe(0);
    expect(await new ConsoleLooks(chat.page).faults('attachments-refused')).toEqual([]);
  });

  it('are not sent to an agent without vision', async () => {
    const request = agentRequests(app, (await createAdmin(app)).token);
    const { id: agent_id, name } = await createAgent(request, { status: 'active', provider: 'demo' });
    const { id } = await chat.client.createChat({ agent_id });
    await chat.show(id);
    await chat.entry.fill('Look');
    await choose(PICTURE);
    await says(`${name} cannot read images.`);
    expect(await chat.button('Send').isDisabled()).toBe(true);
    await chat.button('Remove dot.png').click();
    expect(await chat.button('Send').isEnabled()).toBe(true);
  });
});
