import { DAY_MILLISECONDS } from '../../../common/time';
import { daysOf, dueClasses, expiryOf, type KindRules, type OwnerRule, type Policy, rulesAt } from './retention-rules';

const NOW = new Date('2027-01-01T00:00:00.000Z');
const days = (count: number): Date => new Date(NOW.getTime() + count * DAY_MILLISECONDS);

function policy(changes: Partial<Policy>): Policy {
  return {
    id: 1,
    scopeId: null,
    kind: 'chats',
    days: 30,
    effectiveAt: days(-1),
    hasFormer: false,
    formerDays: null,
    endedAt: null,
    ...changes,
  };
}

/** Whether the SQL condition of a class would select the user. */
function selects(owners: OwnerRule | null, memberships: number[], left: number[]): boolean {
  if (owners === null) {
    return true;
  }
  const any = (ids: readonly number[], present: number[]): boolean => present.some((id) => ids.includes(id));
  const isLeaver = any(owners.left, left) && (owners.shorter === null || any(owners.shorter, memberships));
  const isIncluded = owners.in.length === 0 || any(owners.in, memberships) || isLeaver;
  return isIncluded && !any(owners.notIn, memberships) && !any(owners.notLeft, left);
}

function subsets(ids: number[]): number[][] {
  return ids.reduce<number[][]>((all, id) => [...all, ...all.map((one) => [...one, id])], [[]]);
}

describe('the rules of retention', () => {
  it('select each user for exactly the period that applies', () => {
    for (const service of [null, 10, 90]) {
      const groups = new Map([
        [1, 10],
        [2, 90],
        [3, null],
        [4, 30],
      ]);
      const rules: KindRules = { kind: 'chats', service, groups, policyIds: [] };
      const classes = dueClasses(rules, NOW);
      for (const memberships of subsets([1, 2, 3, 4, 5])) {
        for (const left of subsets([1, 2, 3, 4])) {
          const selected = classes.filter(({ owners }) => selects(owners, memberships, left));
          const period = daysOf(rules, memberships, left);
          expect(selected.map(({ cutoff }) => cutoff)).toEqual(period === null ? [] : [days(-period)]);
        }
      }
    }
  });

  it('keep what was in force until the change takes effect', () => {
    const shortened = policy({ effectiveAt: days(1), hasFormer: true, formerDays: 365 });
    expect(rulesAt([shortened], 'chats', NOW)?.service).toBe(365);
    expect(rulesAt([shortened], 'chats', days(1))?.service).toBe(30);
    expect(rulesAt([policy({ effectiveAt: days(1) })], 'chats', NOW)).toBeNull();
    const deleted = policy({ scopeId: 7, effectiveAt: days(1), hasFormer: true, formerDays: null, endedAt: NOW });
    expect(rulesAt([deleted], 'chats', NOW)?.groups).toEqual(new Map([[7, null]]));
    expect(rulesAt([deleted], 'chats', days(1))).toBeNull();
  });

  it('name the day of deletion, with the changes that are known', () => {
    const user = { memberships: [], left: [], now: NOW };
    const expiry = (policies: Policy[], from: Date): Date | null => expiryOf(policies, 'chats', { ...user, from });
    expect(expiry([], NOW)).toBeNull();
    expect(expiry([policy({})], days(-3))).toEqual(days(27));
    expect(expiry([policy({ days: null })], NOW)).toBeNull();
    expect(expiry([policy({ effectiveAt: days(1) })], days(-100))).toEqual(days(1));
    expect(expiry([policy({ effectiveAt: days(1), hasFormer: true, formerDays: 365 })], days(-400))).toEqual(days(-35));
    expect(expiry([policy({ kind: 'files' })], NOW)).toBeNull();
  });
});
