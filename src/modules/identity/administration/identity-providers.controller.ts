import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Put, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Audited } from '../../../common/audit/audited.decorator';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedPageResponse, EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { type Page, PageQueryDto, partOf, toPage } from '../../../common/envelope/page.dto';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope, NoKeys } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { IdPipe } from '../../../common/validation/id.pipe';
import {
  IdentityProviderExistsError,
  IdentityProviderInUseError,
  IdentityProviderNotFoundError,
  LastLoginMethodError,
} from '../identity.errors';
import type { IdentityProviderEntity } from '../providers/identity-provider.entity';
import { IdentityProviderStore } from '../providers/identity-provider.store';
import { ServiceAddress } from '../service-address';
import { IdentityProviderAdministrationService } from './identity-provider-administration.service';
import {
  DeletedIdentityProviderDto,
  DeleteProviderQueryDto,
  IdentityProviderDto,
  toIdentityProviderDto,
} from './provider.dto';
import { CreateIdentityProviderDto, UpdateIdentityProviderDto } from './provider-fields.dto';
import { IdentityProviderTestDto } from './provider-test.dto';
import { ProviderTestService } from './provider-test.service';

@ApiTags('Identity providers')
@AdminOnly()
@Enveloped()
@Controller('admin/identity_providers')
export class IdentityProvidersController {
  constructor(
    private readonly store: IdentityProviderStore,
    private readonly administration: IdentityProviderAdministrationService,
    private readonly trials: ProviderTestService,
    private readonly address: ServiceAddress,
  ) {}

  @Get()
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.identityProviders.list',
    summary: 'List identity providers',
    description: 'Returns identity providers in order of creation.',
  })
  @EnvelopedPageResponse(IdentityProviderDto)
  async list(@Query() query: PageQueryDto): Promise<Page<IdentityProviderDto>> {
    const all = await this.store.all();
    const { offset, limit } = partOf(query);
    const shown = all.slice(offset, offset + limit).map((provider) => this.toDto(provider));
    return toPage(shown, all.length, query);
  }

  @Post()
  @NoKeys()
  @Enveloped('messages.created')
  @ApiOperation({
    operationId: 'admin.identityProviders.create',
    summary: 'Add an identity provider',
    description: 'Users can sign in with it within five seconds, on every instance.',
  })
  @EnvelopedResponse(IdentityProviderDto, { status: HttpStatus.CREATED })
  @ApiErrors(IdentityProviderExistsError)
  async create(@Body() body: CreateIdentityProviderDto): Promise<IdentityProviderDto> {
    return this.toDto(await this.administration.create(body));
  }

  @Get(':id')
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.identityProviders.read',
    summary: 'Retrieve an identity provider',
    description: 'The secret is not included.',
  })
  @EnvelopedResponse(IdentityProviderDto)
  @ApiErrors(IdentityProviderNotFoundError)
  async get(@Param('id', IdPipe) id: number): Promise<IdentityProviderDto> {
    return this.toDto(await this.store.get(id));
  }

  @Put(':id')
  @NoKeys()
  @Enveloped('messages.updated')
  @ApiOperation({
    operationId: 'admin.identityProviders.update',
    summary: 'Update an identity provider',
    description:
      'Fields that you omit stay unchanged. Mappings apply from the next sign-in of each user. `is_active: false` ' +
      'alone keeps sessions open; `end_sessions: true` ends them.',
  })
  @EnvelopedResponse(IdentityProviderDto)
  @ApiErrors(IdentityProviderNotFoundError, IdentityProviderExistsError, LastLoginMethodError)
  async update(@Param('id', IdPipe) id: number, @Body() body: UpdateIdentityProviderDto): Promise<IdentityProviderDto> {
    return this.toDto(await this.administration.update(id, body));
  }

  @Delete(':id')
  @NoKeys()
  @Enveloped('messages.deleted')
  @ApiOperation({
    operationId: 'admin.identityProviders.remove',
    summary: 'Delete an identity provider',
    description: 'Fails while accounts have identities from the provider, unless you set `force`.',
  })
  @EnvelopedResponse(DeletedIdentityProviderDto)
  @ApiErrors(IdentityProviderNotFoundError, IdentityProviderInUseError, LastLoginMethodError)
  remove(
    @Param('id', IdPipe) id: number,
    @Query() { force = false }: DeleteProviderQueryDto,
  ): Promise<DeletedIdentityProviderDto> {
    return this.administration.remove(id, force);
  }

  @Post(':id/test')
  @NoKeys()
  @HttpCode(HttpStatus.OK)
  @Audited('identity_provider.test', 'identity_provider')
  @ApiOperation({
    operationId: 'admin.identityProviders.test',
    summary: 'Test an identity provider',
    description:
      'Reads its discovery document and keys, compares the clocks, and returns the result of the last ' + 'sign-in.',
  })
  @EnvelopedResponse(IdentityProviderTestDto)
  @ApiErrors(IdentityProviderNotFoundError)
  async test(
    @CurrentContext() { language }: RequestContext,
    @Param('id', IdPipe) id: number,
  ): Promise<IdentityProviderTestDto> {
    return this.trials.test(await this.store.get(id), language);
  }

  private toDto(provider: IdentityProviderEntity): IdentityProviderDto {
    return toIdentityProviderDto(provider, this.address.callbackOf(provider.slug));
  }
}
