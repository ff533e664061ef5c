import { Body, Controller, Get, HttpStatus, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AuditEverybody } from '../../../common/audit/audited.decorator';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { NotRateLimited } from '../../../common/rate-limit/not-rate-limited.decorator';
import { Public } from '../../../common/security/access.decorator';
import { NoKeys } from '../../../common/security/key-scope.decorator';
import { CurrentContext, PublicRequestContext } from '../../../common/security/request-context';
import { EmailAlreadyRegisteredError, UsernameTakenError } from '../../user/user.api';
import { BrowserSessions } from '../tokens/browser-sessions';
import { ApiTokens, CookieSessionDto, TokenPairDto } from '../tokens/token.dto';
import { SameOriginRequiredError } from '../tokens/token.errors';
import { AdministratorSetup } from './administrator-setup';
import { CreateAdministratorDto, SetupStatusDto } from './setup.dto';
import { SetupCompleteError, SetupNotAllowedError } from './setup.errors';

@ApiTags('Sign-in')
@Public()
@NoKeys()
@Controller('setup')
export class SetupController {
  constructor(
    private readonly setup: AdministratorSetup,
    private readonly browserSessions: BrowserSessions,
  ) {}

  @Get()
  @NotRateLimited()
  @ApiOperation({
    operationId: 'setup.status',
    summary: 'Retrieve the setup status',
    description: 'Returns whether an administrator exists. Until then, the console offers to create the first one.',
  })
  @ApiOkResponse({ type: SetupStatusDto })
  status(@Req() request: Request): Promise<SetupStatusDto> {
    return this.setup.status(request);
  }

  @Post('administrator')
  @AuditEverybody()
  @ApiOperation({
    operationId: 'setup.createAdministrator',
    summary: 'Create the first administrator',
    description:
      'Creates the account and signs in. Works once, on the machine of the service or with the token from the ' +
      'link in its log.',
  })
  @ApiTokens(HttpStatus.CREATED)
  @ApiErrors(
    SetupNotAllowedError,
    SameOriginRequiredError,
    SetupCompleteError,
    EmailAlreadyRegisteredError,
    UsernameTakenError,
  )
  createAdministrator(
    @Req() request: Request,
    @CurrentContext() context: PublicRequestContext,
    @Body() body: CreateAdministratorDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TokenPairDto | CookieSessionDto> {
    return this.browserSessions.signIn(response, context, body, (client) => this.setup.create(request, client, body));
  }
}
