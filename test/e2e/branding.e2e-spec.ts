import { call, expectFailure } from '../support/http';
import { useAdmin, useOwnTestApp } from '../support/use-app';

const DOT = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=';

const OWN = {
  name: 'Acme 助手',
  logo: DOT,
  colour: '#0a6e5c',
  welcome: 'Ask anything.',
  terms_url: 'https://example.com/terms?a=1',
  languages: ['de', 'en'],
};

const NONE = { name: 'Chat', logo: null, colour: null, welcome: null, terms_url: null };

describe('name and branding of the installation', () => {
  const app = useOwnTestApp();
  const admin = useAdmin(app);
  const branding = async () => (await call(`${app.url}/branding`)).body;

  it('are those of the software by default, for any visitor', async () => {
    const answer = await call(`${app.url}/branding`);
    expect([answer.status, answer.body]).toEqual([200, { ...NONE, languages: ['en', 'zh', 'es', 'fr', 'de', 'ja'] }]);
  });

  it('are set by administrators, and can be reset individually', async () => {
    const { status, body } = await admin.put('/admin/settings', OWN);
    expect([status, body.data]).toEqual([200, expect.objectContaining(OWN)]);
    expect(await branding()).toEqual(OWN);
    await admin.put('/admin/settings', { ...NONE, name: null });
    expect(await branding()).toEqual({ ...NONE, languages: ['de', 'en'] });
  });

  it('omit white space in the logo', async () => {
    const { status } = await admin.put('/admin/settings', { logo: `${DOT.slice(0, 40)}\r\n ${DOT.slice(40)}\n` });
    expect([status, await branding()]).toEqual([200, expect.objectContaining({ logo: DOT })]);
    await admin.put('/admin/settings', { logo: null });
  });

  it('have a name without invisible characters', async () => {
    expect(await admin.put('/admin/settings', { name: ' Acme\u202e\u200b Chat\ufeff ' })).toMatchObject({
      status: 200,
    });
    expect(await branding()).toMatchObject({ name: 'Acme Chat' });
    await admin.put('/admin/settings', { name: null });
  });

  const svg = `data:image/svg+xml;base64,${Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64')}`;
  const html = `data:image/png;base64,${Buffer.from('<script>alert(1)</script>').toString('base64')}`;
  const other = DOT.replace('image/gif', 'image/png');
  const large = `data:image/gif;base64,${Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(50_000)]).toString('base64')}`;

  it.each([
    ['name', ''],
    ['name', '   '],
    ['name', 'x'.repeat(61)],
    ['logo', svg],
    ['logo', html],
    ['logo', other],
    ['logo', large],
    ['logo', 'https://example.com/logo.png'],
    ['colour', 'red'],
    ['colour', '#0a6e5c;--page:url(//x)'],
    ['terms_url', 'javascript:alert(1)'],
    ['terms_url', '//example.com'],
    ['terms_url', 'https://user:secret@example.com/terms'],
    ['terms_url', 'https://example.com@evil.example/terms'],
    ['name', '\u202e\u200b'],
    ['welcome', 'x'.repeat(1_001)],
    ['languages', []],
    ['languages', ['en', 'en']],
    ['languages', ['tlh']],
  ])('refuse %s %#', async (field, value) => {
    const before = await branding();
    const refused = await admin.put('/admin/settings', { [field]: value });
    const { details } = expectFailure(refused, 422, 'VALIDATION_ERROR');
    expect(JSON.stringify(details)).toContain(field);
    expect(await branding()).toEqual(before);
  });
});
