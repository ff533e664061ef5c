import type { Page } from 'playwright-core';
import { createAdmin, createUser, PASSWORD, type TestAccount } from '../support/accounts';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { useConsoleApp } from '../support/console-app';
import { ConsoleChat } from '../support/console-chat';
import { furnish, PAGES, placeOf, type Places } from '../support/console-places';
import { eventually } from '../support/eventually';
import { goTo, inPage } from '../support/in-page';

/** All state of a page: its elements, field values, address, title and storage. */
const EVERYTHING = `JSON.stringify([
  document.documentElement.outerHTML,
  [...document.querySelectorAll('input, textarea')].map(({ value }) => value),
  document.title,
  location.href,
  history.state,
  { ...sessionStorage },
  { ...localStorage },
  document.cookie,
])`;

/**
 * Opens each page, and waits until it is idle. Returns the names of the pages that contain this word, if one is passed.
 */
const lookAtPages = (names: string[], places: Places, word?: string): string => {
  const steps = names.map((name) => {
    const look = `if (${EVERYTHING}.includes(${JSON.stringify(word)})) found.push(${JSON.stringify(name)});`;
    return `${goTo(placeOf(name, places))} await stands(); await frames(2); ${word === undefined ? '' : look}`;
  });
  return inPage(`const found = []; ${steps.join('\n')} return found;`);
};

/** A user with unique words in their data. */
interface Person extends TestAccount {
  word: string;
  places: Places;
}

describe('the next user of the same browser', () => {
  const app = useConsoleApp();

  async function newPerson(word: string, isAdmin: boolean): Promise<Person> {
    const account = await (isAdmin ? createAdmin(app) : createUser(app));
    const places = await furnish(app, account, word);
    const client = new ChatClient(app.url, account.token);
    await client.request('/user/profile', { method: 'PUT', body: { username: `${word}-name`, bio: word } });
    await client.request('/user/settings', { method: 'PUT', body: { custom_instructions: word } });
    return { ...account, word, places };
  }

  const chatOf = (page: Page, person: TestAccount) =>
    new ConsoleChat(page, person, new ChatClient(app.url, person.token));

  async function signIn(page: Page, person: TestAccount): Promise<void> {
    await page.getByLabel('E-mail address').fill(person.email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('button', { name: /^Signed in as/ }).waitFor();
  }

  async function signOut(page: Page): Promise<void> {
    await page.getByRole('button', { name: /^Signed in as/ }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  }

  const findsIn = (page: Page, word: string) =>
    page.evaluate<boolean>(`${EVERYTHING}.includes(${JSON.stringify(word)})`);

  /** Goes through every page, and leaves a trace wherever possible. @returns where another user's words were found */
  async function goThrough(page: Page, person: Person, foreign?: string): Promise<string[]> {
    const [withEntry, others] = [PAGES.slice(0, 2), PAGES.slice(2)];
    const found: string[] = [];
    const look = async (place: string) => {
      if (foreign !== undefined && (await findsIn(page, foreign))) found.push(place);
    };
    const goThere = async (...names: string[]) =>
      found.push(...(await page.evaluate<string[]>(lookAtPages(names, person.places, foreign))));
    const entry = page.getByRole('textbox', { name: 'Message', exact: true });
    for (const name of withEntry) {
      await goThere(name);
      await entry.waitFor();
      await look(`${name}, draft`);
      await entry.fill(`${person.word} not sent yet`);
    }
    await goThere(...others);
    await goThere('chat');
    await page.getByRole('searchbox', { name: 'Search conversations' }).fill(person.word);
    await page.locator('.chat-link').first().waitFor();
    await look('search');
    return found;
  }

  it('finds no data of the previous user on any page, nor does the previous user afterwards', async () => {
    const [first, second] = [
      await newPerson(`zanzibar${Date.now()}`, true),
      await newPerson(`quagga${Date.now()}`, false),
    ];
    const page = await app.visit(null);
    await page.goto('');
    await page.evaluate('window.isSameDocument = true');
    await signIn(page, first);
    await goThrough(page, first);
    await signOut(page);
    expect(await findsIn(page, first.word)).toBe(false);
    await signIn(page, second);
    expect(await goThrough(page, second, first.word)).toEqual([]);
    await signOut(page);
    expect(await findsIn(page, second.word)).toBe(false);
    await signIn(page, first);
    // An administrator's lists contain all users, so only the user's own pages count here.
    expect((await goThrough(page, first, second.word)).filter((name) => !name.startsWith('admin/'))).toEqual([]);
    expect(await page.evaluate('window.isSameDocument')).toBe(true);
  });

  it('gets none of the open, pending or broadcast data of other tabs when one tab changes the user', async () => {
    const [first, second] = [
      await newPerson(`zanzibar${Date.now()}`, false),
      await newPerson(`quagga${Date.now()}`, false),
    ];
    const content = uniqueContent(`${first.word} question`);
    await app.model.script({
      key: content,
      steps: [{ text: `${first.word} begins` }, { hold: content }, { text: ` and ${first.word} ends` }],
    });
    const page = await app.visit(null);
    await page.goto('');
    await signIn(page, first);
    const other = await page.context().newPage();
    await other.goto('chat');
    const chat = chatOf(page, first);
    // A reply that is being written, a draft, and a dialog whose answer arrives only after the change.
    await chat.send(content);
    await page.getByText(`${first.word} begins`).waitFor();
    await chat.entry.fill(`${first.word} draft`);
    const id = Number(/\d+$/.exec(page.url())?.[0]);
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/api/v1/chat/*', async (route) => {
      if (route.request().method() !== 'PUT') return route.fallback();
      const response = await route.fetch();
      await released;
      await route.fulfill({ response });
    });
    await chat.act(first.word, 'Rename');
    await page.getByLabel('Title').fill(`${first.word} renamed`);
    await page.keyboard.press('Enter');
    await signOut(other);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await signIn(other, second);
    await page.getByRole('button', { name: `Signed in as ${second.word}` }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/chat');
    await app.model.release(content);
    release();
    await chat.client.waitForEnd(id);
    await chatOf(page, second).expectTitles(...(await chatOf(other, second).titles()));
    for (const tab of [page, other]) {
      expect(await goThrough(tab, second, first.word)).toEqual([]);
      expect(await findsIn(tab, first.word)).toBe(false);
    }
  });

  it('recovers a draft of their own expired session, which no other user sees', async () => {
    const [first, second] = [
      await newPerson(`zanzibar${Date.now()}`, false),
      await newPerson(`quagga${Date.now()}`, false),
    ];
    const page = await app.visit(null);
    const end = async (person: Person) => {
      await new ChatClient(app.url, person.token).request('/user/sessions', { method: 'DELETE' });
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    };
    await page.goto('chat');
    await signIn(page, first);
    await chatOf(page, first).entry.fill(`${first.word} draft`);
    await end(first);
    await signIn(page, first);
    await page.getByRole('link', { name: 'Chat', exact: true }).click();
    await eventually(async () => (await chatOf(page, first).entry.inputValue()) === `${first.word} draft`, 20);
    await end(first);
    await signIn(page, second);
    await eventually(async () => !(await findsIn(page, first.word)), 20);
  });
});
