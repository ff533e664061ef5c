import { Body, Controller, Delete, Get, Param, Post, Query, StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { csvContent } from '../../../common/csv/csv';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedPageResponse, EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { Page } from '../../../common/envelope/page.dto';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { AdminOnly } from '../../../common/security/access.decorator';
import { NoKeys } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { IdPipe } from '../../../common/validation/id.pipe';
import { UserNotFoundError } from '../../user/user.api';
import { ApiKeyWithTextDto } from '../keys/api-key.dto';
import { ApiKeyNotFoundError, NotServiceAccountError, TooManyApiKeysError } from '../keys/api-key.errors';
import {
  ADMIN_API_KEY_FIELDS,
  AdminApiKeyDto,
  CreateServiceKeyDto,
  ListApiKeysQueryDto,
  RevokedApiKeyDto,
} from './admin-api-key.dto';
import { ApiKeyAdministrationService } from './api-key-administration.service';

const CSV = csvContent(ADMIN_API_KEY_FIELDS);

@ApiTags('API keys')
@AdminOnly()
@NoKeys()
@Enveloped()
@Controller('admin')
export class AdminApiKeysController {
  constructor(private readonly keys: ApiKeyAdministrationService) {}

  @Get('api-keys')
  @ApiOperation({
    operationId: 'admin.apiKeys.list',
    summary: 'List API keys of all users',
    description: 'Returns the newest first, including those revoked in the last 90 days.',
  })
  @EnvelopedPageResponse(AdminApiKeyDto, { otherContent: CSV })
  list(@Query() query: ListApiKeysQueryDto): Promise<Page<AdminApiKeyDto> | StreamableFile> {
    return this.keys.find(query);
  }

  @Post('users/:id/api-keys')
  @Enveloped('messages.api_key_created')
  @ApiOperation({
    operationId: 'admin.users.createApiKey',
    summary: 'Create an API key for a service account',
    description:
      'The key is returned only once. The account must have `user_type: service`. A key with the scope `scim` ' +
      'belongs to the directory of the identity provider in `identity_provider_id`.',
  })
  @EnvelopedResponse(ApiKeyWithTextDto, { status: 201 })
  @ApiErrors(UserNotFoundError, NotServiceAccountError, TooManyApiKeysError)
  create(
    @CurrentContext() { principal }: RequestContext,
    @Param('id', IdPipe) id: number,
    @Body() body: CreateServiceKeyDto,
  ): Promise<ApiKeyWithTextDto> {
    return this.keys.create(principal.userId, id, body);
  }

  @Delete('api-keys/:id')
  @Enveloped('messages.api_key_revoked')
  @ApiOperation({
    operationId: 'admin.apiKeys.revoke',
    summary: 'Revoke an API key of any user',
    description: 'The key stops working at once, on every instance.',
  })
  @EnvelopedResponse(RevokedApiKeyDto)
  @ApiErrors(ApiKeyNotFoundError)
  revoke(@CurrentContext() { principal }: RequestContext, @Param('id', IdPipe) id: number): Promise<RevokedApiKeyDto> {
    return this.keys.revoke(principal.userId, id);
  }
}
