import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type Group, GroupMemberships, GroupQuery, GroupStore } from '../../group/group.api';
import { IdentityMapping, type IdentityProvider } from '../../identity/identity.api';
import { PeopleQuery } from '../people/people.query';
import { type ListBody, listBody } from '../people/people.service';
import { type Alternative, isShown, listRequest, matches, type Shown, shownOf } from '../protocol/list-request';
import { OF_GROUPS } from '../protocol/resource-attributes';
import { asPatch } from '../protocol/sent-forms';
import { ScimNotFoundError, ScimNotUniqueError, ScimRequestError } from '../scim.errors';
import type { Directory } from '../scim-directory';
import { patchedGroup } from './group-patch';
import { type ScimGroup, toScimGroup, type WantedGroup, wantedGroup } from './group-view';

/** The attributes by which groups are found. */
const KEYS = ['id', 'displayname', 'externalid'];

/** The groups of a directory in its own view (RFC 7643 §4.2). */
@Injectable()
export class ScimGroupsService {
  constructor(
    private readonly groups: GroupQuery,
    private readonly store: GroupStore,
    private readonly memberships: GroupMemberships,
    private readonly people: PeopleQuery,
    private readonly mapping: IdentityMapping,
  ) {}

  /** @throws ScimRequestError */
  async list(directory: Directory, query: Record<string, unknown>): Promise<ListBody> {
    const { alternatives, startIndex, count, shown } = listRequest(query, KEYS);
    const found = alternatives.length === 0 ? await this.groups.ofDirectory(directory.provider.id) : [];
    const matching = new Map(found.map((group) => [group.id, group]));
    for (const alternative of alternatives) {
      const candidates = await this.groups.ofDirectory(directory.provider.id, keyOf(alternative));
      const views = await this.views(directory, candidates, null);
      const groups = candidates.filter((_group, index) => matches(alternative, views[index] as ScimGroup));
      groups.forEach((group) => matching.set(group.id, group));
    }
    const part = [...matching.values()].slice(startIndex - 1, startIndex - 1 + count);
    return listBody(await this.views(directory, part, shown), matching.size, startIndex);
  }

  /** @throws ScimNotFoundError, ScimRequestError */
  async read(directory: Directory, id: number, query: Record<string, unknown>): Promise<ScimGroup> {
    const [view] = await this.views(directory, [await this.get(directory, id)], shownOf(query));
    return view as ScimGroup;
  }

  /** @throws ScimRequestError, ScimNotUniqueError, GroupNameTakenError */
  async create(directory: Directory, body: unknown): Promise<ScimGroup> {
    const wanted = wantedGroup(body);
    const { provider } = directory;
    const id = await this.store.write(async (manager) => {
      const group = await this.make(manager, provider, wanted);
      await this.setMembers(manager, provider, group, wanted.members ?? []);
      return group.id;
    });
    return this.read(directory, id, {});
  }

  /** @throws ScimRequestError, ScimNotFoundError, ScimNotUniqueError, GroupNameTakenError */
  async replace(directory: Directory, id: number, body: unknown): Promise<ScimGroup> {
    const wanted = wantedGroup(body);
    return this.change(directory, id, () => Promise.resolve({ members: [], ...wanted }));
  }

  /** @throws the errors of `replace` */
  async patch(directory: Directory, id: number, body: unknown): Promise<ScimGroup> {
    const { provider, basePath } = directory;
    return this.change(directory, id, async (group) => {
      // Including users whom the directory cannot see, so that a patch of something else does not remove them.
      const given = (await this.groups.givenByDirectory(provider.id, { groupIds: [id] })).map(({ userId }) => userId);
      const patch = asPatch(body, OF_GROUPS);
      return patch && patchedGroup(group, given, patch, basePath);
    });
  }

  /** A group in a mapping is kept, without the members that the directory added. @throws ScimNotFoundError */
  async remove(directory: Directory, id: number): Promise<void> {
    const { provider } = directory;
    await this.get(directory, id);
    await this.store.write(async (manager) => {
      const members = isMapped(provider, id)
        ? await this.releaseGroup(manager, provider, id)
        : await this.store.remove(manager, id, sourceOf(provider), null);
      await this.applyMappings(manager, provider, members);
    });
  }

  /** Returns the users whom the directory had added to the group. */
  private async releaseGroup(manager: EntityManager, provider: IdentityProvider, id: number): Promise<number[]> {
    const group = await this.store.getLocked(manager, id);
    const members = await this.memberships.membersOf(manager, id, sourceOf(provider));
    await this.memberships.remove(manager, group, sourceOf(provider), members);
    await this.store.change(manager, group, { managedBy: 'admin', identityProviderId: null, externalId: null });
    return members;
  }

  /** @param wish returns the wanted state of the group, which is locked until the transaction ends; null: no change */
  private async change(
    directory: Directory,
    id: number,
    wish: (before: Group) => Promise<WantedGroup | null>,
  ): Promise<ScimGroup> {
    const { provider } = directory;
    await this.get(directory, id);
    await this.store.write(async (manager) => {
      const before = await this.store.getLocked(manager, id);
      const wanted = await wish(before);
      if (!wanted) {
        return;
      }
      await this.assertFree(provider, wanted, id);
      const { name, externalId = before.externalId } = wanted;
      const isRenamed = name !== before.name;
      const isOther = isRenamed || externalId !== before.externalId;
      const group = isOther ? await this.store.change(manager, before, { name, externalId }) : before;
      const changed = await this.setMembers(manager, provider, group, wanted.members ?? []);
      if (isRenamed) {
        const members = await this.memberships.membersOf(manager, id, sourceOf(provider));
        await this.applyMappings(
          manager,
          provider,
          members.filter((userId) => !changed.includes(userId)),
        );
      }
    });
    return this.read(directory, id, {});
  }

  /** If a mapping of the provider refers to a group of this name, the directory manages that group from now on. */
  private async make(manager: EntityManager, provider: IdentityProvider, wanted: WantedGroup): Promise<Group> {
    await this.assertFree(provider, wanted, null);
    const { name, externalId = null } = wanted;
    const fields = { managedBy: 'scim', identityProviderId: provider.id, externalId } as const;
    const named = await this.groups.named(name);
    const isTaken = named?.managedBy === 'admin' && isMapped(provider, named.id, name);
    return named && isTaken
      ? this.store.change(manager, await this.store.getLocked(manager, named.id), fields)
      : this.store.create(manager, { name, description: '', ...fields });
  }

  private async assertFree(
    provider: IdentityProvider,
    { externalId }: WantedGroup,
    ownId: number | null,
  ): Promise<void> {
    if (externalId !== undefined && externalId !== null) {
      const [other] = await this.groups.ofDirectory(provider.id, { externalIds: [externalId] });
      if (other && other.id !== ownId) {
        throw new ScimNotUniqueError();
      }
    }
  }

  /** Sets the members that the directory grants to a locked group. Returns the users whose membership changed. */
  private async setMembers(
    manager: EntityManager,
    provider: IdentityProvider,
    group: Group,
    wanted: readonly number[],
  ): Promise<number[]> {
    const source = sourceOf(provider);
    const present = new Set(await this.memberships.membersOf(manager, group.id, source));
    const added = wanted.filter((id) => !present.has(id));
    const visible = await this.people.among(provider.id, added);
    const unknown = added.find((id) => !visible.has(id));
    if (unknown !== undefined) {
      throw new ScimRequestError('invalidValue', `The directory has made no account ${unknown}.`);
    }
    const kept = new Set(wanted);
    const removed = [...present].filter((id) => !kept.has(id));
    await this.memberships.add(manager, group, source, added);
    await this.memberships.remove(manager, group, source, removed);
    const changed = [...added, ...removed];
    await this.applyMappings(manager, provider, changed);
    return changed;
  }

  /** Applies the provider's mappings to these users. A directory never changes current or former administrators. */
  private async applyMappings(
    manager: EntityManager,
    provider: IdentityProvider,
    userIds: readonly number[],
  ): Promise<void> {
    if (provider.mappings.length === 0) {
      return;
    }
    const administrators = await this.people.administratorsAmong(userIds);
    for (const userId of [...userIds].sort((one, other) => one - other)) {
      if (!administrators.has(userId)) {
        await this.mapping.applyDirectory(manager, provider, userId);
      }
    }
  }

  private async get({ provider }: Directory, id: number): Promise<Group> {
    const [group] = await this.groups.ofDirectory(provider.id, { ids: [id] });
    if (!group) {
      throw new ScimNotFoundError();
    }
    return group;
  }

  private async views({ provider, basePath }: Directory, groups: readonly Group[], shown: Shown): Promise<ScimGroup[]> {
    const members = isShown(shown, 'members') ? await this.membersOf(provider, groups) : new Map<number, number[]>();
    return groups.map((group) => toScimGroup(group, members.get(group.id) ?? [], basePath, shown));
  }

  /** The users whom the directory added to the groups and can see, by group. */
  private async membersOf({ id }: IdentityProvider, groups: readonly Group[]): Promise<Map<number, number[]>> {
    const given = await this.groups.givenByDirectory(id, { groupIds: groups.map((group) => group.id) });
    const visible = await this.people.among(id, [...new Set(given.map(({ userId }) => userId))]);
    const members = new Map<number, number[]>();
    for (const { groupId, userId } of given.filter((one) => visible.has(one.userId))) {
      const known = members.get(groupId);
      if (known) {
        known.push(userId);
      } else {
        members.set(groupId, [userId]);
      }
    }
    return members;
  }
}

function keyOf({ attribute, value }: Alternative): Parameters<GroupQuery['ofDirectory']>[1] {
  switch (attribute) {
    case 'id':
      return { ids: [/^\d{1,10}$/.test(value) ? Number(value) : 0] };
    case 'externalid':
      return { externalIds: [value] };
    default:
      // In the form in which names are stored.
      return { names: [value.trim()] };
  }
}

function sourceOf({ id }: IdentityProvider): { kind: 'scim'; identityProviderId: number } {
  return { kind: 'scim', identityProviderId: id };
}

/** Whether a mapping refers to the group, under this value. */
function isMapped({ mappings }: IdentityProvider, groupId: number, value?: string): boolean {
  return mappings.some((mapping) => mapping.group === groupId && (value === undefined || mapping.value === value));
}
