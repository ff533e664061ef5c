import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../../database/database';
import { isUniqueViolation } from '../../../database/database.errors';
import { GroupQuery } from '../../group/group.api';
import { IdentityStore } from '../../identity/identity.api';
import { normalizeEmail } from '../../user/user.api';
import {
  type Alternative,
  isShown,
  listRequest,
  matches,
  MOST_RESULTS,
  type Shown,
  shownOf,
} from '../protocol/list-request';
import { OF_PEOPLE } from '../protocol/resource-attributes';
import { checkedAsync } from '../protocol/scim-faults';
import { scimmy } from '../protocol/scimmy';
import { asPatch, withNewElements } from '../protocol/sent-forms';
import { ScimNotFoundError, ScimNotUniqueError } from '../scim.errors';
import type { Directory } from '../scim-directory';
import { type DirectoryAccount, PeopleQuery, type PersonCondition } from './people.query';
import { PersonChanges } from './person-changes';
import { type GroupOfPerson, type ScimUser, toScimUser, type WantedPerson, wantedPerson } from './person-view';
import { userNameKey } from './scim-user.entity';

/** The attributes by which people are found. */
const KEYS = ['id', 'username', 'externalid'];

const ALL: PersonCondition = { condition: '1 = 1', parameters: [] };

const BY_NAME = '(person.user_name_key = ? OR (person.id IS NULL AND account.email = ?))';

/** A list in the form of RFC 7644 §3.4.2. */
export interface ListBody {
  schemas: string[];
  totalResults: number;
  startIndex: number;
  itemsPerPage: number;
  Resources: object[];
}

/** The accounts of a directory in its own view (RFC 7643 §4.1). */
@Injectable()
export class PeopleService {
  constructor(
    private readonly database: Database,
    private readonly people: PeopleQuery,
    private readonly changes: PersonChanges,
    private readonly identities: IdentityStore,
    private readonly groups: GroupQuery,
  ) {}

  /** @throws ScimRequestError */
  async list(directory: Directory, query: Record<string, unknown>): Promise<ListBody> {
    const { alternatives, startIndex, count, shown } = listRequest(query, KEYS);
    const where = alternatives.length === 0 ? ALL : anyOf(alternatives.map(conditionOf));
    const { id } = directory.provider;
    if (alternatives.every(({ rest }) => rest === null)) {
      const total = await this.people.count(id, where);
      const found = count === 0 ? [] : await this.people.find(id, where, { offset: startIndex - 1, limit: count });
      return listBody(await this.views(directory, found, shown), total, startIndex);
    }
    const matching = new Map<number, DirectoryAccount>();
    for (const alternative of alternatives) {
      const found = await this.people.find(id, conditionOf(alternative), { offset: 0, limit: MOST_RESULTS });
      const views = await this.views(directory, found, null);
      const people = found.filter((_person, index) => matches(alternative, views[index] as ScimUser));
      people.forEach((person) => matching.set(person.id, person));
    }
    const part = [...matching.values()].slice(startIndex - 1, startIndex - 1 + count);
    return listBody(await this.views(directory, part, shown), matching.size, startIndex);
  }

  /** @throws ScimNotFoundError, ScimRequestError */
  async read(directory: Directory, id: number, query: Record<string, unknown>): Promise<ScimUser> {
    const [view] = await this.views(directory, [await this.get(directory, id)], shownOf(query));
    return view as ScimUser;
  }

  /** @throws ScimRequestError, ScimNotUniqueError */
  async create(directory: Directory, body: unknown): Promise<ScimUser> {
    const wanted = wantedPerson(body);
    const id = await this.write((manager) => this.changes.create(manager, directory.provider, wanted));
    return this.read(directory, id, {});
  }

  /** @throws ScimRequestError, ScimNotFoundError, ScimNotUniqueError, ScimForbiddenError, LastAdminError */
  async replace(directory: Directory, id: number, body: unknown): Promise<ScimUser> {
    const wanted = wantedPerson(body);
    return this.change(directory, id, () => Promise.resolve(wanted));
  }

  /** @throws the errors of `replace` */
  async patch(directory: Directory, id: number, body: unknown): Promise<ScimUser> {
    return this.change(directory, id, async () => {
      const [view] = await this.views(directory, [await this.get(directory, id)], null);
      return patchedPerson(view as ScimUser, body);
    });
  }

  /** @throws ScimNotFoundError, ScimForbiddenError */
  async remove({ provider }: Directory, id: number): Promise<void> {
    await this.database.write((manager) => this.changes.close(manager, provider, id));
  }

  /** @param wish returns the wanted state of the person, who is locked until the transaction ends; null: no change */
  private async change(directory: Directory, id: number, wish: () => Promise<WantedPerson | null>): Promise<ScimUser> {
    const { provider } = directory;
    await this.write(async (manager) => {
      // Before anything is read, so that no concurrent change of the person is undone.
      await this.identities.lockOfUser(manager, provider.id, id);
      const wanted = await wish();
      if (wanted) {
        await this.changes.change(manager, provider, id, wanted);
      }
    });
    return this.read(directory, id, {});
  }

  /**
   * Names and ids of the directory are unique, and a concurrent request may have taken one.
   *
   * @throws ScimNotUniqueError
   */
  private async write<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    try {
      return await this.database.write(work);
    } catch (error) {
      throw isUniqueViolation(error) ? new ScimNotUniqueError() : error;
    }
  }

  private async get({ provider }: Directory, id: number): Promise<DirectoryAccount> {
    const person = await this.people.get(provider.id, id);
    if (!person) {
      throw new ScimNotFoundError();
    }
    return person;
  }

  private async views(directory: Directory, people: readonly DirectoryAccount[], shown: Shown): Promise<ScimUser[]> {
    const groups = isShown(shown, 'groups')
      ? await this.groupsOf(directory, people)
      : new Map<number, GroupOfPerson[]>();
    return people.map((person) => toScimUser(person, groups.get(person.id) ?? [], directory.basePath, shown));
  }

  private async groupsOf(
    { provider }: Directory,
    people: readonly DirectoryAccount[],
  ): Promise<Map<number, GroupOfPerson[]>> {
    const given = await this.groups.givenByDirectory(provider.id, { userIds: people.map(({ id }) => id) });
    const ids = [...new Set(given.map(({ groupId }) => groupId))];
    const names = new Map((await this.groups.ofDirectory(provider.id, { ids })).map(({ id, name }) => [id, name]));
    const ofPeople = new Map<number, GroupOfPerson[]>();
    for (const { userId, groupId } of given) {
      const name = names.get(groupId);
      if (name !== undefined) {
        ofPeople.set(userId, [...(ofPeople.get(userId) ?? []), { groupId, name }]);
      }
    }
    return ofPeople;
  }
}

/** The person after a patch; null: no change. @throws ScimRequestError */
async function patchedPerson(present: ScimUser, body: unknown): Promise<WantedPerson | null> {
  const plain = asPatch(body, OF_PEOPLE);
  const patch =
    plain && withNewElements(plain, (attribute, name, value) => hasElement(present, attribute, name, value));
  const patched = (patch && (await checkedAsync(() => new scimmy.Messages.PatchOp(patch as never).apply(present)))) as
    | ScimUser
    | undefined;
  if (!patched) {
    return null;
  }
  const { active: _active, ...rest } = JSON.parse(JSON.stringify(patched)) as Record<string, unknown>;
  const wanted = wantedPerson({ ...rest, groups: undefined, active: patched.active });
  // A patched resource is complete: attributes that it lacks were removed.
  return { ...wanted, externalId: wanted.externalId ?? null };
}

/** The body of a list. */
export function listBody(resources: object[], total: number, startIndex: number): ListBody {
  return {
    schemas: [scimmy.Messages.ListResponse.id],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}

function conditionOf({ attribute, value }: Alternative): PersonCondition {
  switch (attribute) {
    case 'id':
      return { condition: 'account.id = ?', parameters: [/^\d{1,10}$/.test(value) ? Number(value) : 0] };
    case 'externalid':
      return { condition: 'identity.external_id = ?', parameters: [value] };
    default:
      return { condition: BY_NAME, parameters: [userNameKey(value), normalizeEmail(value)] };
  }
}

function anyOf(conditions: readonly PersonCondition[]): PersonCondition {
  return {
    condition: conditions.map(({ condition }) => `(${condition})`).join(' OR '),
    parameters: conditions.flatMap(({ parameters }) => parameters),
  };
}

function hasElement(view: ScimUser, attribute: string, name: string, value: string): boolean {
  const elements = (view as unknown as Record<string, unknown>)[attribute.toLowerCase()];
  return (
    Array.isArray(elements) &&
    elements.some((element) => (element as Record<string, unknown>)[name.toLowerCase()] === value)
  );
}
