import { applyDecorators } from '@nestjs/common';
import { IsIn, IsNumber, IsString, Max, Min, ValidateIf } from 'class-validator';
import { addressFault } from '../../config/address';
import { NumberFrom, Rule, Switch, WholeNumber } from '../../config/environment-rules';
import { preloadedTracers } from './preloaded-tracers';

export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

const ENDPOINT = {
  schemes: ['http', 'https'],
  description: 'an http or https address such as http://collector:4318 (traces are not sent by gRPC)',
  takesPassword: true,
  path: /^\//,
};

/** A rule of a variable that only the service's own exporter reads. A preloaded provider may need other values. */
const OfExporter = (...rules: PropertyDecorator[]): PropertyDecorator =>
  applyDecorators(
    ...rules,
    ValidateIf(({ usesOwnExporter }: TracingConfig) => usesOwnExporter),
  );

const Endpoint = (name: 'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'): PropertyDecorator =>
  OfExporter(
    Rule<TracingConfig>(
      ({ [name]: address }) => address === null || addressFault(address, ENDPOINT) === null,
      `${name} must be ${ENDPOINT.description}`,
    ),
  );

const Protocol = (): PropertyDecorator =>
  OfExporter(IsIn(['http/protobuf', 'http/json', null], { message: '$property must be http/protobuf or http/json' }));

const Compression = (): PropertyDecorator =>
  OfExporter(IsIn(['gzip', 'none', null], { message: '$property must be gzip or none' }));

const Pairs = (
  name: 'OTEL_EXPORTER_OTLP_HEADERS' | 'OTEL_EXPORTER_OTLP_TRACES_HEADERS' | 'OTEL_RESOURCE_ATTRIBUTES',
): PropertyDecorator =>
  OfExporter(
    Rule<TracingConfig>(
      (config) => keyValuePairs(config[name]) !== null,
      `${name} must be pairs such as name=value, separated by commas and percent-encoded`,
    ),
  );

const Milliseconds = (least: number): PropertyDecorator => OfExporter(WholeNumber(least, 3_600_000));

const OptionalText = (): PropertyDecorator =>
  applyDecorators(
    IsString(),
    ValidateIf((_config, value) => value !== null),
  );

/** Traces. The variables have the meaning that OpenTelemetry gives them, and four are the service's own. */
export class TracingConfig {
  /** The address of an OTLP receiver, to which `/v1/traces` is appended. Default: no traces. */
  @Endpoint('OTEL_EXPORTER_OTLP_ENDPOINT')
  OTEL_EXPORTER_OTLP_ENDPOINT: string | null = null;

  /** The whole address for traces. */
  @Endpoint('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: string | null = null;

  @Protocol()
  OTEL_EXPORTER_OTLP_PROTOCOL: string | null = null;

  @Protocol()
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: string | null = null;

  @Pairs('OTEL_EXPORTER_OTLP_HEADERS')
  OTEL_EXPORTER_OTLP_HEADERS: string | null = null;

  @Pairs('OTEL_EXPORTER_OTLP_TRACES_HEADERS')
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: string | null = null;

  @Milliseconds(1)
  OTEL_EXPORTER_OTLP_TIMEOUT = 10_000;

  /** Default: OTEL_EXPORTER_OTLP_TIMEOUT. */
  @OfExporter(
    Rule<TracingConfig>(
      (config) => config.hasValidTimeout,
      'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT must be a whole number from 1 to 3600000',
    ),
  )
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: string | null = null;

  @Compression()
  OTEL_EXPORTER_OTLP_COMPRESSION: string | null = null;

  @Compression()
  OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: string | null = null;

  /** A file with the certificate of the receiver. */
  @OptionalText()
  OTEL_EXPORTER_OTLP_CERTIFICATE: string | null = null;

  @OptionalText()
  OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE: string | null = null;

  @IsString()
  OTEL_SERVICE_NAME = 'chat-service';

  @Pairs('OTEL_RESOURCE_ATTRIBUTES')
  OTEL_RESOURCE_ATTRIBUTES: string | null = null;

  @OfExporter(IsIn(SAMPLERS, { message: `$property must be one of ${SAMPLERS.join(', ')}` }))
  OTEL_TRACES_SAMPLER: (typeof SAMPLERS)[number] = 'parentbased_always_on';

  /** The sampled share of traces, from 0 to 1, for samplers with a ratio. */
  @OfExporter(
    NumberFrom(/^(0|1)?(\.\d+)?$/),
    IsNumber({}, { message: '$property must be a number from 0 to 1' }),
    Min(0, { message: '$property must be a number from 0 to 1' }),
    Max(1, { message: '$property must be a number from 0 to 1' }),
  )
  OTEL_TRACES_SAMPLER_ARG = 1;

  @Milliseconds(0)
  OTEL_BSP_SCHEDULE_DELAY = 5_000;

  @Milliseconds(1)
  OTEL_BSP_EXPORT_TIMEOUT = 30_000;

  @OfExporter(WholeNumber(1, 1_000_000))
  OTEL_BSP_MAX_QUEUE_SIZE = 2_048;

  @OfExporter(
    WholeNumber(1, 1_000_000),
    Rule<TracingConfig>(
      ({ OTEL_BSP_MAX_EXPORT_BATCH_SIZE: batch, OTEL_BSP_MAX_QUEUE_SIZE: queue }) => !(batch > queue),
      'OTEL_BSP_MAX_EXPORT_BATCH_SIZE must not be larger than OTEL_BSP_MAX_QUEUE_SIZE',
    ),
  )
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE = 512;

  /** Characters after which text attributes are cut. Default: no limit, except for content. */
  @OfExporter(
    Rule<TracingConfig>(
      ({ OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT: limit }) => limit === null || /^\d{1,9}$/.test(limit),
      'OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT must be a whole number',
    ),
  )
  OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT: string | null = null;

  @OfExporter(IsIn(['otlp', 'none'], { message: '$property must be otlp or none' }))
  OTEL_TRACES_EXPORTER = 'otlp';

  @Switch()
  OTEL_SDK_DISABLED = false;

  /** Whether spans contain the texts that the model saw: `true` or `span_only`. */
  @IsIn(['true', 'span_only', 'false'], { message: '$property must be true, span_only or false' })
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT = 'false';

  /** Has no effect: the service never used older names. */
  @OptionalText()
  OTEL_SEMCONV_STABILITY_OPT_IN: string | null = null;

  /** Whether a request continues the trace of its `traceparent`, links to it, or ignores it. */
  @IsIn(['parent', 'link', 'off'], { message: '$property must be parent, link or off' })
  TRACE_CONTEXT: 'parent' | 'link' | 'off' = 'parent';

  /** Whether spans name the account. */
  @IsIn(['id', 'none'], { message: '$property must be id or none' })
  TRACE_USER: 'id' | 'none' = 'id';

  /** The address of a trace for administrators, with `{trace_id}`. Default: none. */
  @Rule<TracingConfig>(
    ({ TRACE_URL }) => TRACE_URL === null || /^https?:\/\/[^\s{]+\{trace_id\}\S*$/.test(TRACE_URL),
    'TRACE_URL must be an http or https address that contains {trace_id}',
  )
  TRACE_URL: string | null = null;

  /** Adds a span for each statement of the database. */
  @Switch()
  TRACE_DATABASE = false;

  get usesOwnExporter(): boolean {
    return !this.OTEL_SDK_DISABLED && preloadedTracers() === null;
  }

  /** The whole address for traces. Null: none. */
  get endpoint(): string | null {
    const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own, OTEL_EXPORTER_OTLP_ENDPOINT: shared } = this;
    return own ?? (shared === null ? null : `${shared.replace(/\/$/, '')}/v1/traces`);
  }

  get isOn(): boolean {
    if (this.OTEL_SDK_DISABLED) {
      return false;
    }
    return preloadedTracers() !== null || (this.endpoint !== null && this.OTEL_TRACES_EXPORTER === 'otlp');
  }

  get isJson(): boolean {
    return (this.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? this.OTEL_EXPORTER_OTLP_PROTOCOL) === 'http/json';
  }

  get isCompressed(): boolean {
    return (this.OTEL_EXPORTER_OTLP_TRACES_COMPRESSION ?? this.OTEL_EXPORTER_OTLP_COMPRESSION) === 'gzip';
  }

  get headers(): Record<string, string> {
    return {
      ...keyValuePairs(this.OTEL_EXPORTER_OTLP_HEADERS),
      ...keyValuePairs(this.OTEL_EXPORTER_OTLP_TRACES_HEADERS),
    };
  }

  get resourceAttributes(): Record<string, string> {
    return keyValuePairs(this.OTEL_RESOURCE_ATTRIBUTES) ?? {};
  }

  get timeoutMilliseconds(): number {
    return Number(this.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT ?? this.OTEL_EXPORTER_OTLP_TIMEOUT);
  }

  get hasValidTimeout(): boolean {
    const own = this.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT;
    return own === null || (/^\d{1,7}$/.test(own) && Number(own) >= 1 && Number(own) <= 3_600_000);
  }

  get certificate(): string | null {
    return this.OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE ?? this.OTEL_EXPORTER_OTLP_CERTIFICATE;
  }

  get capturesContent(): boolean {
    return this.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT !== 'false';
  }
}

/** Pairs in the form of OpenTelemetry's variables. Null: malformed. */
function keyValuePairs(text: string | null): Record<string, string> | null {
  const pairs: Record<string, string> = {};
  for (const part of (text ?? '').split(',').filter((each) => each.trim() !== '')) {
    const [, name, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/s.exec(part) ?? [];
    if (name === undefined || value === undefined) {
      return null;
    }
    try {
      pairs[decodeURIComponent(name)] = decodeURIComponent(value);
    } catch {
      return null;
    }
  }
  return pairs;
}
