import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Authenticated } from '../../../common/security/access.decorator';
import { NoKeys } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { UserDto } from '../account/user.dto';
import { UserService } from '../management/user.service';

@ApiTags('Account')
@Authenticated()
@NoKeys()
@Controller('users')
export class UserController {
  constructor(private readonly users: UserService) {}

  @Get('me')
  @ApiOperation({ operationId: 'users.me', summary: 'Retrieve your account', description: 'Same as `GET /auth/me`.' })
  @ApiOkResponse({ type: UserDto })
  me(@CurrentContext() { principal }: RequestContext): Promise<UserDto> {
    return this.users.describe(principal.userId);
  }
}
