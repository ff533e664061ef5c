import { Body, Controller, Delete, Get, Header, HttpCode, HttpStatus, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { acknowledge, AcknowledgementDto } from '../../../common/envelope/acknowledgement.dto';
import { ListQueryDto } from '../../../common/envelope/list-query.dto';
import { setTotalCount, TOTAL_COUNT } from '../../../common/envelope/total-count';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { CONSOLE_PAGE } from '../../../common/redirects/return-addresses';
import { Authenticated } from '../../../common/security/access.decorator';
import { NoKeys } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { IdPipe } from '../../../common/validation/id.pipe';
import { AccountLockedError, DeviceCookie, InvalidCodeError, InvalidCredentialsError } from '../../auth/auth.api';
import { IdentityDto } from '../identities/identity.dto';
import {
  IdentityNotFoundError,
  IdentityProviderError,
  IdentityProviderNotFoundError,
  LastLoginMethodError,
} from '../identity.errors';
import { ReturnPages } from '../sign-in/return-pages';
import { SignInStart } from '../sign-in/sign-in-start';
import { StartedIdentityDto, StartIdentityDto } from './identity-start.dto';
import { OwnIdentitiesService } from './own-identities.service';

@ApiTags('Account')
@Authenticated()
@NoKeys()
@Controller('user/identities')
export class OwnIdentitiesController {
  constructor(
    private readonly identities: OwnIdentitiesService,
    private readonly returnPages: ReturnPages,
    private readonly starts: SignInStart,
    private readonly devices: DeviceCookie,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'identities.list',
    summary: 'List linked identities',
    description: 'Returns identities in the order in which they were linked.',
  })
  @ApiOkResponse({ type: [IdentityDto], headers: TOTAL_COUNT })
  async list(
    @CurrentContext() { principal }: RequestContext,
    @Query() query: ListQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<IdentityDto[]> {
    return setTotalCount(response, await this.identities.list(principal.userId, query));
  }

  @Post('start')
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'identities.start',
    summary: 'Link an identity',
    description:
      'Open `authorization_url` in the browser; it returns to `return_to` with a `login_code` for ' +
      '`POST /auth/oidc/exchange`. Within ten minutes of a sign-in, no password or code is needed.',
  })
  @ApiOkResponse({ type: StartedIdentityDto })
  @ApiErrors(
    IdentityProviderNotFoundError,
    IdentityProviderError,
    InvalidCredentialsError,
    AccountLockedError,
    InvalidCodeError,
  )
  async start(
    @CurrentContext() context: RequestContext,
    @Body() body: StartIdentityDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StartedIdentityDto> {
    const { slug, code_challenge: codeChallenge, return_to: returnTo = CONSOLE_PAGE } = body;
    this.returnPages.assertField(returnTo);
    await this.identities.prove(this.devices.describe(context, response.req), body);
    const { userId, sessionId: linkingSession } = context.principal;
    const request = { slug, returnTo, codeChallenge, userId, linkingSession };
    return { authorization_url: await this.starts.begin(response, context, request) };
  }

  @Delete(':id')
  @ApiOperation({
    operationId: 'identities.unlink',
    summary: 'Unlink an identity',
    description: 'Ends the sessions that were started with the identity. The last way to sign in cannot be removed.',
  })
  @ApiOkResponse({ type: AcknowledgementDto })
  @ApiErrors(IdentityNotFoundError, LastLoginMethodError)
  async unlink(
    @CurrentContext() { principal, language }: RequestContext,
    @Param('id', IdPipe) id: number,
  ): Promise<AcknowledgementDto> {
    await this.identities.unlink(principal.userId, id);
    return acknowledge(language, 'identity_unlinked');
  }
}
