import { refuseBody } from '../../support/refused-requests';

describe('PUT /admin/log_level', () => {
  it.each([
    [{}, 'level'],
    [{ level: 'loud' }, 'level'],
    [{ level: null }, 'level'],
    [{ level: 'debug', minutes: 0 }, 'minutes'],
    [{ level: 'debug', minutes: 1_441 }, 'minutes'],
    [{ level: 'debug', minutes: 1.5 }, 'minutes'],
    [{ level: 'debug', minutes: '60' }, 'minutes'],
    [{ level: 'debug', instance_id: 7 }, 'instance_id'],
  ])('refuses %j', async (body, field) => {
    expect(await refuseBody('PUT /admin/log_level', body)).toMatchObject({ field });
  });
});

describe('POST /admin/support_bundle', () => {
  it.each([
    [{}, 'reason'],
    [{ reason: 'ab' }, 'reason'],
    [{ reason: '     ' }, 'reason'],
    [{ reason: 'x'.repeat(501) }, 'reason'],
    [{ reason: 'a ticket', hours: 0 }, 'hours'],
    [{ reason: 'a ticket', hours: 73 }, 'hours'],
    [{ reason: 'a ticket', hours: null }, 'hours'],
  ])('refuses %j', async (body, field) => {
    expect(await refuseBody('POST /admin/support_bundle', body)).toMatchObject({ field });
  });
});
