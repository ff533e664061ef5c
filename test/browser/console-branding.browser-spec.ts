import type { Page } from 'playwright-core';
import { createAdmin, type TestAccount } from '../support/accounts';
import { type ConsoleApp, startConsoleApp, violations } from '../support/console-app';
import { ConsolePage } from '../support/console-page';

const DOT = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAA=', 'base64');

describe('product name and branding in the console', () => {
  let app: ConsoleApp;
  let admin: TestAccount;
  let page: Page;

  beforeAll(async () => {
    app = await startConsoleApp();
    admin = await createAdmin(app);
    page = await app.visit(admin);
  });

  afterAll(() => app.close());

  const accent = (): Promise<string> =>
    page.evaluate<string>("getComputedStyle(document.querySelector('main button.primary')).backgroundColor");

  it('are set by administrators, and shown to all visitors', async () => {
    const at = new ConsolePage(page);
    await page.goto('admin/settings');
    await page.getByText('Welcome text').waitFor();
    const usual = await accent();
    await at.fill('Name', 'Acme Assistant');
    await page
      .getByLabel('Logo', { exact: true })
      .setInputFiles({ name: 'dot.gif', mimeType: 'image/gif', buffer: DOT });
    await page.getByLabel('Use a custom color').check();
    await page.getByLabel('Accent color').fill('#ffff00');
    await at.fill('Welcome text', 'Ask anything.');
    await at.fill('Terms of use URL', 'https://example.com/terms');
    for (const other of ['中文', 'Español', 'Français', '日本語']) await page.getByLabel(other).uncheck();
    await page.locator('form', { hasText: 'Welcome text' }).getByRole('button', { name: 'Save' }).click();
    await page.locator('.toast').first().waitFor();
    await page.waitForFunction('document.title.endsWith("Acme Assistant")');
    expect(await accent()).not.toBe(usual);
    expect(await violations(page)).toEqual([]);

    const visitor = await app.visit(null);
    await visitor.goto('sign-in');
    await visitor.getByText('Ask anything.').waitFor();
    await visitor.locator('.brand-head', { hasText: 'Acme Assistant' }).locator('img').waitFor();
    expect(await visitor.getByRole('link', { name: 'Terms of use' }).getAttribute('href')).toBe(
      'https://example.com/terms',
    );
    await visitor.getByRole('button', { name: /^Language/ }).click();
    expect(await visitor.getByRole('button', { name: 'Deutsch' }).count()).toBe(1);
    expect(await visitor.getByRole('button', { name: 'Français' }).count()).toBe(0);
    expect(await violations(visitor)).toEqual([]);
  });
});
