// @databases mariadb: locks and deadlocks
import { Not } from 'typeorm';
import { Clock } from '../../src/common/clock';
import { Database } from '../../src/database/database';
import { UserEntity } from '../../src/modules/user/account/user.entity';
import { AccountClosingService } from '../../src/modules/user/management/account-closing.service';
import { UserDirectoryQuery } from '../../src/modules/user/management/user-directory.query';
import { PrincipalService } from '../../src/modules/user/sessions/principal.service';
import { PASSWORD } from '../support/accounts';
import { type AdminClient } from '../support/admin-client';
import { call, expectFailure } from '../support/http';
import { useAdmin, useOwnTestApp } from '../support/use-app';

/** Enough for two transactions to meet at every point of each other. */
const ROUNDS = 25;

describe('the last administrator', () => {
  const app = useOwnTestApp();
  const one = useAdmin(app);
  const other = useAdmin(app);
  const database = () => app.app.get(Database);

  /** Restores both administrators, and no others. */
  const reset = async (...active: AdminClient[]) => {
    await database().write(async (manager) => {
      await manager.update(UserEntity, { id: Not(0) }, { userType: 'normal', status: 'active', bannedUntil: null });
      for (const { id } of active) {
        await manager.update(UserEntity, { id }, { userType: 'admin' });
      }
      // Requests use identities that are cached for a moment.
      [one, other].forEach(({ id }) => app.app.get(PrincipalService).forget(id));
    });
  };

  const administrators = () => database().repository(UserEntity).countBy({ userType: 'admin', status: 'active' });

  const demote = (by: AdminClient, whom: AdminClient) => by.put(`/admin/users/${whom.id}`, { user_type: 'normal' });
  const ban = (by: AdminClient, whom: AdminClient) => by.post(`/admin/users/${whom.id}/ban`, { reason: 'A quarrel.' });
  const remove = (by: AdminClient, whom: AdminClient) => by.delete(`/admin/users/${whom.id}`);

  it.each([
    ['demoted', demote],
    ['banned', ban],
    ['deleted', remove],
  ])('cannot be %s', async (_name, act) => {
    await reset(one);
    expectFailure(await act(one, one), 409, 'LAST_ADMIN');
    expect(await administrators()).toBe(1);
    expect((await one.get('/admin/settings')).status).toBe(200);
  });

  it('cannot delete their own account either', async () => {
    await reset(one);
    const { url } = app;
    const body = { password: PASSWORD };
    const answer = await call(`${url}/user/account`, { method: 'DELETE', token: one.account.token, body });
    expectFailure(answer, 409, 'LAST_ADMIN');
  });

  it('is the only one left when all others are banned', async () => {
    await reset(one, other);
    expect((await ban(one, other)).status).toBe(200);
    expectFailure(await demote(one, one), 409, 'LAST_ADMIN');
  });

  describe('when the ban of another one has expired', () => {
    const MINUTE = 60_000;

    beforeEach(async () => {
      await reset(one, other);
      const until = new Date(app.app.get(Clock).now().getTime() + MINUTE).toISOString();
      const body = { reason: 'A quarrel.', until };
      expect((await one.post(`/admin/users/${other.id}/ban`, body)).status).toBe(200);
    });

    it.each([
      ['demoted', demote],
      ['banned', ban],
    ])('can be %s, but not before', async (_name, act) => {
      expectFailure(await act(one, one), 409, 'LAST_ADMIN');
      app.advanceClock(MINUTE);
      expect((await act(one, one)).status).toBe(200);
      expect((await other.get('/admin/settings')).status).toBe(200);
    });

    it('is no longer the only recipient of global events, but not before', async () => {
      const owners = app.app.get(UserDirectoryQuery);
      expect(await owners.administratorsAmong([one.id, other.id, 0])).toEqual(new Set([one.id]));
      app.advanceClock(MINUTE);
      expect(await owners.administratorsAmong([one.id, other.id, 0])).toEqual(new Set([one.id, other.id]));
    });
  });

  it('can be changed in every other way, and so can another administrator', async () => {
    await reset(one, other);
    expect((await one.put(`/admin/users/${one.id}`, { note: 'Still here.', user_type: 'admin' })).status).toBe(200);
    expect((await demote(one, other)).status).toBe(200);
    expect((await one.put(`/admin/users/${other.id}`, { user_type: 'normal' })).status).toBe(200);
  });

  it.each([
    ['demote each other', demote, demote],
    ['ban each other', ban, ban],
    ['demote and ban each other', demote, ban],
  ])('is never lost when two %s concurrently', async (_name, first, second) => {
    const locking = jest.spyOn(app.app.get(AccountClosingService), 'assertNotLastAdministrator');
    let decided = 0;
    for (let round = 0; round < ROUNDS; round++) {
      await reset(one, other);
      const answers = await Promise.all([first(one, other), second(other, one)]);
      const statuses = answers.map(({ status }) => status).sort();
      expect(await administrators()).toBe(1);
      // The second request either no longer comes from an administrator (403), or concerns the last one (409).
      expect(statuses[0]).toBe(200);
      expect([403, 409]).toContain(statuses[1]);
      decided += statuses.filter((status) => status !== 403).length;
    }
    // Each attempt has its own entity manager: no transaction was aborted by a deadlock.
    expect(new Set(locking.mock.calls.map(([manager]) => manager)).size).toBe(decided);
  });

  it('is never lost when both resign concurrently', async () => {
    let refused = 0;
    for (let round = 0; round < ROUNDS; round++) {
      await reset(one, other);
      const answers = await Promise.all([demote(one, one), demote(other, other)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      refused += answers.filter(({ status }) => status === 409).length;
      expect(await administrators()).toBe(1);
    }
    expect(refused).toBe(ROUNDS);
  });
});
