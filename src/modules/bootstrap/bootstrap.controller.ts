import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Authenticated } from '../../common/security/access.decorator';
import { NoKeys } from '../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../common/security/request-context';
import { BootstrapDto } from './bootstrap.dto';
import { BootstrapService } from './bootstrap.service';

@ApiTags('User')
@Authenticated()
@NoKeys()
@Controller('bootstrap')
export class BootstrapController {
  constructor(private readonly service: BootstrapService) {}

  @Get()
  @ApiOperation({
    operationId: 'bootstrap.read',
    summary: 'Load a page',
    description:
      'Everything that a page needs when it is loaded: account, quota, budgets, branding, agents, conversations, waiting actions and a ' +
      'ticket for GET /events. Administrators also get what needs attention. Counts as one request. API keys cannot call it: their ' +
      'scopes are those of the single routes.',
  })
  @ApiOkResponse({ type: BootstrapDto })
  read(@CurrentContext() { principal }: RequestContext): Promise<BootstrapDto> {
    return this.service.of(principal);
  }
}
