import type { Group } from '../../group/group.api';
import { checked, checkedAsync } from '../protocol/scim-faults';
import { scimmy } from '../protocol/scimmy';
import { toScimGroup, type WantedGroup, wantedGroup } from './group-view';

interface Operation {
  op?: unknown;
  path?: unknown;
  value?: unknown;
}

/** The effect of an operation on members. */
interface MemberStep {
  verb: 'add' | 'remove' | 'replace';
  /** Null: all members. */
  ids: number[] | null;
}

/**
 * The group after a patch; null: it stays unchanged. Members that are identified only by id, as directories do, are
 * handled here. The library compares each with each, which blocks the service for minutes if a thousand members leave a
 * large group.
 *
 * @param given the users whom the directory has added to the group
 * @throws ScimRequestError
 */
export async function patchedGroup(
  group: Group,
  given: readonly number[],
  patch: object,
  basePath: string,
): Promise<WantedGroup | null> {
  const whole = checked(() => new scimmy.Messages.PatchOp(patch as never));
  const operations: unknown[] = whole.Operations;
  const steps = operations.map(stepOf);
  const others = operations.filter((_one, index) => steps[index] === null);
  if (others.some(namesMembers)) {
    return wantedAfter(whole, group, given, basePath);
  }
  const rest = others.length === 0 ? null : new scimmy.Messages.PatchOp({ ...patch, Operations: others } as never);
  const wanted = rest && (await wantedAfter(rest, group, [], basePath));
  const members = membersAfter(
    given,
    steps.filter((step) => step !== null),
  );
  const isSame = members.size === given.length && given.every((id) => members.has(id));
  return wanted === null && isSame ? null : { name: group.name, ...wanted, members: [...members] };
}

async function wantedAfter(
  patch: InstanceType<typeof scimmy.Messages.PatchOp>,
  group: Group,
  members: readonly number[],
  basePath: string,
): Promise<WantedGroup | null> {
  const patched: unknown = await checkedAsync(() => patch.apply(toScimGroup(group, members, basePath)));
  // A patched resource is complete: attributes that it lacks were removed.
  return patched === undefined
    ? null
    : { members: [], externalId: null, ...wantedGroup(JSON.parse(JSON.stringify(patched))) };
}

function membersAfter(given: readonly number[], steps: readonly MemberStep[]): Set<number> {
  const members = new Set(given);
  for (const { verb, ids } of steps) {
    if (verb === 'replace' || ids === null) {
      members.clear();
    }
    for (const id of ids ?? []) {
      if (verb === 'remove') {
        members.delete(id);
      } else {
        members.add(id);
      }
    }
  }
  return members;
}

/** Null if it is about something else, or has another form. */
function stepOf(operation: unknown): MemberStep | null {
  const { op, path, value } = operation as Operation;
  const verb = String(op).toLowerCase() as MemberStep['verb'];
  const [, one] = /^members\[value eq "([1-9]\d{0,8})"\]$/.exec(String(path)) ?? [];
  if (one !== undefined) {
    return verb === 'remove' ? { verb, ids: [Number(one)] } : null;
  }
  if (path !== 'members') {
    return null;
  }
  if (value === undefined) {
    return verb === 'remove' ? { verb, ids: null } : null;
  }
  const ids = [value].flat().map(idOf);
  return ids.every((id) => id !== null) ? { verb, ids } : null;
}

/** The id of a member, if the member needs no further checks. */
function idOf(member: unknown): number | null {
  const { value, display, type, $ref, ...others } = (member ?? {}) as Record<string, unknown>;
  const isPlain =
    typeof value === 'string' &&
    /^[1-9]\d{0,8}$/.test(value) &&
    ['string', 'undefined'].includes(typeof display) &&
    (type === undefined || type === 'User') &&
    ($ref === undefined || $ref === null || (typeof $ref === 'string' && !/\/Groups\//i.test($ref))) &&
    Object.keys(others).length === 0;
  return isPlain ? Number(value) : null;
}

function namesMembers(operation: unknown): boolean {
  const { path, value } = operation as Operation;
  return typeof path === 'string'
    ? /^members/i.test(path)
    : Object.keys(Object(value) as object).some((name) => /^members/i.test(name));
}
