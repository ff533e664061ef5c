import { uniqueContent } from '../support/chat-client';
import { dataUrl, png, shownImage } from '../support/sent-images';
import { type OurMessage, UiChat } from '../support/ui-chat';
import { useChatApp, useClient } from '../support/use-app';

/** The input of `sendMessage`, and the SDK's form of a selected file. */
const fileOf = (bytes: Buffer) => ({ type: 'file' as const, mediaType: 'image/png', url: dataUrl(bytes) });

describe('useChat of the AI SDK, with files', () => {
  const app = useChatApp();
  const client = useClient(app);
  let chatId: number;
  let ui: UiChat;
  let text: string;
  let picture: Buffer;

  beforeEach(async () => {
    chatId = (await client.createChat()).id;
    ui = new UiChat(chatId, app.url, client.token);
    text = uniqueContent('What is here?');
    picture = png();
    await ui.sendMessage({ text, files: [{ ...fileOf(picture), filename: 'lisbon.png' }] });
    expect(ui.error).toBeUndefined();
  });

  const question = async (index = -2) => (await client.read(chatId)).messages.at(index);
  const image = (bytes: Buffer) => ({ type: 'image_url', image_url: { url: dataUrl(bytes) } });
  const told = async (key: string): Promise<unknown> =>
    (await app.model.requests(key)).at(-1)?.body.messages.at(-1)?.content;

  it('sends its image to the model, and stores it', async () => {
    const said = { type: 'text', text };
    expect(await told(text)).toEqual([image(picture), said]);
    expect(await question()).toMatchObject({
      content: text,
      parts: [{ ...shownImage(picture), name: 'lisbon.png' }, said],
    });
  });

  it('may send only an image, and more than one', async () => {
    const others = [png(), png()];
    await ui.sendMessage({ files: others.map(fileOf) });
    expect(ui.error).toBeUndefined();
    expect(await question()).toMatchObject({ content: '', parts: others.map(shownImage) });
  });

  it('regenerates with the image', async () => {
    await ui.regenerate();
    expect(ui.error).toBeUndefined();
    const requests = await app.model.requests(text);
    expect(requests.map(({ body }) => body.messages.at(-1)?.content)).toEqual(
      Array(2).fill([image(picture), { type: 'text', text }]),
    );
    expect((await client.read(chatId)).messages).toHaveLength(2);
  });

  it('edits the text and keeps the image, or replaces it by those on the page', async () => {
    const edited = uniqueContent('edited');
    await ui.sendMessage({ text: edited, messageId: ui.messages[0]?.id });
    expect(await question()).toMatchObject({ content: edited, parts: [{ type: 'text' }, { name: 'lisbon.png' }] });
    ui.messages = (await client.request<OurMessage[]>(`/chat/${chatId}/messages?format=ui_message`)).body;
    const again = uniqueContent('again');
    const files = [...(ui.messages[0]?.parts.filter((part) => part.type === 'file') ?? []), fileOf(png())];
    await ui.sendMessage({ text: again, files, messageId: ui.messages[0]?.id });
    expect(ui.error).toBeUndefined();
    const kept = { ...shownImage(picture), name: 'lisbon.png' };
    expect((await question())?.parts).toEqual([
      kept,
      { ...kept, name: null, hash: expect.any(String) },
      expect.anything(),
    ]);
    expect((await client.read(chatId)).messages).toHaveLength(2);
  });

  it('shows a message when the image is refused, and sends it on a retry', async () => {
    const next = uniqueContent('next');
    await ui.sendMessage({ text: next, files: [{ ...fileOf(Buffer.from('<svg/>')), mediaType: 'image/svg+xml' }] });
    expect(ui.error?.message).toMatch(/^The type of “parts\[0\]\.url” is not supported/);
    ui.messages = ui.messages.map((message, index) =>
      index === 2 ? { ...message, parts: [fileOf(picture), { type: 'text', text: next }] } : message,
    );
    await ui.regenerate();
    expect(ui.error).toBeUndefined();
    expect(await question()).toMatchObject({
      content: next,
      parts: [shownImage(picture), { type: 'text', text: next }],
    });
  });
});
