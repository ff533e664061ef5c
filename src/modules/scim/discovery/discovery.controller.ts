import { Controller, Get, Header, Param, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request } from 'express';
import { TakesJsonAs } from '../../../common/http/body/body-rules.decorator';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { type ListBody, listBody } from '../people/people.service';
import { ScimNotFoundError } from '../scim.errors';
import { ScimDirectories } from '../scim-directory';
import { SCIM_JSON } from '../scim-error-dialect';
import { SCIM_PREFIX } from '../scim-prefix';
import { resourceTypes, schemas, serviceProviderConfig } from './discovery';

/** What a directory learns of this service before it sends anything (RFC 7644 §4). */
@ApiExcludeController()
@Authenticated()
@KeyScope('scim')
@TakesJsonAs(SCIM_JSON)
@Controller(SCIM_PREFIX)
export class DiscoveryController {
  constructor(private readonly directories: ScimDirectories) {}

  @Get('ServiceProviderConfig')
  @Header('Content-Type', SCIM_JSON)
  config(@Req() request: Request): object {
    return serviceProviderConfig(this.directories.basePath(request));
  }

  @Get('ResourceTypes')
  @Header('Content-Type', SCIM_JSON)
  types(@Req() request: Request): ListBody {
    return listOf(resourceTypes(this.directories.basePath(request)));
  }

  @Get('ResourceTypes/:id')
  @Header('Content-Type', SCIM_JSON)
  type(@Req() request: Request, @Param('id') id: string): object {
    return oneOf(resourceTypes(this.directories.basePath(request)), id);
  }

  @Get('Schemas')
  @Header('Content-Type', SCIM_JSON)
  schemas(@Req() request: Request): ListBody {
    return listOf(schemas(this.directories.basePath(request)));
  }

  @Get('Schemas/:id')
  @Header('Content-Type', SCIM_JSON)
  schema(@Req() request: Request, @Param('id') id: string): object {
    return oneOf(schemas(this.directories.basePath(request)), id);
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
