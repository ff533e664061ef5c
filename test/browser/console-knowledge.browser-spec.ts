import type { Locator, Route } from 'playwright-core';
import type { KnowledgeDto } from '../../src/modules/knowledge/collections/store.dto';
import { createAdmin, createUser, newcomer, type TestAccount } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { useConsoleApp } from '../support/console-app';
import { ConsoleLooks, LANGUAGES } from '../support/console-looks';
import { ConsolePage } from '../support/console-page';
import { tidyWindow } from '../support/console-window';
import { eventually } from '../support/eventually';
import { Keyboard } from '../support/keyboard';
import { KnowledgeClient } from '../support/knowledge';

const TEXT = `# Holidays\n\n${'Other rules are in the handbook. '.repeat(120)}\n\nHolidays are requested two weeks ahead.\n`;
const HANDBOOK = { name: 'handbook.md', mimeType: 'text/markdown', buffer: Buffer.from(TEXT) };
const NOISE = { name: 'noise.bin', mimeType: 'application/octet-stream', buffer: Buffer.from([0, 1, 2, 3, 0, 255]) };

/** Drops a text file on the page, from the file manager. */
const DROP = `(() => {
  const data = new DataTransfer();
  data.items.add(new File(['The sea is warm in May.'], 'dropped.txt', { type: 'text/plain' }));
  const event = new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true });
  document.querySelector('h1').dispatchEvent(event);
  return event.defaultPrevented;
})()`;

describe('collections of files in the console', () => {
  const app = useConsoleApp();
  let account: TestAccount;
  let client: KnowledgeClient;
  let at: ConsolePage;
  let looks: ConsoleLooks;

  beforeAll(async () => {
    account = await createUser(app);
    client = new KnowledgeClient(app, account);
    at = new ConsolePage(await app.visit(account));
    looks = new ConsoleLooks(at.page);
  });

  afterEach(() => tidyWindow(at.page));

  const row = (name: string): Locator => at.page.locator('tbody tr').filter({ hasText: name });
  const choose = (...files: (typeof HANDBOOK)[]) => at.page.locator('.file-drop input').setInputFiles(files);
  const open = async (body: object = {}): Promise<KnowledgeDto> => {
    const collection = await client.createStore({ name: newcomer().username, ...body });
    await at.open(`knowledge/${collection.id}`, collection.name);
    return collection;
  };
  const isReady = (name: string) => row(name).getByText('Ready', { exact: true }).waitFor();

  it('are created by the keyboard, listed with their search and size, and empty at first', async () => {
    await at.open('knowledge', 'Knowledge');
    const keys = new Keyboard(at.page);
    await keys.goTo('New collection');
    await keys.press('Enter');
    await at.dialog.waitFor();
    expect(await looks.faults('collection-new', LANGUAGES)).toEqual([]);
    await at.dialog.getByLabel('Name', { exact: true }).fill('Handbooks');
    await at.dialog.getByLabel('Expiry').selectOption('90');
    await at.answer('Create');
    await at.heading('Handbooks');
    await at.says('No files yet. Add some, or drop them here.');
    expect(await looks.faults('collection-empty', LANGUAGES)).toEqual([]);
    await at.open('knowledge', 'Knowledge');
    for (const text of ['You', 'Private', 'Keyword search', '0 kB'])
      await row('Handbooks').getByText(text).first().waitFor();
    expect(await looks.faults('collections', LANGUAGES)).toEqual([]);
  });

  it('read chosen and dropped files while the page shows how far they are, and explain what cannot be read', async () => {
    await open();
    await choose(HANDBOOK, NOISE);
    expect(await at.page.evaluate(DROP)).toBe(true);
    await Promise.all([isReady('handbook.md'), isReady('dropped.txt')]);
    await row('noise.bin').getByText('“noise.bin” has a format', { exact: false }).waitFor();
    expect(await at.page.locator('.upload').count()).toBe(0);
    expect(await looks.faults('collection-files', LANGUAGES)).toEqual([]);
    await at.press('Retry: noise.bin');
    await row('noise.bin').getByText('Failed', { exact: true }).waitFor();
  });

  it('explain a failure in the language of the reader', async () => {
    const { id } = await open();
    await client.sendFile({ name: 'noise.bin', content: NOISE.buffer }, `/knowledge/${id}/files`);
    const german = new ConsolePage(await app.visit(account, { language: 'de' }));
    await german.page.goto(`knowledge/${id}`);
    await german.tells('Speichern Sie die Datei als PDF, DOCX oder Text');
    await app.leave(german.page);
  });

  it('show the progress of an upload, which can be cancelled or tried again', async () => {
    const { id } = await open();
    let held: Route | undefined;
    await at.page.route(`**/knowledge/${id}/files`, (route) => {
      if (route.request().method() === 'POST') held = route;
      else void route.continue();
    });
    await choose(HANDBOOK);
    await at.page.getByRole('progressbar', { name: 'Uploading handbook.md' }).waitFor();
    expect(await looks.faults('collection-upload')).toEqual([]);
    await at.press('Cancel the upload of handbook.md');
    await at.page.locator('.upload').waitFor({ state: 'detached' });
    held = undefined;
    await choose(HANDBOOK);
    await eventually(() => Promise.resolve(held !== undefined));
    await held!.abort();
    await at.page.locator('.upload').getByRole('alert').waitFor();
    expect(await looks.faults('collection-upload-failed', LANGUAGES)).toEqual([]);
    await at.page.unroute(`**/knowledge/${id}/files`);
    await at.press('Try again: handbook.md');
    await isReady('handbook.md');
    expect((await client.data<KnowledgeDto>(`/knowledge/${id}`)).files.total).toBe(1);
  });

  it('are searched, and show where a passage is', async () => {
    await open();
    await choose(HANDBOOK);
    await isReady('handbook.md');
    await at.page.getByRole('link', { name: 'Try a search' }).click();
    await at.fill('Words or a question', 'requesting a holiday');
    await at.press('Search');
    const found = at.page.locator('ol .card').first();
    await found.getByText('Score', { exact: false }).waitFor();
    expect(await looks.faults('collection-search', LANGUAGES)).toEqual([]);
    await found.getByRole('button').click();
    const mark = at.dialog.locator('mark');
    await mark.getByText('Holidays are requested two weeks ahead.', { exact: false }).waitFor();
    await at.dialog.getByRole('button', { name: 'Show text before' }).click();
    await at.dialog.getByRole('button', { name: 'Show text before' }).waitFor({ state: 'detached' });
    expect(await mark.innerText()).toContain('two weeks ahead');
    expect(await looks.faults('passage', LANGUAGES)).toEqual([]);
    await at.page.keyboard.press('Escape');
    await at.fill('Words or a question', 'xylophone');
    await at.press('Search');
    await at.says('No passage found. Try other words.');
  });

  it('are shared with the groups of their owner', async () => {
    const admin = new AdminClient(app, await createAdmin(app));
    const name = `Readers ${newcomer().username}`;
    const group = (await admin.post<{ id: number }>('/admin/groups', { name })).body.data.id;
    const member = await createUser(app);
    for (const { user } of [account, member]) await admin.post(`/admin/groups/${group}/members`, { user_id: user.id });
    const { id, name: title } = await open();
    await choose(HANDBOOK);
    await isReady('handbook.md');
    await at.press('Share');
    await at.dialog.getByLabel(name).selectOption('reader');
    expect(await at.dialog.getByLabel('Every user can read it').count()).toBe(0);
    expect(await looks.faults('collection-share', LANGUAGES)).toEqual([]);
    await at.answer('Save');
    await at.says('1 group');
    const reader = new ConsolePage(await app.visit(member));
    await reader.load('knowledge', 'Knowledge');
    await reader.says('Shared with you');
    await reader.open(`knowledge/${id}`, title);
    await reader.says('handbook.md');
    expect(await reader.page.getByRole('button', { name: 'Add files' }).count()).toBe(0);
    const saved = reader.page.waitForEvent('download');
    await reader.press('Actions for handbook.md');
    await reader.press('Download');
    expect((await saved).suggestedFilename()).toBe('handbook.md');
    await app.leave(reader.page);
  });

  it('are renamed, and deleted with a warning; files are removed and get attributes', async () => {
    const { id } = await open();
    await choose(HANDBOOK);
    await isReady('handbook.md');
    await at.press('Actions for handbook.md');
    await at.press('Edit attributes');
    await at.fill('Attributes', 'year: 2026\nteam: sales\ncode: "7"');
    expect(await looks.faults('attributes')).toEqual([]);
    await at.answer('Save');
    await row('handbook.md').getByText('year: 2026').waitFor();
    const entry = (await client.items<{ attributes: object }>(`/knowledge/${id}/files`))[0];
    expect(entry?.attributes).toEqual({ year: 2026, team: 'sales', code: '7' });
    await at.press('Actions for handbook.md');
    await at.press('Remove');
    await at.answer('Remove');
    await at.says('“handbook.md” removed.');
    await at.press('Actions');
    await at.press('Edit');
    await at.fill('Name', 'Old rules');
    await at.answer('Save');
    await at.heading('Old rules');
    await at.press('Actions');
    await at.press('Delete');
    expect(await looks.faults('collection-delete')).toEqual([]);
    await at.answer('Delete');
    await at.says('“Old rules” deleted.');
    expect((await client.send(`/knowledge/${id}`)).status).toBe(404);
  });

  it('are the same on a phone', async () => {
    const { id, name } = await open();
    await client.sendFile({ name: 'handbook.md', content: TEXT }, `/knowledge/${id}/files`);
    const phone = new ConsolePage(await app.visit(account, { width: 390, isPhone: true }));
    await phone.load(`knowledge/${id}`, name);
    await phone.says('Ready');
    await phone.page.getByRole('button', { name: 'handbook.md', exact: true }).click();
    await phone.dialog.getByText('Other rules are in the handbook', { exact: false }).waitFor();
    await phone.page.context().close();
  });
});
