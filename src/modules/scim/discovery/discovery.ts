import { MOST_RESULTS } from '../protocol/list-request';
import { KEPT_OF_PEOPLE } from '../protocol/resource-attributes';
import { scimmy } from '../protocol/scimmy';

/** The supported features (RFC 7643 §5). */
export function serviceProviderConfig(basePath: string): object {
  const config = {
    documentationUri: `${basePath.replace(/\/scim\/v2$/, '')}/docs`,
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: MOST_RESULTS },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: false },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'API key',
        description: 'An API key of a service account, created for one identity provider.',
        primary: true,
      },
    ],
  };
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
    ...config,
    meta: { resourceType: 'ServiceProviderConfig', location: `${basePath}/ServiceProviderConfig` },
  };
}

/** The resource types (RFC 7643 §6). */
export function resourceTypes(basePath: string): { id: string }[] {
  return [scimmy.Schemas.User, scimmy.Schemas.Group].map(({ definition }) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    id: definition.name,
    name: definition.name,
    endpoint: `/${definition.name}s`,
    description: definition.description,
    schema: definition.id,
    meta: { resourceType: 'ResourceType', location: `${basePath}/ResourceTypes/${definition.name}` },
  }));
}

/** The attributes of the resource types (RFC 7643 §7). */
export function schemas(basePath: string): { id: string }[] {
  const [user, group] = [scimmy.Schemas.User, scimmy.Schemas.Group].map(({ definition }) =>
    definition.describe(`${basePath}/Schemas`),
  );
  return [{ ...user, attributes: user?.attributes.filter(({ name }) => KEPT_OF_PEOPLE.has(name)) }, { ...group }] as {
    id: string;
  }[];
}
