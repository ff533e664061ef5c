import { newcomer, PASSWORD } from '../../support/accounts';
import { refuseBody, refuseForm, refuseJson } from '../../support/refused-requests';
import { ROUTES } from './auth.cases';

describe.each(Object.entries(ROUTES))('%s', (route, { body, faults }) => {
  it('reports invalid input field by field', async () => {
    for (const [field, value, reason] of faults) {
      const details = await refuseBody(route, { ...body, [field]: value });
      expect({ value, ...details }).toEqual({ value, field, reason, errors: [{ field, reason }] });
    }
  });

  it.each([
    ['null', 'null'],
    ['an array', '[]'],
    ['text', '"a"'],
    ['a number', '1'],
  ])('refuses %s instead of an object', async (_name, json) => {
    expect(await refuseJson(route, json)).toMatchObject({ field: 'body', reason: 'wrong_type' });
  });

  it('needs a body', async () => {
    expect((await refuseBody(route, undefined)).reason).toBe('required');
  });

  it.each([
    ['NUL', 'a\\u0000b'],
    ['a lone surrogate', 'a\\ud800b'],
  ])('refuses %s in any field', async (_name, text) => {
    for (const field of Object.keys(body)) {
      const json = JSON.stringify({ ...body, [field]: '?' }).replace('"?"', `"${text}"`);
      expect(await refuseJson(route, json)).toMatchObject({ field, reason: 'not_well_formed' });
    }
  });
});

describe('POST /auth/login', () => {
  it.each(['Cookie', 'storage', null, true, ['cookie']])('refuses a session of the type %j', async (session) => {
    const body = { email: 'ada@example.com', password: PASSWORD, session };
    expect(await refuseBody('POST /auth/login', body)).toMatchObject({ field: 'session' });
  });
});

describe('POST /setup/administrator', () => {
  it.each([
    [{ email: 'nobody' }, 'email'],
    [{ username: 'admin' }, 'username'],
    [{ username: 'a' }, 'username'],
    [{ password: 'short' }, 'password'],
    [{ password: 'password123' }, 'password'],
    [{ token: 7 }, 'token'],
    [{ token: 'x'.repeat(129) }, 'token'],
  ])('refuses %j', async (fields, field) => {
    expect(await refuseBody('POST /setup/administrator', { ...newcomer(), ...fields })).toMatchObject({ field });
  });
});

describe('POST /auth/token', () => {
  it.each([
    ['no type of grant', 'username=ada%40example.com&password=x', 'grant_type'],
    ['another grant', 'grant_type=refresh_token&username=ada%40example.com&password=x', 'grant_type'],
    ['no address', 'grant_type=password&username=ada&password=x', 'username'],
    ['two addresses', 'grant_type=password&username=a%40b.de&username=c%40d.de&password=x', 'username'],
    ['a zero', 'grant_type=password&username=ada%40example.com&password=%00', 'password'],
    ['nothing', 'x', 'grant_type'],
  ])('names the field of a form with %s', async (_name, form, field) => {
    expect(await refuseForm('POST /auth/token', form)).toMatchObject({ field });
  });
});

describe('POST /admin/invitations', () => {
  it.each([
    ['a plan that there is not', { membership_type: 'gold' }, 'membership_type'],
    ['no address', { email: 'nobody' }, 'email'],
  ])('refuses %s', async (_what, body, field) => {
    expect(await refuseBody('POST /admin/invitations', body)).toMatchObject({ field });
  });
});
