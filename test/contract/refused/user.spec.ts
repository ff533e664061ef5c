import { refuseBody, refuseParameters } from '../../support/refused-requests';

describe('PUT /user/profile', () => {
  it.each<[string, unknown, string]>([
    ['username', null, 'required'],
    ['username', 'a', 'too_short'],
    ['username', 'admin', 'reserved'],
    ['username', 'a b c', 'invalid_format'],
    ['username', 7, 'wrong_type'],
    ['bio', 'x'.repeat(501), 'too_long'],
    ['bio', 7, 'wrong_type'],
    ['bio', ['x'], 'wrong_type'],
    ['language', 'klingon language', 'invalid_language'],
    ['language', 7, 'invalid_language'],
    ['avatar', 'https://elsewhere.example/a.png', 'invalid_format'],
    ['avatar', '//elsewhere.example/a.png', 'invalid_format'],
    ['avatar', '/\\elsewhere.example', 'invalid_format'],
    ['avatar', '/a b', 'invalid_format'],
    ['avatar', `/${'x'.repeat(255)}`, 'too_long'],
    ['avatar', {}, 'wrong_type'],
  ])('refuses %s %j: %s', async (field, value, reason) => {
    const details = await refuseBody('PUT /user/profile', { [field]: value });
    expect(details).toEqual({ field, reason, errors: [{ field, reason }] });
  });
});

describe('PUT /user/settings', () => {
  it.each<[string, unknown, string]>([
    ['timezone', 'Mars/Olympus', 'not_allowed'],
    ['timezone', '+02:00', 'not_allowed'],
    ['timezone', 5, 'wrong_type'],
    ['theme', 'pink', 'not_allowed'],
    ['theme', null, 'required'],
    ['default_agent_id', 0, 'too_small'],
    ['default_agent_id', 1.5, 'wrong_type'],
    ['default_agent_id', '1', 'wrong_type'],
    ['default_agent_id', 2 ** 31, 'too_large'],
    ['custom_instructions', 'x'.repeat(4_001), 'too_long'],
    ['custom_instructions', null, 'required'],
    ['email_notifications', 'yes', 'wrong_type'],
    ['client', [], 'wrong_type'],
    ['client', 'x', 'wrong_type'],
    ['client', null, 'required'],
    ['client', { text: 'ü'.repeat(4_096) }, 'too_long'],
  ])('refuses %s %j: %s', async (field, value, reason) => {
    const details = await refuseBody('PUT /user/settings', { [field]: value });
    expect(details).toEqual({ field, reason, errors: [{ field, reason }] });
  });
});

describe('POST /user/upgrade', () => {
  it.each<[string, unknown, string]>([
    ['missing', undefined, 'required'],
    ['null', null, 'required'],
    ['unknown', 'weekly', 'not_allowed'],
    ['free', 'free', 'not_allowed'],
    ['a member of every object', 'constructor', 'not_allowed'],
    ['a list', ['monthly'], 'wrong_type'],
    ['a number', 1, 'wrong_type'],
  ])('is refused when the plan is %s', async (_name, plan_id, reason) => {
    expect(await refuseBody('POST /user/upgrade', { plan_id })).toMatchObject({ field: 'plan_id', reason });
  });
});

describe('DELETE /user/account', () => {
  it.each<[string, unknown, string, string]>([
    ['nothing', undefined, 'password', 'required'],
    ['an empty object', {}, 'password', 'required'],
    ['a null password', { password: null }, 'password', 'required'],
    ['a null code', { code: null }, 'code', 'required'],
    ['a number as code', { code: 123456 }, 'code', 'wrong_type'],
  ])('is refused with %s', async (_name, body, field, reason) => {
    expect(await refuseBody('DELETE /user/account', body)).toMatchObject({ field, reason });
  });
});

describe('sessions', () => {
  it.each(['?limit=0', '?limit=101', '?limit=x', '?offset=-1', '?limit=1e1', '?limit=1&limit=2'])(
    'refuse to be listed with %s',
    async (query) => {
      const [, field] = /(\w+)=/.exec(query) ?? [];
      expect(await refuseParameters(`GET /user/sessions${query}`)).toMatchObject({ field });
    },
  );

  it.each(['0', '-1', 'x', '1.5', '1e3', '99999999999999999999', '%00'])('have no id such as %s', async (id) => {
    expect(await refuseParameters(`DELETE /user/sessions/${id}`)).toMatchObject({ field: 'id' });
  });
});
