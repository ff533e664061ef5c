import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { imageType } from '../../src/common/http/image-type';
import { LANGUAGES } from '../../src/common/i18n/language';
import { translate } from '../../src/common/i18n/translator';
import { ConsoleFiles } from '../../src/console-files/serve-console';
import { CONSOLE_FILES, FONT, giveConsole } from '../support/console-folder';
import { call, expectFailure, sendRaw } from '../support/http';
import { startTestApp } from '../support/test-app';
import { useAdmin, useOwnTestApp } from '../support/use-app';

const PAGE = String(CONSOLE_FILES['index.html']);
const SCRIPT = '/console/assets/index-B4k2.js';

interface RawAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  bytes: Buffer;
}

const DOT = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=';

const app = useOwnTestApp();

describe('the files of the console', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await giveConsole(app);
  });

  afterAll(() => rm(folder, { recursive: true }));

  const open = (path: string, options: Parameters<typeof call>[1] = {}) =>
    call<string>(`${app.origin}${path}`, options);

  /** As sent over the wire, from the path as written. */
  const read = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<RawAnswer>((resolve, reject) => {
      const { hostname, port } = new URL(app.origin);
      const sent = request({ hostname, port, path, headers, method }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(chunks) }),
        );
      });
      sent.on('error', reject).end();
    });

  it.each([
    '/console',
    '/console/',
    '/console/index.html',
    '/console/chat/7',
    '/console/agents/gpt-4.1',
    '/console?a=b.c',
  ])('are one page, which is not cached, at %s', async (path) => {
    const page = await open(path);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.text).toBe(PAGE);
    expect(page.headers.get('cache-control')).toBe('no-store');
  });

  it.each([
    [SCRIPT, 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/console/assets/index-x9Zq.css', 'text/css; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/console/assets/letters-77aa.woff2', 'font/woff2', 'public, max-age=31536000, immutable'],
    ['/console/site.webmanifest', 'application/manifest+json; charset=utf-8', 'no-cache'],
  ])('are cached by browsers as their names allow: %s', async (path, type, cacheControl) => {
    const { status, headers, bytes } = await read(path);
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, type, cacheControl]);
    expect(bytes.equals(Buffer.from(CONSOLE_FILES[path.replace('/console/', '')] ?? ''))).toBe(true);
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it('are sent compressed to clients that accept it, with any content', async () => {
    const [plain, zipped, brotli] = await Promise.all([
      read(SCRIPT),
      read(SCRIPT, { 'accept-encoding': 'gzip' }),
      read(SCRIPT, { 'accept-encoding': 'gzip, deflate, br' }),
    ]);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(gunzipSync(zipped.bytes).equals(plain.bytes)).toBe(true);
    expect(brotliDecompressSync(brotli.bytes).equals(plain.bytes)).toBe(true);
    expect(brotli.bytes.length).toBeLessThan(plain.bytes.length / 10);
    const font = await read('/console/assets/letters-77aa.woff2', { 'accept-encoding': 'br' });
    expect(brotliDecompressSync(font.bytes).equals(FONT)).toBe(true);
  });

  it('are sent once to clients that cache them, and completely to those that request a range', async () => {
    const { headers } = await read(SCRIPT);
    const again = await read(SCRIPT, { 'if-none-match': String(headers.etag) });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
    const part = await read(SCRIPT, { range: 'bytes=0-3' });
    expect([part.status, part.headers['accept-ranges']]).toEqual([200, 'none']);
  });

  it('have a policy that blocks external resources and inline scripts', async () => {
    for (const path of ['/console', '/console/chat/7', SCRIPT]) {
      const { headers } = await open(path);
      expect(headers.get('content-security-policy')?.split(';')).toEqual([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob: data:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "frame-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ]);
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('permissions-policy')).toContain('microphone=()');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    }
  });

  it('are not rate limited', async () => {
    for (const path of ['/console', SCRIPT, '/console/assets/gone.js', '/console/a/b']) {
      expect((await open(path)).headers.get('x-ratelimit-limit')).toBeNull();
    }
  });

  it.each([
    '/console/assets/index-old1.js',
    '/console/assets',
    '/console/assets/',
    '/console/favicon.ico',
    '/console/.env',
  ])('are missing if there is no such file: %s', async (path) => {
    expectFailure(await open(path), 404, 'NOT_FOUND');
  });

  it.each([
    '/console/assets/link.js',
    '/console/assets/etc/hostname',
    '/console/../package.json',
    '/console/%2e%2e/%2e%2e/package.json',
    '/console/..%2f..%2fpackage.json',
    '/console/assets/..%2f..%2f..%2fetc%2fhostname',
    '/console/assets/../../../../etc/passwd',
    '/console/assets%2findex-B4k2.js',
    '/console/assets\\index-B4k2.js',
    '/console/assets/index-B4k2.js%00',
    '/console/assets/index-B4k2.js%00.css',
    '/console//assets/index-B4k2.js',
    '/console//etc/passwd',
    '/console/__proto__',
    '/console/constructor',
  ])('are found by their exact names only: %s', async (path) => {
    const { status, bytes } = await read(path);
    expect([status, bytes.toString()]).toEqual(
      status === 200 ? [200, PAGE] : [404, expect.stringContaining('NOT_FOUND')],
    );
  });

  it('are not found by bytes that are not a path', async () => {
    const { host } = new URL(app.origin);
    const lines = ['GET /console/%FF HTTP/1.1', 'GET /console/\0 HTTP/1.1', 'GET /console/%zz HTTP/1.1'];
    for (const line of lines) {
      expect(await sendRaw(app.origin, `${line}\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).toMatch(
        /^HTTP\/1.1 400 /,
      );
    }
  });

  it('answer HEAD like GET, and no other method', async () => {
    const head = await read(SCRIPT, {}, 'HEAD');
    const { headers, bytes } = await read(SCRIPT);
    expect([head.status, head.bytes.length, head.headers.etag]).toEqual([200, 0, headers.etag]);
    expect(head.headers['content-length']).toBe(String(bytes.length));
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const refused = await call(`${app.origin}/console/chat`, { method });
      expectFailure(refused, 405, 'METHOD_NOT_ALLOWED');
      expect(refused.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    }
  });
});

describe('the console', () => {
  const BROWSER = { accept: 'text/html' };

  it('shows what to do while it is not built, and works as soon as it is', async () => {
    const other = await startTestApp();
    const empty = await mkdtemp(join(tmpdir(), 'console-'));
    other.app.get(ConsoleFiles).folder = empty;
    for (const language of LANGUAGES) {
      const missing = await call(`${other.origin}/console/chat`, { headers: { 'accept-language': language } });
      expect([missing.status, missing.headers.get('cache-control')]).toEqual([503, 'no-store']);
      expect(missing.text).toContain(`<h1>${translate(language, 'pages.console_missing.title')}</h1>`);
      expect(missing.text).toContain('npm run build');
      expect(missing.headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; img-src 'self'; style-src 'sha256-/,
      );
    }
    const folder = await giveConsole(other);
    expect((await call(`${other.origin}/console/chat`)).text).toBe(PAGE);
    await Promise.all([empty, folder].map((path) => rm(path, { recursive: true })));
    await other.close();
  });

  it('is missing if it is switched off', async () => {
    const other = await startTestApp({ CONSOLE_ENABLED: 'false' });
    const folder = await giveConsole(other);
    for (const path of ['/console', '/console/chat/7', '/console/manifest.webmanifest', SCRIPT]) {
      const answer = await call(`${other.origin}${path}`);
      expectFailure(answer, 404, 'NOT_FOUND');
      expect(answer.headers.get('x-ratelimit-limit')).not.toBeNull();
    }
    expectFailure(await call(`${other.origin}/console`, { method: 'POST' }), 404, 'NOT_FOUND');
    expect((await call(`${other.origin}/`, { headers: BROWSER })).text).not.toContain('/console');
    expect((await call(`${other.origin}/`)).body).not.toHaveProperty('console');
    await rm(folder, { recursive: true });
    await other.close();
  });
});

describe('the console as an installable application', () => {
  const admin = useAdmin(app);

  afterAll(() => admin.put('/admin/settings', { name: null, colour: null, logo: null }));

  const read = async (path: string) => {
    const answer = await fetch(`${app.origin}/console/${path}`);
    return {
      type: answer.headers.get('content-type'),
      policy: answer.headers.get('content-security-policy'),
      text: await answer.text(),
    };
  };

  it('has a manifest with its name and colour, whose scope is the console', async () => {
    await admin.put('/admin/settings', { name: 'Acme "Assistant" </script>', colour: '#0a6e5c' });
    const { type, text } = await read('manifest.webmanifest');
    expect(type).toContain('application/manifest+json');
    expect(JSON.parse(text)).toMatchObject({
      name: 'Acme "Assistant" </script>',
      short_name: 'Acme "Assist',
      start_url: '/console/chat',
      scope: '/console/',
      display: 'standalone',
      theme_color: '#0a6e5c',
      icons: expect.arrayContaining([
        expect.objectContaining({ src: '/console/icon.svg', purpose: 'maskable' }),
      ]) as object[],
    });
  });

  it('has an icon with its first letter in its colour, or with its logo', async () => {
    await admin.put('/admin/settings', { name: '<x', colour: '#0a6e5c', logo: null });
    const letter = await read('icon.svg');
    expect(letter.type).toContain('image/svg+xml');
    expect(letter.policy).toBe("default-src 'none'; img-src data:; sandbox");
    expect(letter.text).toContain('fill="#0a6e5c"');
    expect(letter.text).toContain('&#60;</text>');
    await admin.put('/admin/settings', { logo: DOT });
    expect((await read('icon.svg')).text).toContain(`href="${DOT}"`);
  });

  const picture = async (size: number) => {
    const answer = await fetch(`${app.origin}/console/icon-${size}.png`);
    expect([answer.status, answer.headers.get('x-content-type-options')]).toEqual([200, 'nosniff']);
    return { type: answer.headers.get('content-type'), bytes: Buffer.from(await answer.arrayBuffer()) };
  };
  const icons = async () =>
    (JSON.parse((await read('manifest.webmanifest')).text) as { icons: { sizes: string; type: string; src: string }[] })
      .icons;

  it('has images for systems without SVG, in its colour, or its logo', async () => {
    await admin.put('/admin/settings', { logo: null, colour: '#0a6e5c' });
    expect((await icons()).map(({ sizes, type }) => `${sizes} ${type}`)).toEqual([
      ...['any image/svg+xml', 'any image/svg+xml'],
      ...['192x192 image/png', '192x192 image/png', '512x512 image/png', '512x512 image/png'],
    ]);
    for (const size of [192, 512]) {
      const { type, bytes } = await picture(size);
      expect(type).toBe('image/png');
      expect([imageType(bytes), bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual(['image/png', size, size]);
      // The palette starts with the background.
      expect(bytes.subarray(bytes.indexOf('PLTE') + 4).subarray(0, 3)).toEqual(Buffer.from('0a6e5c', 'hex'));
      expect(bytes.length).toBeLessThan(6_000);
    }
    const { bytes: green } = await picture(192);
    await admin.put('/admin/settings', { colour: '#800000' });
    expect((await picture(192)).bytes).not.toEqual(green);
    const logo = `data:image/png;base64,${green.toString('base64')}`;
    await admin.put('/admin/settings', { logo });
    expect((await picture(512)).bytes).toEqual(green);
    expect((await icons()).at(-1)).toMatchObject({ src: '/console/icon-512.png', sizes: '192x192', type: 'image/png' });
    await admin.put('/admin/settings', { logo: DOT });
    expect((await picture(192)).type).toBe('image/gif');
    expect(await icons()).toHaveLength(2);
  });
});
