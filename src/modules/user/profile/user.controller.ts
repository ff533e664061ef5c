import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Authenticated } from '../../../common/security/access.decorator';
import { CurrentUser } from '../../../common/security/current-user.decorator';
import { Principal } from '../../../common/security/principal';
import { UserDto } from '../account/user.dto';
import { UserService } from '../management/user.service';

@ApiTags('User')
@Authenticated()
@Controller('users')
export class UserController {
  constructor(private readonly users: UserService) {}

  @Get('me')
  @ApiOperation({ summary: 'The current user', description: 'The same as GET /auth/me.' })
  @ApiOkResponse({ type: UserDto })
  me(@CurrentUser() principal: Principal): Promise<UserDto> {
    return this.users.describe(principal.userId);
  }
}
