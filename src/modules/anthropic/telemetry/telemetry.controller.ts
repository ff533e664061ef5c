import { Controller, Get, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { DiscardsBody } from '../../../common/http/body/body-rules.decorator';
import { CountedAs } from '../../../common/rate-limit/counted-as.decorator';
import { NotRateLimited } from '../../../common/rate-limit/not-rate-limited.decorator';
import { Authenticated, Public } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { ANTHROPIC_PREFIX } from '../anthropic-prefix';

/** The largest body, in bytes. */
const LARGEST = 4 * 1_048_576;

/** What client programs send about themselves: Claude Code checks the connection, and exports telemetry (OTLP). */
@ApiExcludeController()
@Authenticated()
@KeyScope('anthropic')
@Controller(ANTHROPIC_PREFIX)
export class TelemetryController {
  @Public()
  @NotRateLimited()
  @Get('api/hello')
  hello(): void {
    // The client only checks that the service responds.
  }

  /** The metrics of HTTP count the requests. */
  @Post(['v1/metrics', 'v1/logs', 'v1/traces'])
  @HttpCode(HttpStatus.OK)
  @CountedAs('telemetry')
  @DiscardsBody(LARGEST)
  discard(): object {
    return {};
  }
}
