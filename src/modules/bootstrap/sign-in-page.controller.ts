import { Controller, Get, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { NotRateLimited } from '../../common/rate-limit/not-rate-limited.decorator';
import { Public } from '../../common/security/access.decorator';
import { NoKeys } from '../../common/security/key-scope.decorator';
import { SignInPageDto } from './bootstrap.dto';
import { BootstrapService } from './bootstrap.service';

@ApiTags('Sign-in')
@Public()
@NoKeys()
@Controller('bootstrap/sign-in')
export class SignInPageController {
  constructor(private readonly service: BootstrapService) {}

  @Get()
  @NotRateLimited()
  @ApiOperation({
    operationId: 'bootstrap.signIn',
    summary: 'Retrieve sign-in page data',
    description:
      'Returns the branding, the sign-in methods, and whether the installation still needs its first ' +
      'administrator.',
  })
  @ApiOkResponse({ type: SignInPageDto })
  read(@Req() request: Request): Promise<SignInPageDto> {
    return this.service.signInPage(request);
  }
}
