import { routeAddress } from './event-stream-client';
import { keyHeaders } from './openai-compatible-provider';

describe('keyHeaders', () => {
  it('sends a bearer token', () => {
    expect(keyHeaders(new URL('https://api.openai.com/v1'), 'k')).toEqual({ authorization: 'Bearer k' });
  });

  it('sends api-key, and nothing else, to Azure', () => {
    expect(keyHeaders(new URL('https://mine.openai.azure.com/openai/v1'), 'k')).toEqual({ 'api-key': 'k' });
  });

  it('takes only hosts below azure.com for Azure', () => {
    expect(keyHeaders(new URL('https://azure.com.example.org/v1'), 'k')).toEqual({ authorization: 'Bearer k' });
  });

  it('sends no header without a key', () => {
    expect(keyHeaders(new URL('http://localhost:11434/v1'), null)).toEqual({});
  });
});

describe('routeAddress', () => {
  it.each([
    ['http://localhost:11434/v1', 'http://localhost:11434/v1/chat/completions'],
    ['http://localhost:11434/v1/', 'http://localhost:11434/v1/chat/completions'],
    ['http://localhost:8080', 'http://localhost:8080/chat/completions'],
    ['http://localhost/v1/chat/completions', 'http://localhost/v1/chat/completions'],
    [
      'https://x.openai.azure.com/openai/deployments/d?api-version=2024-10-21',
      'https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21',
    ],
  ])('of %s is %s', (baseUrl, address) => {
    expect(routeAddress(baseUrl, '/chat/completions').href).toBe(address);
  });
});
