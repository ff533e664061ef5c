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

  it('refuse an invalid value', async () => {
    const before = await branding();
    const refused = await admin.put('/admin/settings', { terms_url: 'javascript:alert(1)' });
    expect(expectFailure(refused, 422, 'VALIDATION_ERROR').details).toMatchObject({ field: 'terms_url' });
    expect(await branding()).toEqual(before);
  });
});
