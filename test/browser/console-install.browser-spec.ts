import type { Page } from 'playwright-core';
import { createAdmin } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { type ConsoleApp, startConsoleApp, violations } from '../support/console-app';

/** The debugger's report on a manifest that the browser has parsed. */
interface ReadManifest {
  url: string;
  errors: unknown[];
  manifest: {
    name: string;
    display: string;
    startUrl: string;
    scope: string;
    preferRelatedApplications: boolean;
    icons: { url: string; type: string; sizes: string }[];
  };
}

describe('the console as an installable application', () => {
  let app: ConsoleApp;
  let admin: AdminClient;
  let page: Page;

  beforeAll(async () => {
    app = await startConsoleApp();
    admin = new AdminClient(app, await createAdmin(app));
    page = await app.visit(null);
  });

  afterAll(() => app.close());

  /** The browser's interpretation of the manifest that the page names. */
  async function manifest(): Promise<ReadManifest['manifest']> {
    await page.goto('sign-in');
    const browser = await page.context().newCDPSession(page);
    const { errors, manifest: read } = (await browser.send('Page.getAppManifest')) as unknown as ReadManifest;
    const { installabilityErrors } = await browser.send('Page.getInstallabilityErrors');
    expect([errors, installabilityErrors]).toEqual([[], []]);
    return read;
  }

  /** The width and height of an image as the page renders it. */
  const drawn = (url: string): Promise<[number, number]> =>
    page.evaluate(`(async () => {
      const picture = new Image();
      picture.src = ${JSON.stringify(url)};
      await picture.decode();
      return [picture.naturalWidth, picture.naturalHeight];
    })()`);

  it('shows its own page while the service cannot be reached, and continues afterwards', async () => {
    const browser = page.context().browser()!;
    const context = await browser.newContext({
      baseURL: `${app.origin}/console/`,
      locale: 'de',
      viewport: { width: 390, height: 800 },
    });
    const phone = await context.newPage();
    await phone.goto('sign-in');
    await phone.evaluate('navigator.serviceWorker.ready.then(() => null)');
    await phone.goto('sign-in');
    await context.setOffline(true);
    await phone.goto('chat');
    await phone.getByRole('heading', { name: 'Sie sind offline' }).waitFor();
    expect(await violations(phone)).toEqual([]);
    await context.setOffline(false);
    await phone.getByRole('heading', { name: 'Anmelden' }).waitFor();
    await context.close();
  });

  it('has everything that browsers require, and icons that can be rendered', async () => {
    await admin.put('/admin/settings', { name: 'Acme', colour: '#0a6e5c' });
    const { icons, ...rest } = await manifest();
    expect(rest).toMatchObject({
      name: 'Acme',
      display: 'kStandalone',
      startUrl: `${app.origin}/console/chat`,
      scope: `${app.origin}/console/`,
      preferRelatedApplications: false,
    });
    const pictures = icons.filter(({ type }) => type === 'image/png');
    expect([...new Set(pictures.map(({ sizes }) => sizes))]).toEqual(['192x192', '512x512']);
    for (const { url, sizes } of pictures) expect((await drawn(url)).join('x')).toBe(sizes);
    for (const { url } of icons.filter(({ type }) => type === 'image/svg+xml')) await drawn(url);
    const touched = await page.locator('link[rel="apple-touch-icon"]').getAttribute('href');
    expect(await drawn(String(touched))).toEqual([192, 192]);
  });

  it('shows the logo of the installation at its size', async () => {
    const picture = await fetch(`${app.origin}/console/icon-192.png`);
    const logo = `data:image/png;base64,${Buffer.from(await picture.arrayBuffer()).toString('base64')}`;
    await admin.put('/admin/settings', { logo });
    const { icons } = await manifest();
    const own = icons.find(({ type }) => type === 'image/png');
    expect(own?.sizes).toBe('192x192');
    expect(await drawn(String(own?.url))).toEqual([192, 192]);
    await drawn(String(icons.find(({ type }) => type === 'image/svg+xml')?.url));
  });
});
