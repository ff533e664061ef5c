import type { Locator, Page } from 'playwright-core';
import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import type { UserEntity } from '../../src/modules/user/account/user.entity';
import { createUser, type TestAccount } from './accounts';
import { ChatClient } from './chat-client';
import type { ConsoleApp } from './console-app';
import type { Look } from './console-window';
import { eventually } from './eventually';
import { goTo, inPage, openAnew } from './in-page';

/** A user's view and actions on the chat page. */
export class ConsoleChat {
  readonly entry: Locator;
  readonly replies: Locator;
  readonly alert: Locator;

  constructor(
    readonly page: Page,
    readonly account: TestAccount,
    /** The same user, over HTTP. */
    readonly client: ChatClient,
  ) {
    this.entry = page.getByRole('textbox', { name: 'Message', exact: true });
    this.replies = page.locator('article.reply');
    this.alert = page.getByRole('alert');
  }

  /** A new signed-in user. */
  static async visit(app: ConsoleApp, columns: Partial<UserEntity> = {}, look: Look = {}): Promise<ConsoleChat> {
    const account = await createUser(app, columns);
    return new ConsoleChat(await app.visit(account, look), account, new ChatClient(app.url, account.token));
  }

  /** Another window of the same browser. */
  async another(): Promise<ConsoleChat> {
    return new ConsoleChat(await this.page.context().newPage(), this.account, this.client);
  }

  async open(path = 'chat'): Promise<void> {
    await this.page.goto(path);
    await this.entry.waitFor();
  }

  /** Opens a new conversation of this user. Coming from another console page, it loads nothing. */
  async openNew(title?: string): Promise<number> {
    const { id } = await this.client.createChat({ title });
    if (new URL(this.page.url()).pathname.startsWith('/console/')) await this.page.evaluate(inPage(goTo(`chat/${id}`)));
    else await this.page.goto(`chat/${id}`);
    await this.entry.waitFor();
    return id;
  }

  /** Opens a conversation. Coming from another console page, it loads nothing and keeps no state. */
  async show(id: number): Promise<void> {
    if (!new URL(this.page.url()).pathname.startsWith('/console/')) return this.open(`chat/${id}`);
    await this.page.evaluate(inPage(openAnew(`chat/${id}`)));
    await this.entry.waitFor();
  }

  async send(text: string): Promise<void> {
    await this.entry.fill(text);
    await this.entry.press('Enter');
  }

  /** Waits until no reply is running. */
  async waitForEnd(): Promise<void> {
    await this.page.locator('article.reply.last .message-actions').waitFor();
    await this.button('Stop reply').waitFor({ state: 'detached' });
  }

  button(name: string | RegExp, within: Page | Locator = this.page): Locator {
    return within.getByRole('button', { name, exact: typeof name === 'string' });
  }

  /** Opens the menu of a conversation in the list, and selects an entry. */
  async act(title: string, action: string): Promise<void> {
    const row = this.page.locator('.chat-row', { hasText: title });
    await row.hover();
    await row.getByRole('button').click();
    await this.button(action, row).click();
  }

  titles(): Promise<string[]> {
    return this.page.locator('.chat-link bdi').allTextContents();
  }

  async expectTitles(...expected: string[]): Promise<void> {
    await eventually(async () => JSON.stringify(await this.titles()) === JSON.stringify(expected), 20).catch(
      () => undefined,
    );
    expect(await this.titles()).toEqual(expected);
  }

  /** The texts of all messages. */
  async line(): Promise<string[]> {
    const texts = await this.page.locator('article.message :is(.bubble, .reply-head ~ .markdown)').allTextContents();
    return texts.map((text) => text.trim());
  }

  /** Waits until the page shows the stored current branch, and checks it against the expected one. */
  async expectLine(chatId: number, ...expected: string[]): Promise<MessageDto[]> {
    await eventually(async () => JSON.stringify(await this.line()) === JSON.stringify(expected), 20).catch(
      () => undefined,
    );
    expect(await this.line()).toEqual(expected);
    const { messages } = await this.client.read(chatId);
    expect(messages.map(({ content }) => content)).toEqual(expected);
    return messages;
  }
}
