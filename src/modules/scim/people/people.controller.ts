import {
  Body,
  Controller,
  Delete,
  Get,
  Header,
  HttpCode,
  HttpStatus,
  Param,
  Patch,
  Post,
  Put,
  Req,
  Res,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AuditEverybody } from '../../../common/audit/audited.decorator';
import { BodyLimit, LARGE_BODY, TakesJsonAs } from '../../../common/http/body/body-rules.decorator';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { scimId } from '../protocol/scim-id';
import { type Directory, ScimDirectories } from '../scim-directory';
import { SCIM_JSON } from '../scim-error-dialect';
import { SCIM_PREFIX } from '../scim-prefix';
import type { ListBody } from './people.service';
import { PeopleService } from './people.service';

/** SCIM describes itself in ServiceProviderConfig, ResourceTypes and Schemas. */
@ApiExcludeController()
@Authenticated()
@KeyScope('scim')
@AuditEverybody()
@TakesJsonAs(SCIM_JSON)
@BodyLimit(LARGE_BODY)
@Controller(`${SCIM_PREFIX}/Users`)
export class PeopleController {
  constructor(
    private readonly directories: ScimDirectories,
    private readonly people: PeopleService,
  ) {}

  @Get()
  @Header('Content-Type', SCIM_JSON)
  async list(@CurrentContext() context: RequestContext, @Req() request: Request): Promise<ListBody> {
    return this.people.list(await this.directory(context, request), request.query);
  }

  @Post()
  @Header('Content-Type', SCIM_JSON)
  async create(
    @CurrentContext() context: RequestContext,
    @Req() request: Request,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    const user = await this.people.create(await this.directory(context, request), body);
    response.setHeader('Location', String(user.meta.location));
    return user;
  }

  @Get(':id')
  @Header('Content-Type', SCIM_JSON)
  async read(
    @CurrentContext() context: RequestContext,
    @Req() request: Request,
    @Param('id') id: string,
  ): Promise<object> {
    return this.people.read(await this.directory(context, request), scimId(id), request.query);
  }

  @Put(':id')
  @Header('Content-Type', SCIM_JSON)
  async replace(
    @CurrentContext() context: RequestContext,
    @Req() request: Request,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<object> {
    return this.people.replace(await this.directory(context, request), scimId(id), body);
  }

  @Patch(':id')
  @Header('Content-Type', SCIM_JSON)
  async patch(
    @CurrentContext() context: RequestContext,
    @Req() request: Request,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<object> {
    return this.people.patch(await this.directory(context, request), scimId(id), body);
  }

  @Delete(':id')
  @HttpCode(HttpStatus.NO_CONTENT)
  async remove(
    @CurrentContext() context: RequestContext,
    @Req() request: Request,
    @Param('id') id: string,
  ): Promise<void> {
    await this.people.remove(await this.directory(context, request), scimId(id));
  }

  private directory({ principal }: RequestContext, request: Request): Promise<Directory> {
    return this.directories.of(principal, request);
  }
}
