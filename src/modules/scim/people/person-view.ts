import type SCIMMY from 'scimmy';
import { isPlainEmail, normalizeEmail } from '../../user/user.api';
import type { Shown } from '../protocol/list-request';
import { OF_PEOPLE, withoutForgotten } from '../protocol/resource-attributes';
import { checked } from '../protocol/scim-faults';
import { scimmy } from '../protocol/scimmy';
import { withTruths } from '../protocol/sent-forms';
import { ScimRequestError } from '../scim.errors';
import type { DirectoryAccount } from './people.query';
import { type PersonAttributes, userNameKey } from './scim-user.entity';

export type ScimUser = InstanceType<typeof SCIMMY.Schemas.User>;

/** A group of a person. */
export interface GroupOfPerson {
  groupId: number;
  name: string;
}

/** The account that a directory requests. */
export interface WantedPerson {
  userName: string;
  /** Absent: unchanged. Null: it is removed. */
  externalId?: string | null;
  /** Absent: unchanged. */
  active?: boolean;
  /** Absent: unchanged. */
  email?: string;
  attributes: PersonAttributes;
}

const KEPT = ['displayName', 'nickName', 'title', 'userType', 'preferredLanguage', 'locale', 'timezone'] as const;

/** Most characters of JSON that are stored of a person's attributes. */
const LARGEST_ATTRIBUTES = 8_192;

const LONGEST_NAME = 255;

/** The account as a directory sees it. @param origin of the service */
export function toScimUser(
  person: DirectoryAccount,
  groups: readonly GroupOfPerson[],
  basePath: string,
  shown: Shown = null,
): ScimUser {
  const { emailType, ...attributes } = person.attributes;
  const data = {
    ...attributes,
    id: String(person.id),
    ...(person.externalId !== null && { externalId: person.externalId }),
    userName: person.userName ?? person.email,
    displayName: attributes.displayName ?? person.username,
    active: !person.isSuspended,
    emails: [{ value: person.email, type: emailType ?? 'work', primary: true }],
    ...(groups.length > 0 && {
      groups: groups.map(({ groupId, name }) => ({
        value: String(groupId),
        $ref: `${basePath}/Groups/${groupId}`,
        display: name,
        type: 'direct',
      })),
    }),
    meta: { created: person.createdAt, lastModified: person.updatedAt },
  };
  return new scimmy.Schemas.User(data, 'out', `${basePath}/Users`, shown ?? undefined);
}

/** The person in a body. @throws ScimRequestError */
export function wantedPerson(body: unknown): WantedPerson {
  const known = withoutForgotten(objectOf(withTruths(body)), OF_PEOPLE);
  const sent = checked(() => new scimmy.Schemas.User(known, 'in'));
  const user = JSON.parse(JSON.stringify(sent)) as Record<string, unknown>;
  const userName = shortText(user.userName, 'userName');
  if (userName === undefined) {
    throw new ScimRequestError('invalidValue', 'The attribute userName is missing.');
  }
  // The key by which it is found, because some letters become longer in lower case.
  if (userNameKey(userName).length > LONGEST_NAME) {
    throw new ScimRequestError('invalidValue', `The attribute userName is longer than ${LONGEST_NAME} characters.`);
  }
  const { email, type } = emailOf(user.emails, userName);
  const attributes: PersonAttributes = {
    ...Object.fromEntries(KEPT.filter((name) => typeof user[name] === 'string').map((name) => [name, user[name]])),
    ...(typeof user.name === 'object' && user.name !== null && { name: user.name as Record<string, string> }),
    ...(type !== undefined && { emailType: type }),
  };
  if (JSON.stringify(attributes).length > LARGEST_ATTRIBUTES) {
    throw new ScimRequestError('invalidValue', `The attributes are longer than ${LARGEST_ATTRIBUTES} characters.`);
  }
  return {
    userName,
    externalId: shortText(user.externalId, 'externalId'),
    ...(typeof user.active === 'boolean' && { active: user.active }),
    ...(email !== undefined && { email }),
    attributes,
  };
}

/**
 * The effective email address: the last added of the primary ones; otherwise the first work address, otherwise the
 * first one; otherwise the name, if it is an address.
 */
function emailOf(emails: unknown, userName: string): { email?: string; type?: string } {
  const all = (Array.isArray(emails) ? emails : []) as { value?: unknown; type?: string; primary?: boolean }[];
  const chosen = all.findLast(({ primary }) => primary) ?? all.find(({ type }) => type === 'work') ?? all[0];
  const email = typeof chosen?.value === 'string' ? normalizeEmail(chosen.value) : undefined;
  if (email !== undefined && !isPlainEmail(email)) {
    throw new ScimRequestError('invalidValue', `${email} is no address that mails can be sent to.`);
  }
  const name = normalizeEmail(userName);
  return { email: email ?? (isPlainEmail(name) ? name : undefined), type: chosen?.type };
}

function shortText(value: unknown, name: string): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') {
    return undefined;
  }
  if (value.length > LONGEST_NAME) {
    throw new ScimRequestError('invalidValue', `The attribute ${name} is longer than ${LONGEST_NAME} characters.`);
  }
  return value;
}

function objectOf(body: unknown): object {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ScimRequestError('invalidSyntax', 'The body is no object.');
  }
  return body;
}
