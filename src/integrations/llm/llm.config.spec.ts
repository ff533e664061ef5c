import 'reflect-metadata';
import { loadConfiguration } from '../../config/load-configuration';
import { LlmConfig } from './llm.config';

function load(environment: Record<string, string>): LlmConfig {
  return loadConfiguration([LlmConfig], environment).get(LlmConfig) as LlmConfig;
}

describe('LlmConfig', () => {
  it('is the demo provider if nothing is set', () => {
    expect(load({})).toEqual({
      LLM_PROVIDER: null,
      LLM_BASE_URL: null,
      PROVIDER_ALLOWED_HOSTS: null,
      LOCAL_MODEL_PORTS: '11434,1234,8000',
      LLM_API_KEY: null,
      LLM_MODEL: null,
      LLM_CONTEXT_TOKENS: 64_000,
      LLM_FIRST_TOKEN_TIMEOUT: 30,
      LLM_IDLE_TIMEOUT: 60,
      LLM_TOTAL_TIMEOUT: 300,
      OPENAI_PASS_THROUGH: false,
    });
  });

  it('uses the OpenAI protocol for an address unless another one is configured', () => {
    const address = { LLM_BASE_URL: 'http://localhost:11434/v1', LLM_MODEL: 'm' };
    expect(load({}).providerKind).toBe('demo');
    expect(load(address).providerKind).toBe('openai-compatible');
    expect(load({ ...address, LLM_PROVIDER: 'demo' }).providerKind).toBe('demo');
    expect(load({ ...address, LLM_PROVIDER: 'anthropic', LLM_API_KEY: 'k' }).providerKind).toBe('anthropic');
  });

  it.each([
    { LLM_PROVIDER: 'openai-compatible', LLM_BASE_URL: 'http://localhost:11434/v1', LLM_MODEL: 'llama3:8b' },
    { LLM_PROVIDER: 'openai-compatible', LLM_BASE_URL: 'http://vllm_server:8000/v1', LLM_MODEL: 'x', LLM_API_KEY: 'k' },
    { LLM_PROVIDER: 'anthropic', LLM_API_KEY: 'sk-ant-x', LLM_MODEL: 'claude' },
    { LLM_FIRST_TOKEN_TIMEOUT: '0.5' },
    {
      LLM_BASE_URL: 'https://x.openai.azure.com/openai/deployments/y/chat/completions?api-version=2024-10-21',
      LLM_MODEL: 'y',
    },
    { LLM_PROVIDER: 'demo', LLM_BASE_URL: 'http://localhost:11434/v1' },
    { LLM_BASE_URL: 'http://ollama:11434/v1', LLM_MODEL: 'x', PROVIDER_ALLOWED_HOSTS: 'ollama:11434' },
    { LLM_BASE_URL: 'http://named/v1', LLM_MODEL: 'x', PROVIDER_ALLOWED_HOSTS: '10.0.0.0/8' },
    { LLM_PROVIDER: 'anthropic', LLM_API_KEY: 'k', LLM_MODEL: 'x', PROVIDER_ALLOWED_HOSTS: '.anthropic.com' },
    { PROVIDER_ALLOWED_HOSTS: 'ollama' },
    { LOCAL_MODEL_PORTS: '1,65535,8000' },
  ] as Record<string, string>[])('accepts %j', (environment) => {
    expect(() => load(environment)).not.toThrow();
  });

  it.each([
    [{ LLM_PROVIDER: 'openai' }, 'LLM_PROVIDER must be one of'],
    [{ LOCAL_MODEL_PORTS: '0,1,2' }, 'LOCAL_MODEL_PORTS must be three ports'],
    [{ LOCAL_MODEL_PORTS: '1,2,65536' }, 'LOCAL_MODEL_PORTS must be three ports'],
    [{ LOCAL_MODEL_PORTS: '1,2' }, 'LOCAL_MODEL_PORTS must be three ports'],
    [{ LOCAL_MODEL_PORTS: '1,2,3,' }, 'LOCAL_MODEL_PORTS must be three ports'],
    [{ LOCAL_MODEL_PORTS: '1,2,3,4' }, 'LOCAL_MODEL_PORTS must be three ports'],
    [{ LLM_PROVIDER: 'openai-compatible', LLM_MODEL: 'x' }, 'needs LLM_BASE_URL and LLM_MODEL'],
    [{ LLM_PROVIDER: 'openai-compatible', LLM_BASE_URL: 'http://h/v1' }, 'needs LLM_BASE_URL and LLM_MODEL'],
    [{ LLM_BASE_URL: 'http://h/v1' }, 'needs LLM_BASE_URL and LLM_MODEL'],
    [{ LLM_PROVIDER: 'anthropic', LLM_MODEL: 'x' }, 'needs LLM_API_KEY and LLM_MODEL'],
    [{ LLM_BASE_URL: 'localhost:8000', LLM_MODEL: 'x' }, 'LLM_BASE_URL must be'],
    [{ LLM_BASE_URL: 'ftp://host/v1', LLM_MODEL: 'x' }, 'LLM_BASE_URL must be'],
    [{ LLM_BASE_URL: 'https://user:password@host/v1', LLM_MODEL: 'x' }, 'LLM_BASE_URL must be'],
    [{ LLM_BASE_URL: 'https://host:99999/v1', LLM_MODEL: 'x' }, 'LLM_BASE_URL must be'],
    [{ LLM_BASE_URL: 'http://169.254.169.254/v1', LLM_MODEL: 'x' }, 'LLM_BASE_URL must not be a link-local address'],
    [{ LLM_BASE_URL: 'http://0xa9fea9fe/v1', LLM_MODEL: 'x' }, 'LLM_BASE_URL must not be a link-local address'],
    [{ LLM_BASE_URL: 'http://metadata.google.internal/v1', LLM_MODEL: 'x' }, 'LLM_BASE_URL must not be a link-local'],
    [
      { LLM_BASE_URL: 'http://h/v1', LLM_MODEL: 'x', PROVIDER_ALLOWED_HOSTS: 'i, j' },
      'outside of PROVIDER_ALLOWED_HOSTS',
    ],
    [
      { LLM_PROVIDER: 'anthropic', LLM_API_KEY: 'k', LLM_MODEL: 'x', PROVIDER_ALLOWED_HOSTS: 'i' },
      'LLM_BASE_URL must not be outside of PROVIDER_ALLOWED_HOSTS',
    ],
    [{ PROVIDER_ALLOWED_HOSTS: 'http://h/' }, 'PROVIDER_ALLOWED_HOSTS must be hosts'],
    [{ LLM_MODEL: 'm'.repeat(192) }, 'LLM_MODEL must be'],
    [{ LLM_API_KEY: 'two words' }, 'LLM_API_KEY must be'],
    [{ LLM_IDLE_TIMEOUT: '0' }, 'LLM_IDLE_TIMEOUT must be'],
    [{ LLM_IDLE_TIMEOUT: '1e3' }, 'LLM_IDLE_TIMEOUT must be'],
    [{ LLM_TOTAL_TIMEOUT: 'long' }, 'LLM_TOTAL_TIMEOUT must be'],
  ])('refuses %j', (environment, fault) => {
    expect(() => load(environment)).toThrow(fault);
  });
});
