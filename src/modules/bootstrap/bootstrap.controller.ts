import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Authenticated } from '../../common/security/access.decorator';
import { NoKeys } from '../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../common/security/request-context';
import { BootstrapDto } from './bootstrap.dto';
import { BootstrapService } from './bootstrap.service';

@ApiTags('Account')
@Authenticated()
@NoKeys()
@Controller('bootstrap')
export class BootstrapController {
  constructor(private readonly service: BootstrapService) {}

  @Get()
  @ApiOperation({
    operationId: 'bootstrap.read',
    summary: 'Retrieve page data',
    description:
      'Returns what a page needs when it loads: account, quota, budgets, branding, agents, conversations, ' +
      'pending actions and a ticket for `GET /events`; administrators also receive open problems. Counts as ' +
      'one request. API keys cannot call this route; use the individual routes.',
  })
  @ApiOkResponse({ type: BootstrapDto })
  read(@CurrentContext() context: RequestContext): Promise<BootstrapDto> {
    return this.service.of(context);
  }
}
