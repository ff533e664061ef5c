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

@ApiTags('Admin: users')
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
  @Enveloped('messages.invitation_created')
  @ApiOperation({
    operationId: 'admin.invitations.create',
    summary: 'Invite somebody by a link',
    description:
      'One account is made with it, also while registration is switched off, and for every domain. The person still proves ' +
      'the address with a code. Where `password_login` is not `everyone`, it opens nothing. The answer alone has the link.',
  })
  @ApiBody({ type: CreateInvitationDto, required: false })
  @EnvelopedResponse(NewInvitationDto, { status: HttpStatus.CREATED })
  async create(
    @CurrentContext() { principal }: RequestContext,
    @Body() body: CreateInvitationDto,
    @Req() request: Request,
  ): Promise<NewInvitationDto> {
    const { invitation, token } = await this.invitations.create(principal.userId, body);
    return { ...invitation, url: `${ownAddress(this.config, request)}/console/register?invitation=${token}`, token };
  }

  @Get()
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.invitations.list',
    summary: 'Invitations',
    description: 'Those that can still be used, the newest first, without their secrets.',
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
    summary: 'Take an invitation back',
    description: 'Nobody registers with it any more.',
  })
  @EnvelopedResponse(DeletedInvitationDto)
  @ApiErrors(InvitationNotFoundError)
  async remove(@Param('id', IdPipe) id: number): Promise<DeletedInvitationDto> {
    await this.invitations.remove(id);
    return { id };
  }
}
