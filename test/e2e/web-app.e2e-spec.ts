import { AdminClient } from '../support/admin-client';
import { startTestApp, type TestApp } from '../support/test-app';

const DOT = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=';

describe('the console as an application of the system', () => {
  let app: TestApp;
  let admin: AdminClient;

  beforeAll(async () => {
    app = await startTestApp();
    admin = await AdminClient.of(app);
  });

  afterAll(() => app.close());

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
      icons: [{ src: '/console/icon.svg', purpose: 'any' }, { purpose: 'maskable' }],
    });
  });

  it('has an icon of its first letter in its colour, or of its logo', async () => {
    await admin.put('/admin/settings', { name: '<x', colour: '#0a6e5c', logo: null });
    const letter = await read('icon.svg');
    expect(letter.type).toContain('image/svg+xml');
    expect(letter.policy).toBe("default-src 'none'; img-src data:; sandbox");
    expect(letter.text).toContain('fill="#0a6e5c"');
    expect(letter.text).toContain('&#60;</text>');
    await admin.put('/admin/settings', { logo: DOT });
    expect((await read('icon.svg')).text).toContain(`href="${DOT}"`);
  });

  it('is not there where the console is switched off', async () => {
    const other = await startTestApp({ CONSOLE_ENABLED: 'false' });
    expect((await fetch(`${other.origin}/console/manifest.webmanifest`)).status).toBe(404);
    await other.close();
  });
});
