// @databases mariadb mysql: requests at the same time
import { Clock } from '../../src/common/clock';
import { Database } from '../../src/database/database';
import {
  effectiveMembership,
  isBanned,
  mayCall,
  mayCallSql,
  statusOf,
} from '../../src/modules/user/account/account-status';
import { MEMBERSHIP_TYPES, UserEntity } from '../../src/modules/user/account/user.entity';
import { type UserCounts, UserDirectoryQuery } from '../../src/modules/user/management/user-directory.query';
import { createUser } from '../support/accounts';
import { useOwnTestApp } from '../support/use-app';

/** The end of the tested users' plan and ban, and the moments around it. */
const END = new Date('2031-03-01T12:00:00.000Z');
const BEFORE = new Date(END.getTime() - 1);
const AFTER = new Date(END.getTime() + 1);

type Columns = Partial<UserEntity>;

const PLANS: Columns[] = MEMBERSHIP_TYPES.flatMap((membershipType) => [
  { membershipType, membershipExpiresAt: null },
  { membershipType, membershipExpiresAt: END },
]);
const BANS: Columns[] = [
  { status: 'active', bannedUntil: null },
  { status: 'active', bannedUntil: END },
  { status: 'banned', bannedUntil: null },
  { status: 'banned', bannedUntil: END },
  { status: 'active', bannedUntil: null, suspendedAt: END },
  { status: 'banned', bannedUntil: null, suspendedAt: END },
];

describe('the rules about plans and bans', () => {
  const app = useOwnTestApp();
  let users: UserEntity[];

  beforeAll(async () => {
    for (const plan of PLANS) {
      for (const ban of BANS) {
        const { user } = await createUser(app);
        await app.app.get(Database).write((manager) => manager.update(UserEntity, user.id, { ...plan, ...ban }));
      }
    }
    users = await app.app.get(Database).repository(UserEntity).find();
  });

  describe.each([
    ['a millisecond before the end', BEFORE],
    ['at the end', END],
    ['a millisecond after the end', AFTER],
  ])('%s', (_name, now) => {
    let directory: UserDirectoryQuery;

    // A separate clock, so that no background work in the application uses the fake time.
    beforeAll(() => {
      const clock = Object.assign(new Clock(), { now: () => now });
      directory = new UserDirectoryQuery(app.app.get(Database), clock);
    });

    it.each(MEMBERSHIP_TYPES)('count the plan %s equally in code and in SQL', async (membership) => {
      expect(users).toHaveLength(PLANS.length * BANS.length);
      const expected = users.filter((user) => effectiveMembership(user, now) === membership);
      expect(await found(directory, { membership })).toEqual(idsOf(expected));
    });

    it.each(['active', 'banned', 'suspended'] as const)(
      'select the same users as %s in code and in SQL',
      async (state) => {
        const expected = users.filter((user) => statusOf(user, now) === state);
        expect(await found(directory, { state })).toEqual(idsOf(expected));
      },
    );

    it('allow the same users to call in code and in SQL', async () => {
      const query = app.app.get(Database).repository(UserEntity).createQueryBuilder('account').setParameters({ now });
      const callers = await query.where(mayCallSql('account.id')).getMany();
      expect(idsOf(callers)).toEqual(idsOf(users.filter((user) => mayCall(user, now))));
    });

    it('count the same users in code and in SQL', async () => {
      const expected: UserCounts = {
        total: users.length,
        administrators: 0,
        paid: users.filter((user) => effectiveMembership(user, now) !== 'free').length,
        banned: users.filter((user) => isBanned(user, now)).length,
      };
      expect(await directory.counts()).toEqual(expected);
    });
  });
});

async function found(directory: UserDirectoryQuery, filter: Parameters<UserDirectoryQuery['batch']>[0]) {
  return idsOf(await directory.batch(filter, 0, 1_000));
}

function idsOf(users: Pick<UserEntity, 'id'>[]): number[] {
  return users.map(({ id }) => id).sort((left, right) => left - right);
}
