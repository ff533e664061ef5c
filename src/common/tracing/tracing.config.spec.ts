import { loadConfiguration } from '../../config/load-configuration';
import { TracingConfig } from './tracing.config';

const GLOBAL = Symbol.for('opentelemetry.js.api.1');

function configOf(environment: Record<string, string>): TracingConfig {
  return loadConfiguration([TracingConfig], environment).get(TracingConfig) as TracingConfig;
}

describe('the settings of traces', () => {
  afterEach(() => void Reflect.deleteProperty(globalThis, GLOBAL));

  it('turn them on with an endpoint only', () => {
    expect(configOf({}).isOn).toBe(false);
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' };
    expect(configOf(endpoint)).toMatchObject({ isOn: true, endpoint: 'http://collector:4318/v1/traces' });
    expect(configOf({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }).isOn).toBe(false);
    expect(configOf({ ...endpoint, OTEL_SDK_DISABLED: 'true' }).isOn).toBe(false);
    const own = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://x.example.com/api/public/otel/v1/traces' };
    expect(configOf({ ...endpoint, ...own }).endpoint).toBe(own.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
  });

  it('read pairs, and prefer those for traces', () => {
    const { headers } = configOf({
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20abc=, x = 1',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x=2',
    });
    expect(headers).toEqual({ authorization: 'Basic abc=', x: '2' });
  });

  it.each<[string, string, string]>([
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'must be http/protobuf or http/json'],
    ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'grpc', 'must be http/protobuf or http/json'],
    ['OTEL_TRACES_EXPORTER', 'console', 'must be otlp or none'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote', 'must be one of always_on'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5', 'must be a number from 0 to 1'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317', 'must be an http or https address'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'ftp://collector', 'must be an http or https address'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'nonsense', 'must be pairs'],
    ['OTEL_BSP_MAX_EXPORT_BATCH_SIZE', '4096', 'must not be larger than'],
    ['TRACE_URL', 'https://tempo.example.com/', 'must be an http or https address that contains {trace_id}'],
    ['TRACE_CONTEXT', 'maybe', 'must be parent, link or off'],
  ])('refuse %s=%s', (name, value, fault) => {
    expect(() => configOf({ [name]: value })).toThrow(`${name} ${fault}`);
  });

  it('leave those of the exporter to a preloaded provider', () => {
    Object.assign(globalThis, { [GLOBAL]: { version: '1.10.0', trace: {} } });
    expect(configOf({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }).isOn).toBe(true);
    expect(configOf({ OTEL_SDK_DISABLED: 'true' }).isOn).toBe(false);
  });
});
