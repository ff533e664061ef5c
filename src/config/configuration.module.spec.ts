import { unknownVariables, unknownVariablesWarning } from './configuration.module';

const KNOWN = ['PORT', 'NODE_ENV', 'LLM_BASE_URL', 'LLM_MODEL', 'RATE_LIMIT_NORMAL', 'SMTP_URL', 'REDIS_URL'];

function namesOf(environment: Record<string, string>): string[] {
  return unknownVariables(environment, KNOWN).map(({ name }) => name);
}

describe('unknown variables', () => {
  it('are variables that start like ours, with the name that was probably meant', () => {
    const environment = { LLM_BASEURL: 'x', RATE_LIMIT_FREE: '1', SMTP_HOST: 'h', REDIS_URI: 'r', LLM_MODEL: 'm' };
    expect(unknownVariables(environment, KNOWN)).toEqual([
      { name: 'LLM_BASEURL', meant: 'LLM_BASE_URL' },
      { name: 'RATE_LIMIT_FREE', meant: null },
      { name: 'REDIS_URI', meant: 'REDIS_URL' },
      { name: 'SMTP_HOST', meant: null },
    ]);
  });

  it('are not variables of other programs, and not empty ones', () => {
    const others = { PATH: '/bin', NODE_OPTIONS: '-x', npm_config_x: '1', LLMX_Y: '1', PORT_X: '1', LLM_BASEURL: ' ' };
    expect(namesOf(others)).toEqual([]);
  });

  it('are not the variables that describe other containers', () => {
    expect(
      namesOf({ REDIS_SERVICE_HOST: '10.0.0.1', REDIS_PORT_6379_TCP_ADDR: '10.0.0.1', SMTP_PORT_25_TCP: 'tcp://x' }),
    ).toEqual([]);
  });

  it('are not the parts of an address that is set, except for misspelt ones', () => {
    expect(namesOf({ REDIS_HOST: 'h', REDIS_PASSWORD: 'p' })).toEqual(['REDIS_HOST', 'REDIS_PASSWORD']);
    expect(namesOf({ REDIS_HOST: 'h', REDIS_URI: 'r', REDIS_URL: 'redis://h' })).toEqual(['REDIS_URI']);
  });

  it('are reported in one message, without their values', () => {
    const said = unknownVariablesWarning(unknownVariables({ LLM_BASEURL: 'secret', SMTP_HOST: 'secret' }, KNOWN));
    expect(said).toContain('LLM_BASEURL (did you mean LLM_BASE_URL?), SMTP_HOST.');
    expect(said).not.toContain('secret');
    expect(unknownVariablesWarning([])).toBeNull();
  });
});
