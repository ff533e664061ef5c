import { DAY_MILLISECONDS } from '../../../common/time';
import { DEFAULT_DAYS, isLonger, type KeptDays, longest, type RetentionKind } from './retention-kinds';
import type { RetentionPolicyEntity } from './retention-policy.entity';

/** How long whatever shortens retention waits before it takes effect. */
export const NOTICE_MILLISECONDS = DAY_MILLISECONDS;

/** What the rules need to know about a policy. */
export type Policy = Pick<
  RetentionPolicyEntity,
  'id' | 'scopeId' | 'kind' | 'days' | 'effectiveAt' | 'hasFormer' | 'formerDays' | 'endedAt'
>;

/** The policies of one kind that are in force at one time. */
export interface KindRules {
  kind: RetentionKind;
  /** What the service's policy says, or the default without one. */
  service: KeptDays;
  groups: ReadonlyMap<number, KeptDays>;
  policyIds: readonly number[];
}

/** Data that a sweep may delete: that of some users, from before some time. */
export interface DueClass {
  cutoff: Date;
  owners: OwnerRule | null;
}

/** Which users' data a class includes, by their groups. Empty lists restrict nothing. */
export interface OwnerRule {
  /** In one of these groups, or … */
  in: readonly number[];
  /** … out of one of these since less than a day, and in one of `shorter`, unless `shorter` is null. */
  left: readonly number[];
  shorter: readonly number[] | null;
  /** In none of these groups. */
  notIn: readonly number[];
  /** Out of none of these since less than a day. */
  notLeft: readonly number[];
}

/** What the policy says at this time; undefined if it says nothing. */
export function daysInForce(policy: Policy, at: Date): KeptDays | undefined {
  if (at < policy.effectiveAt) {
    return policy.hasFormer ? policy.formerDays : undefined;
  }
  return policy.endedAt === null ? policy.days : undefined;
}

/** The rules of a kind at this time; null if no policy is in force, so that nothing but the defaults applies. */
export function rulesAt(policies: readonly Policy[], kind: RetentionKind, at: Date): KindRules | null {
  let service = DEFAULT_DAYS[kind];
  const groups = new Map<number, KeptDays>();
  const policyIds: number[] = [];
  for (const policy of policies) {
    const days = policy.kind === kind ? daysInForce(policy, at) : undefined;
    if (days === undefined) {
      continue;
    }
    policyIds.push(policy.id);
    if (policy.scopeId === null) {
      service = days;
    } else {
      groups.set(policy.scopeId, days);
    }
  }
  return policyIds.length === 0 ? null : { kind, service, groups, policyIds };
}

/** How long the data of a user is kept. @param left the groups that the user left in the last 24 hours */
export function daysOf(
  { service, groups }: KindRules,
  memberships: readonly number[],
  left: readonly number[],
): KeptDays {
  const daysIn = (ids: readonly number[]): KeptDays[] => ids.flatMap((id) => (groups.has(id) ? [groups.get(id)!] : []));
  const own = daysIn(memberships);
  return longest([own.length === 0 ? service : longest(own), ...daysIn(left)]);
}

/** The same as `daysOf` for selections: for each period, whose data is kept that long. */
export function dueClasses({ service, groups }: KindRules, now: Date): DueClass[] {
  const groupsWhere = (matches: (days: KeptDays) => boolean): number[] =>
    [...groups].flatMap(([id, days]) => (matches(days) ? [id] : []));
  const longerThan = (days: number): number[] => groupsWhere((other) => isLonger(other, days));
  const cutoffOf = (days: number): Date => new Date(now.getTime() - days * DAY_MILLISECONDS);
  const periods = [...new Set(groups.values())].filter((days) => days !== null);
  const classes = periods.map((days) => ({
    cutoff: cutoffOf(days),
    owners: {
      in: groupsWhere((other) => other === days),
      left: groupsWhere((other) => other === days),
      // Without a group, the service's policy applies. If it is shorter, the group that the user left counts alone.
      shorter: isLonger(days, service) ? null : groupsWhere((other) => isLonger(days, other)),
      notIn: longerThan(days),
      notLeft: longerThan(days),
    },
  }));
  if (service === null) {
    return classes;
  }
  const owners = { in: [], left: [], shorter: null, notIn: [...groups.keys()], notLeft: longerThan(service) };
  return [...classes, { cutoff: cutoffOf(service), owners: groups.size === 0 ? null : owners }];
}

/** When data from this time will be deleted, by the policies that are known now; null: never. */
export function expiryOf(
  policies: readonly Policy[],
  kind: RetentionKind,
  { from, memberships, left, now }: { from: Date; memberships: readonly number[]; left: readonly number[]; now: Date },
): Date | null {
  const changes = policies.filter((policy) => policy.kind === kind && policy.effectiveAt > now);
  const times = [now, ...changes.map(({ effectiveAt }) => effectiveAt)].sort((one, other) => +one - +other);
  for (const [index, start] of times.entries()) {
    const rules = rulesAt(policies, kind, start);
    const days = rules && daysOf(rules, memberships, left);
    const due = days === null ? null : from.getTime() + days * DAY_MILLISECONDS;
    const end = times[index + 1]?.getTime() ?? Infinity;
    if (due !== null && Math.max(due, index === 0 ? 0 : +start) < end) {
      return new Date(Math.max(due, index === 0 ? 0 : +start));
    }
  }
  return null;
}
