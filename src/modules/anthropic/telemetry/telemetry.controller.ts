import { Controller, Get, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { DiscardsBody } from '../../../common/http/body/body-rules.decorator';
import { counter } from '../../../common/metrics/metrics';
import { CountedAs } from '../../../common/rate-limit/counted-as.decorator';
import { NotRateLimited } from '../../../common/rate-limit/not-rate-limited.decorator';
import { Authenticated, Public } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { ANTHROPIC_PREFIX } from '../anthropic-prefix';

/** The largest body, in bytes. */
const LARGEST = 4 * 1_048_576;

type Signal = 'metrics' | 'logs' | 'traces';

/** What client programs send about themselves. Claude Code checks the connection, and exports telemetry (OTLP). */
@ApiExcludeController()
@Authenticated()
@KeyScope('anthropic')
@Controller(ANTHROPIC_PREFIX)
export class TelemetryController {
  private readonly discarded = counter('anthropic_telemetry_total', 'Telemetry of clients that was discarded unread', [
    'signal',
  ]);

  @Public()
  @NotRateLimited()
  @Get('api/hello')
  hello(): void {
    // The client only checks that the service responds.
  }

  @Post('v1/metrics')
  @HttpCode(HttpStatus.OK)
  @CountedAs('telemetry')
  @DiscardsBody(LARGEST)
  metrics(): object {
    return this.discard('metrics');
  }

  @Post('v1/logs')
  @HttpCode(HttpStatus.OK)
  @CountedAs('telemetry')
  @DiscardsBody(LARGEST)
  logs(): object {
    return this.discard('logs');
  }

  @Post('v1/traces')
  @HttpCode(HttpStatus.OK)
  @CountedAs('telemetry')
  @DiscardsBody(LARGEST)
  traces(): object {
    return this.discard('traces');
  }

  private discard(signal: Signal): object {
    this.discarded.inc({ signal });
    return {};
  }
}
