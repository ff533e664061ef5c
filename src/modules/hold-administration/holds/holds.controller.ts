import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Put, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedPageResponse, EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { type Page } from '../../../common/envelope/page.dto';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { AdminOnly } from '../../../common/security/access.decorator';
import { NoKeys } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { IdPipe } from '../../../common/validation/id.pipe';
import { HoldLimitError, HoldNotFoundError, HoldReleasedError } from '../hold.errors';
import { HoldAdministrationService } from './hold-administration.service';
import { HoldDto, ListHoldsQueryDto, toHoldDto } from './legal-hold.dto';
import { CreateHoldDto, ReleaseHoldDto, UpdateHoldDto } from './legal-hold-body.dto';

@ApiTags('Legal holds')
@AdminOnly()
@NoKeys()
@Enveloped()
@Controller('admin/holds')
export class HoldsController {
  constructor(private readonly holds: HoldAdministrationService) {}

  @Get()
  @ApiOperation({
    operationId: 'admin.holds.list',
    summary: 'List legal holds',
    description: 'Returns active, released and expired holds, newest first.',
  })
  @EnvelopedPageResponse(HoldDto)
  list(@Query() query: ListHoldsQueryDto): Promise<Page<HoldDto>> {
    return this.holds.list(query);
  }

  @Post()
  @Enveloped('messages.hold_created')
  @ApiOperation({
    operationId: 'admin.holds.create',
    summary: 'Create a legal hold',
    description:
      'Keeps all data that exists when this returns until the hold ends, even if a user or a policy deletes it. ' +
      'Deletions still return 200, and owners no longer see what they deleted. A hold on a group covers every user ' +
      'who is a member while it lasts, even after they leave.',
  })
  @EnvelopedResponse(HoldDto, { status: HttpStatus.CREATED })
  @ApiErrors(HoldLimitError)
  create(@CurrentContext() { principal }: RequestContext, @Body() body: CreateHoldDto): Promise<HoldDto> {
    return this.holds.create(principal.userId, body);
  }

  @Get(':id')
  @ApiOperation({
    operationId: 'admin.holds.read',
    summary: 'Retrieve a legal hold',
    description: 'Includes what the hold covered when it was created.',
  })
  @EnvelopedResponse(HoldDto)
  @ApiErrors(HoldNotFoundError)
  async get(@Param('id', IdPipe) id: number): Promise<HoldDto> {
    return toHoldDto(await this.holds.get(id));
  }

  @Put(':id')
  @Enveloped('messages.hold_updated')
  @ApiOperation({
    operationId: 'admin.holds.update',
    summary: 'Update a legal hold',
    description: 'Changes the name, the reason or the end. The scope and the notification cannot change.',
  })
  @EnvelopedResponse(HoldDto)
  @ApiErrors(HoldNotFoundError, HoldReleasedError)
  update(@Param('id', IdPipe) id: number, @Body() body: UpdateHoldDto): Promise<HoldDto> {
    return this.holds.update(id, body);
  }

  @Post(':id/release')
  @HttpCode(HttpStatus.OK)
  @Enveloped('messages.hold_released')
  @ApiOperation({
    operationId: 'admin.holds.release',
    summary: 'Release a legal hold',
    description:
      'The next sweep erases data whose deletion the hold delayed, unless another hold covers it. Other data stays.',
  })
  @EnvelopedResponse(HoldDto)
  @ApiErrors(HoldNotFoundError, HoldReleasedError)
  release(
    @CurrentContext() { principal }: RequestContext,
    @Param('id', IdPipe) id: number,
    @Body() { reason }: ReleaseHoldDto,
  ): Promise<HoldDto> {
    return this.holds.release(id, principal.userId, reason);
  }
}
