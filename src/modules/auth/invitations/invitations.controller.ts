import { Body, Controller, Delete, Get, HttpStatus, Param, Post, Query, Req } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedPageResponse, EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { type Page, PageQueryDto } from '../../../common/envelope/page.dto';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { ownAddress } from '../../../common/http/own-address';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { IdPipe } from '../../../common/validation/id.pipe';
import { AppConfig } from '../../../config/app.config';
import { CreateInvitationDto, DeletedInvitationDto, InvitationDto, NewInvitationDto } from './invitation.dto';
import { InvitationNotFoundError } from './invitation.errors';
import { InvitationsService } from './invitations.service';

@ApiTags('People')
@AdminOnly()
@Enveloped()
@Controller('admin/invitations')
export class InvitationsController {
  constructor(
    private readonly invitations: InvitationsService,
    private readonly config: AppConfig,
  ) {}

  @Post()
  @KeyScope('admin:write')
  @Enveloped(({ sent }: NewInvitationDto) => (sent ? 'messages.invitation_sent' : 'messages.invitation_created'))
  @ApiOperation({
    operationId: 'admin.invitations.create',
    summary: 'Create an invitation',
    description:
      'The link creates one account, even if registration is closed or limited to other domains, and is ' +
      'returned only once; with `send`, it is also sent to `email`. The person still verifies the address with a ' +
      'code. If `password_login` is not `everyone`, the invitation has no effect.',
  })
  @ApiBody({ type: CreateInvitationDto, required: false })
  @EnvelopedResponse(NewInvitationDto, { status: HttpStatus.CREATED })
  async create(
    @CurrentContext() context: RequestContext,
    @Body() body: CreateInvitationDto,
    @Req() request: Request,
  ): Promise<NewInvitationDto> {
    return this.invitations.create(context, body, `${ownAddress(this.config, request)}/console/register`);
  }

  @Get()
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.invitations.list',
    summary: 'List invitations',
    description: 'Returns the invitations that can still be used, newest first, without their secrets.',
  })
  @EnvelopedPageResponse(InvitationDto)
  list(@Query() query: PageQueryDto): Promise<Page<InvitationDto>> {
    return this.invitations.list(query);
  }

  @Delete(':id')
  @KeyScope('admin:write')
  @Enveloped('messages.invitation_deleted')
  @ApiOperation({
    operationId: 'admin.invitations.remove',
    summary: 'Revoke an invitation',
    description: 'The link can no longer be used to register.',
  })
  @EnvelopedResponse(DeletedInvitationDto)
  @ApiErrors(InvitationNotFoundError)
  async remove(@Param('id', IdPipe) id: number): Promise<DeletedInvitationDto> {
    await this.invitations.remove(id);
    return { id };
  }
}
