import { Global } from '@nestjs/common';
import { Feature } from '../features/feature.decorator';
import { openTelemetry } from './open-telemetry';
import { Tracing } from './tracing';
import { TracingConfig } from './tracing.config';

/**
 * Traces for OpenTelemetry. `Tracing` is what other parts use, `conventions.ts` has the names of attributes,
 * `request-span.middleware.ts` the spans of requests.
 */
@Global()
@Feature({
  configuration: [TracingConfig],
  providers: [
    {
      provide: Tracing,
      inject: [TracingConfig],
      useFactory: (config: TracingConfig) => new Tracing(config, config.isOn ? openTelemetry(config) : null),
    },
  ],
  exports: [Tracing],
})
export class TracingModule {}
