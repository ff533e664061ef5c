import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Put, Query, Res } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AuditEverybody } from '../../../common/audit/audited.decorator';
import { acknowledge, AcknowledgementDto } from '../../../common/envelope/acknowledgement.dto';
import { ListQueryDto } from '../../../common/envelope/list-query.dto';
import { setTotalCount, TOTAL_COUNT } from '../../../common/envelope/total-count';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope, NoKeys } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { IdPipe } from '../../../common/validation/id.pipe';
import { ApiKeyDto, ApiKeyWithTextDto } from '../keys/api-key.dto';
import { ApiKeyNotFoundError, TooManyApiKeysError } from '../keys/api-key.errors';
import { ApiKeyService } from '../keys/api-key.service';
import { CreateApiKeyDto, RotateApiKeyDto, UpdateApiKeyDto } from './api-key-body.dto';
import { KeyDayDto } from './key-usage.dto';

@ApiTags('API keys')
@Authenticated()
@NoKeys()
@AuditEverybody()
@Controller('user/api-keys')
export class ApiKeysController {
  constructor(private readonly keys: ApiKeyService) {}

  @Post()
  @ApiOperation({
    operationId: 'apiKeys.create',
    summary: 'Create an API key',
    description:
      'The key is returned only once; programs send it as `Authorization: Bearer <key>`. Each user can have ' +
      '50 keys and change keys 1,000 times per day.',
  })
  @ApiCreatedResponse({ type: ApiKeyWithTextDto })
  @ApiErrors(TooManyApiKeysError)
  create(@CurrentContext() { principal }: RequestContext, @Body() body: CreateApiKeyDto): Promise<ApiKeyWithTextDto> {
    return this.keys.create(principal.userId, body);
  }

  @Get()
  @ApiOperation({
    operationId: 'apiKeys.list',
    summary: 'List your API keys',
    description: 'Returns the newest first, without revoked keys.',
  })
  @ApiOkResponse({ type: [ApiKeyDto], headers: TOTAL_COUNT })
  async list(
    @CurrentContext() { principal }: RequestContext,
    @Query() query: ListQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ApiKeyDto[]> {
    return setTotalCount(response, await this.keys.list(principal.userId, query));
  }

  @Put(':id')
  @ApiOperation({
    operationId: 'apiKeys.update',
    summary: 'Update an API key',
    description: 'Takes effect with the next request that uses the key.',
  })
  @ApiOkResponse({ type: ApiKeyDto })
  @ApiErrors(ApiKeyNotFoundError)
  update(
    @CurrentContext() { principal }: RequestContext,
    @Param('id', IdPipe) id: number,
    @Body() body: UpdateApiKeyDto,
  ): Promise<ApiKeyDto> {
    return this.keys.update(principal.userId, id, body);
  }

  @Post(':id/rotate')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'apiKeys.rotate',
    summary: 'Rotate an API key',
    description:
      'The new key is returned only once. The current key works for another `grace_hours`, earlier ones stop ' +
      'at once, and an event stream ends with the key that opened it. Name, scopes, limits, expiry and usage ' +
      'stay the same.',
  })
  @ApiBody({ type: RotateApiKeyDto, required: false })
  @ApiOkResponse({ type: ApiKeyWithTextDto })
  @ApiErrors(ApiKeyNotFoundError)
  rotate(
    @CurrentContext() { principal }: RequestContext,
    @Param('id', IdPipe) id: number,
    @Body() body: RotateApiKeyDto,
  ): Promise<ApiKeyWithTextDto> {
    return this.keys.rotate(principal.userId, id, body.grace_hours);
  }

  @Get(':id/usage')
  @KeyScope('usage:read')
  @ApiOperation({
    operationId: 'apiKeys.usage',
    summary: 'Retrieve the usage of an API key',
    description: 'Returns the last 30 UTC days in ascending order; the last one is today.',
  })
  @ApiOkResponse({ type: [KeyDayDto] })
  @ApiErrors(ApiKeyNotFoundError)
  usage(@CurrentContext() { principal }: RequestContext, @Param('id', IdPipe) id: number): Promise<KeyDayDto[]> {
    return this.keys.usageOf(principal.userId, id);
  }

  @Delete(':id')
  @ApiOperation({
    operationId: 'apiKeys.revoke',
    summary: 'Revoke an API key',
    description: 'The key stops working at once, on every instance, as does the previous key after a rotation.',
  })
  @ApiOkResponse({ type: AcknowledgementDto })
  @ApiErrors(ApiKeyNotFoundError)
  async revoke(
    @CurrentContext() { principal, language }: RequestContext,
    @Param('id', IdPipe) id: number,
  ): Promise<AcknowledgementDto> {
    await this.keys.revoke(principal.userId, id);
    return acknowledge(language, 'api_key_revoked');
  }
}
