import { Controller, Get, Header, Param, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request } from 'express';
import { TakesJsonAs } from '../../../common/http/body/body-rules.decorator';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { type ListBody, listBody } from '../people/people.service';
import { ScimNotFoundError } from '../scim.errors';
import { ScimDirectories } from '../scim-directory';
import { SCIM_JSON } from '../scim-error-dialect';
import { SCIM_PREFIX } from '../scim-prefix';
import { resourceTypes, schemas, serviceProviderConfig } from './discovery';

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
