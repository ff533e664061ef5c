import { Controller, Get, Header, Param, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request } from 'express';
import { TakesJsonAs } from '../../../common/http/body/body-rules.decorator';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { type ListBody, listBody } from '../people/people.service';
import { MOST_RESULTS } from '../protocol/list-request';
import { KEPT_OF_PEOPLE } from '../protocol/resource-attributes';
import { scimmy } from '../protocol/scimmy';
import { ScimNotFoundError } from '../scim.errors';
import { ScimDirectories } from '../scim-directory';
import { SCIM_JSON } from '../scim-error-dialect';
import { SCIM_PREFIX } from '../scim-prefix';

/** The service's description for directories, which they read before they send anything (RFC 7644 §4). */
@ApiExcludeController()
@Authenticated()
@KeyScope('scim')
@TakesJsonAs(SCIM_JSON)
@Controller(SCIM_PREFIX)
export class DiscoveryController {
  constructor(private readonly directories: ScimDirectories) {}

  @Get('ServiceProviderConfig')
  @Header('Content-Type', SCIM_JSON)
  async config(@CurrentContext() { principal }: RequestContext, @Req() request: Request): Promise<object> {
    return serviceProviderConfig((await this.directories.of(principal, request)).basePath);
  }

  @Get('ResourceTypes')
  @Header('Content-Type', SCIM_JSON)
  async types(@CurrentContext() { principal }: RequestContext, @Req() request: Request): Promise<ListBody> {
    return listOf(resourceTypes((await this.directories.of(principal, request)).basePath));
  }

  @Get('ResourceTypes/:id')
  @Header('Content-Type', SCIM_JSON)
  async type(
    @CurrentContext() { principal }: RequestContext,
    @Req() request: Request,
    @Param('id') id: string,
  ): Promise<object> {
    return oneOf(resourceTypes((await this.directories.of(principal, request)).basePath), id);
  }

  @Get('Schemas')
  @Header('Content-Type', SCIM_JSON)
  async schemas(@CurrentContext() { principal }: RequestContext, @Req() request: Request): Promise<ListBody> {
    return listOf(schemas((await this.directories.of(principal, request)).basePath));
  }

  @Get('Schemas/:id')
  @Header('Content-Type', SCIM_JSON)
  async schema(
    @CurrentContext() { principal }: RequestContext,
    @Req() request: Request,
    @Param('id') id: string,
  ): Promise<object> {
    return oneOf(schemas((await this.directories.of(principal, request)).basePath), id);
  }
}

function listOf(resources: object[]): ListBody {
  return listBody(resources, resources.length, 1);
}

function oneOf(resources: { id: string }[], id: string): object {
  const found = resources.find((resource) => resource.id === id);
  if (!found) {
    throw new ScimNotFoundError();
  }
  return found;
}

/** The supported features (RFC 7643 §5). */
function serviceProviderConfig(basePath: string): object {
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
function resourceTypes(basePath: string): { id: string }[] {
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
function schemas(basePath: string): { id: string }[] {
  const [user, group] = [scimmy.Schemas.User, scimmy.Schemas.Group].map(({ definition }) =>
    definition.describe(`${basePath}/Schemas`),
  );
  return [{ ...user, attributes: user?.attributes.filter(({ name }) => KEPT_OF_PEOPLE.has(name)) }, { ...group }] as {
    id: string;
  }[];
}
