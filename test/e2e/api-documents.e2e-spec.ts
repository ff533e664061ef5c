import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { call } from '../support/http';
import { useTestApp } from '../support/use-app';

interface RawAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  bytes: Buffer;
}

describe('the served documents of the API', () => {
  const app = useTestApp();

  /** As sent over the wire; `fetch` would decompress it. */
  const read = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<RawAnswer>((resolve, reject) => {
      const sent = request(`${app.origin}${path}`, { headers, method }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(chunks) }),
        );
      });
      sent.on('error', reject).end();
    });

  it.each(['/openapi.json', '/openapi.yaml', '/redoc/redoc.standalone.js', '/docs/swagger-ui-bundle.js'])(
    'are sent compressed to clients that accept it: %s',
    async (path) => {
      const plain = await read(path);
      expect(plain.headers['content-encoding']).toBeUndefined();
      const [zipped, brotli] = await Promise.all([
        read(path, { 'accept-encoding': 'gzip' }),
        read(path, { 'accept-encoding': 'gzip, deflate, br' }),
      ]);
      expect([zipped.headers['content-encoding'], brotli.headers['content-encoding']]).toEqual(['gzip', 'br']);
      expect(gunzipSync(zipped.bytes).equals(plain.bytes)).toBe(true);
      expect(brotliDecompressSync(brotli.bytes).equals(plain.bytes)).toBe(true);
      expect(zipped.bytes.length).toBeLessThan(plain.bytes.length / 3);
      expect(plain.headers.vary).toContain('Accept-Encoding');
      expect((await read(path, { 'accept-encoding': 'gzip;q=0' })).headers['content-encoding']).toBeUndefined();
    },
  );

  it('are sent once to clients that cache them', async () => {
    const first = await read('/openapi.json', { 'accept-encoding': 'gzip' });
    const etag = String(first.headers.etag);
    const again = await read('/openapi.json', { 'accept-encoding': 'gzip', 'if-none-match': etag });
    expect([again.status, again.bytes.length, again.headers.etag]).toEqual([304, 0, etag]);
    expect((await read('/openapi.json', { 'if-none-match': etag })).status).toBe(200);
    expect((await read('/openapi.json', { 'if-none-match': '"other"', 'accept-encoding': 'gzip' })).status).toBe(200);
    expect((await read('/openapi.json', {}, 'HEAD')).headers.etag).toBe((await read('/openapi.json')).headers.etag);
  });

  it('are the only compressed answers', async () => {
    const answers = await Promise.all(
      ['/health', '/api/v1/auth/me', '/metrics'].map((path) => read(path, { 'accept-encoding': 'gzip, br' })),
    );
    expect(answers.map(({ headers }) => headers['content-encoding'])).toEqual([undefined, undefined, undefined]);
  });

  it('show who may call a route on both pages, with the scope of API keys', async () => {
    expect((await call(`${app.origin}/docs/swagger-ui-init.js`)).text).toMatch(/"showExtensions": true/);
    expect((await call(`${app.origin}/redoc`)).text).toContain('show-extensions="x-access,x-scope"');
  });

  it('are read by the page that shows them, which can log in', async () => {
    expect((await call(`${app.origin}/docs`)).text).toContain('swagger-ui-init.js');
    const { text } = await call(`${app.origin}/docs/swagger-ui-init.js`);
    expect(text).toMatch(/"url": "\/openapi\.json"/);
    const { body } = await call<{ components: { securitySchemes: object } }>(`${app.origin}/openapi.json`);
    expect(body.components.securitySchemes).toMatchObject({
      password: { type: 'oauth2', flows: { password: { tokenUrl: '/api/v1/auth/token' } } },
    });
  });
});
