import { rm } from 'node:fs/promises';
import { LANGUAGES } from '../../src/common/i18n/language';
import { translate } from '../../src/common/i18n/translator';
import { giveConsole } from '../support/console-folder';
import { call, expectFailure } from '../support/http';
import { startTestApp } from '../support/test-app';
import { useOwnTestApp } from '../support/use-app';

/** The headers that browsers send when a user opens an address. */
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8' };

const LINKS = ['/console', '/docs', '/redoc', '/openapi.json', '/health'];

describe('pages for browsers', () => {
  const app = useOwnTestApp();
  const open = (path: string, headers: Record<string, string> = {}) =>
    call<string>(`${app.origin}${path}`, { headers: { ...BROWSER, ...headers } });

  it('are at the root, with valid links', async () => {
    const folder = await giveConsole(app);
    const page = await open('/');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const links = [...page.text.matchAll(/<a href="([^"]+)"/g)].map(([, href]) => href ?? '');
    expect(links).toEqual(LINKS);
    expect(page.text).toContain('<code>/api/v1</code>');
    for (const link of links) {
      expect({ link, status: (await open(link)).status }).toEqual({ link, status: 200 });
    }
    await rm(folder, { recursive: true });
  });

  it('load no external resources and run no code', async () => {
    for (const path of ['/', '/nothing']) {
      const { text, headers } = await open(path);
      expect(text).not.toMatch(/<script|\son\w+=|(src|href)="(https?:)?\/\//);
      const policy = headers.get('content-security-policy');
      expect(policy).toMatch(/^default-src 'none'; img-src 'self'; style-src 'sha256-[\w+/=]+';/);
      expect(policy).not.toContain('unsafe');
      expect(headers.get('vary')).toMatch(/Accept, Accept-Language/);
    }
  });

  it.each(LANGUAGES)('use %s', async (language) => {
    const page = await open('/', { 'accept-language': `${language}, *;q=0.1` });
    expect(page.headers.get('content-language')).toBe(language);
    expect(page.text).toContain(`<html lang="${language}">`);
    expect(page.text).toContain(`<h1>${translate(language, 'pages.home.title')}</h1>`);
  });

  it('show users that nothing is found, and clients the usual error', async () => {
    const page = await open('/nothing/here', { 'accept-language': 'de' });
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(page.text).toContain(translate('de', 'pages.not_found.title'));
    expect(page.text).toContain('<a href="/"');
    expect(page.headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
    for (const accept of ['*/*', 'application/json', 'application/json, text/plain, */*']) {
      expectFailure(await call(`${app.origin}/nothing/here`, { headers: { accept } }), 404, 'NOT_FOUND');
    }
    expectFailure(await call(`${app.origin}/nothing`, { method: 'POST', headers: BROWSER }), 404, 'NOT_FOUND');
  });

  it('are not in the API, for any client', async () => {
    expectFailure(await open('/api/v1/nothing'), 404, 'NOT_FOUND');
    expectFailure(await open('/API/v1'), 404, 'NOT_FOUND');
  });

  it('are links only for other clients', async () => {
    const answer = await call(`${app.origin}/`, { headers: { accept: '*/*' } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('vary')).toMatch(/Accept/);
    expect(answer.body).toEqual({
      home: '/',
      api: '/api/v1',
      console: '/console',
      swagger: '/docs',
      redoc: '/redoc',
      openapi: '/openapi.json',
      health: '/health',
    });
    expectFailure(await call(`${app.origin}/`, { method: 'POST' }), 405, 'METHOD_NOT_ALLOWED');
    expect((await call(`${app.origin}/`, { method: 'HEAD', headers: BROWSER })).status).toBe(200);
  });

  it.each([
    ['/favicon.svg', 'image/svg+xml'],
    ['/favicon.ico', 'image/vnd.microsoft.icon'],
  ])('have an icon: %s', async (path, type) => {
    const { status, headers, text } = await call(`${app.origin}${path}`);
    expect([status, headers.get('content-type')?.split(';')[0]]).toEqual([200, type]);
    expect(headers.get('cache-control')).toContain('max-age=86400');
    expect(text.length).toBeGreaterThan(100);
  });

  it("link documents only where they are served, and the operator's address", async () => {
    const other = await startTestApp({ DOCS_ENABLED: 'false', PUBLIC_URL: 'https://chat.example.com/' });
    const page = await call<string>(`${other.origin}/`, { headers: BROWSER });
    expect([...page.text.matchAll(/<a href="([^"]+)"/g)].map(([, href]) => href)).toEqual([
      'https://chat.example.com/console',
      'https://chat.example.com/health',
    ]);
    expect((await call(`${other.origin}/`)).body).toEqual({
      home: 'https://chat.example.com/',
      api: 'https://chat.example.com/api/v1',
      console: 'https://chat.example.com/console',
      health: 'https://chat.example.com/health',
    });
    // Their paths are rate limited like all unknown ones.
    const documents = await call(`${other.origin}/docs`);
    expectFailure(documents, 404, 'NOT_FOUND');
    expect(documents.headers.get('x-ratelimit-limit')).toBe(other.environment.RATE_LIMIT_ANONYMOUS);
    await other.close();
  });
});
