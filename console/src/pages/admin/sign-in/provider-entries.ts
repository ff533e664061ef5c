import type { CreateIdentityProviderDto, IdentityProviderDto, UpdateIdentityProviderDto } from 'chat-service-client';
import { linesOf, numberOf, wordsOf } from '../../../components/form/entries';
import { textOf } from '../../../components/form/form';

type Mapping = IdentityProviderDto['mappings'][number];

/** The form of a new provider as a request body. */
export function creationOf(entries: FormData): CreateIdentityProviderDto {
  return {
    ...fieldsOf(entries),
    slug: textOf(entries, 'slug').trim(),
    name: textOf(entries, 'name'),
    issuer: textOf(entries, 'issuer').trim(),
    client_id: textOf(entries, 'client_id').trim(),
  };
}

/**
 * The form as a request body. It leaves out fields set by the environment and an empty secret.
 *
 * @param former initial values, if the provider already exists
 */
export function fieldsOf(entries: FormData, former?: IdentityProviderDto): UpdateIdentityProviderDto {
  const secret = wordsOf(entries, 'client_secret');
  const hours = numberOf(entries, 'session_max_age');
  return {
    ...(entries.has('name') && { name: textOf(entries, 'name') }),
    ...(entries.has('issuer') && { issuer: textOf(entries, 'issuer').trim() }),
    ...(entries.has('client_id') && { client_id: textOf(entries, 'client_id').trim() }),
    ...(entries.has('removes_secret') ? { client_secret: null } : secret !== null && { client_secret: secret }),
    scopes: textOf(entries, 'scopes').trim(),
    claims: {
      email: textOf(entries, 'claims.email').trim(),
      name: textOf(entries, 'claims.name').trim(),
      groups: textOf(entries, 'claims.groups').trim(),
    },
    claim_source: textOf(entries, 'claim_source') as IdentityProviderDto['claim_source'],
    email_trusted: entries.has('email_trusted'),
    jit: textOf(entries, 'jit') as IdentityProviderDto['jit'],
    allowed_domains: linesOf(entries, 'allowed_domains'),
    required_groups: linesOf(entries, 'required_groups'),
    mappings: mappingsOf(entries),
    groups_overage: textOf(entries, 'groups_overage') as IdentityProviderDto['groups_overage'],
    logout: entries.has('logout') ? 'rp_initiated' : 'none',
    scim_match: textOf(entries, 'scim_match').trim(),
    // The field shows rounded hours. An unchanged value is not sent, so the exact seconds are kept.
    ...(hours !== (former && hoursOf(former.session_max_age)) && { session_max_age: secondsOf(hours) }),
    key_days: numberOf(entries, 'key_days'),
    accept_tokens: acceptedOf(entries),
  };
}

const HOUR_SECONDS = 3_600;

/** Seconds as the value of a field in hours. */
export function hoursOf(seconds: number): number {
  return Math.round((100 * seconds) / HOUR_SECONDS) / 100;
}

function secondsOf(hours: number | null): number | null {
  return hours === null ? null : Math.round(hours * HOUR_SECONDS);
}

/** Each row has one input of each name, so the values pair up by index. */
function mappingsOf(entries: FormData): Mapping[] {
  const column = (name: string): string[] => entries.getAll(`mapping.${name}`).map(String);
  const [types, memberships, groups] = ['user_type', 'membership_type', 'group'].map(column);
  return column('value').map((value, row) => ({
    value,
    ...(types?.[row] && { user_type: types[row] as Mapping['user_type'] }),
    ...(memberships?.[row] && { membership_type: memberships[row] as Mapping['membership_type'] }),
    ...(groups?.[row] && { group: Number(groups[row]) }),
  }));
}

function acceptedOf(entries: FormData): IdentityProviderDto['accept_tokens'] {
  const audience = wordsOf(entries, 'accept_tokens.audience');
  const parties = linesOf(entries, 'accept_tokens.authorized_parties');
  return audience === null && parties.length === 0 ? null : { audience: audience ?? '', authorized_parties: parties };
}
