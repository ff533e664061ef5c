import type SCIMMY from 'scimmy';
import { normalForm } from '../../../common/validation/normal-form';
import type { Group } from '../../group/group.api';
import type { Shown } from '../protocol/list-request';
import { OF_GROUPS, withoutForgotten } from '../protocol/resource-attributes';
import { checked } from '../protocol/scim-faults';
import { scimId } from '../protocol/scim-id';
import { scimmy } from '../protocol/scimmy';
import { ScimRequestError } from '../scim.errors';

export type ScimGroup = InstanceType<typeof SCIMMY.Schemas.Group>;

/** The group that a directory requests. */
export interface WantedGroup {
  name: string;
  /** Absent: unchanged. Null: it is removed. */
  externalId?: string | null;
  /** Ids of users. */
  members?: number[];
}

const LONGEST_NAME = 100;

const LONGEST_ID = 255;

/** The group as a directory sees it. @param userIds the users whom the directory added */
export function toScimGroup(
  group: Group,
  userIds: readonly number[],
  basePath: string,
  shown: Shown = null,
): ScimGroup {
  const data = {
    id: String(group.id),
    ...(group.externalId !== null && { externalId: group.externalId }),
    displayName: group.name,
    members: userIds.map((id) => ({ value: String(id), $ref: `${basePath}/Users/${id}`, type: 'User' })),
    meta: { created: group.createdAt, lastModified: group.updatedAt },
  };
  return new scimmy.Schemas.Group(data, 'out', `${basePath}/Groups`, shown ?? undefined);
}

/** The group in a body. @throws ScimRequestError */
export function wantedGroup(body: unknown): WantedGroup {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ScimRequestError('invalidSyntax', 'The body is no object.');
  }
  const sent = checked(() => new scimmy.Schemas.Group(withoutForgotten(body, OF_GROUPS), 'in'));
  const { displayName, externalId, members } = JSON.parse(JSON.stringify(sent)) as {
    displayName?: string;
    externalId?: string;
    members?: { value?: string; type?: string; $ref?: string }[];
  };
  const name = normalForm(displayName ?? '').trim();
  if (name === '' || [...name].length > LONGEST_NAME) {
    throw new ScimRequestError('invalidValue', `displayName has 1 to ${LONGEST_NAME} characters.`);
  }
  if (externalId !== undefined && externalId.length > LONGEST_ID) {
    throw new ScimRequestError('invalidValue', `externalId has at most ${LONGEST_ID} characters.`);
  }
  return {
    name,
    ...(externalId !== undefined && externalId !== '' && { externalId }),
    ...(members !== undefined && { members: [...new Set(members.map(memberId))] }),
  };
}

function memberId({ value = '', type, $ref = '' }: { value?: string; type?: string; $ref?: string }): number {
  if (type === 'Group' || /\/Groups\/[^/]*$/i.test($ref)) {
    throw new ScimRequestError('invalidValue', 'Groups in groups are not kept: send their members.');
  }
  try {
    return scimId(value);
  } catch {
    throw new ScimRequestError('invalidValue', `There is no member ${value.slice(0, 64)}.`);
  }
}
