import { imageType } from '../../src/common/http/image-type';
import { AdminClient } from '../support/admin-client';
import { startTestApp, type TestApp } from '../support/test-app';

const DOT = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=';

describe('the console as an installable application', () => {
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

  it('is missing if the console is switched off', async () => {
    const other = await startTestApp({ CONSOLE_ENABLED: 'false' });
    expect((await fetch(`${other.origin}/console/manifest.webmanifest`)).status).toBe(404);
    await other.close();
  });
});
