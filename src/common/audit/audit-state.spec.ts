import { changeOf, differences, loggedState } from './audit-state';

describe('loggedState', () => {
  it.each([
    'password',
    'new_password',
    'passwordHash',
    'secret',
    'previous_secret',
    'access_token',
    'payment_token',
    'token',
    'code',
    'api_key',
    'apiKey',
    'Authorization',
    'signature',
  ])('hides %s, also inside other objects', (field) => {
    const kept = loggedState({ list: [{ [field]: 'open sesame' }], [field]: { deep: 'open sesame' } });
    expect(JSON.stringify(kept)).not.toContain('sesame');
    expect(kept).toEqual({ list: [{ [field]: '[hidden]' }], [field]: '[hidden]' });
  });

  it('keeps numbers and times with names like secrets, and missing values', () => {
    const state = { quota_tokens: 5, tokens_per_day: null, max_tokens: 7, password: null, sort_order: 0, is_on: false };
    const times = { previous_secret_expires_at: '2026-02-01T09:30:00.000Z' };
    expect(loggedState({ ...state, ...times })).toEqual({ ...state, ...times });
  });

  it('keeps only the host of an address, because the rest may be a secret', () => {
    expect(loggedState({ url: 'https://user:pass@hooks.example.com:8443/T0/B0/xyz?token=abc#f' })).toEqual({
      url: 'https://hooks.example.com:8443/…',
    });
    expect(loggedState({ callback_url: 'no address' })).toEqual({ callback_url: '[hidden]' });
  });

  it('cuts long texts without splitting a character, and adds their length', () => {
    const prompt = `${'x'.repeat(1_999)}😀${'x'.repeat(100)}`;
    const kept = loggedState({ system_prompt: prompt })?.system_prompt as string;
    expect(kept).toMatch(/^x{1999}\ufffd… \(2101 characters\)$/);
  });

  it('does not keep a state that is too large for a log', () => {
    const agents = Array.from({ length: 50_000 }, (_, index) => ({ index }));
    expect(loggedState({ agents })).toEqual({ too_large_to_keep: true, characters: expect.any(Number) });
  });

  it('writes times in the same form as responses', () => {
    expect(loggedState({ at: new Date(0) })).toEqual({ at: '1970-01-01T00:00:00.000Z' });
    expect(loggedState(null)).toBeNull();
    expect(loggedState(undefined)).toBeNull();
  });
});

describe('differences', () => {
  it('returns the fields that differ, on both sides', () => {
    expect(differences({ a: 1, b: [1], c: null, gone: 1 }, { a: 2, b: [1], c: null, made: 2 })).toEqual({
      before: { a: 1, gone: 1 },
      after: { a: 2, made: 2 },
    });
  });
});

describe('changeOf', () => {
  it('returns the differences, and the whole state of a new or deleted entity', () => {
    expect(changeOf({ a: 1, b: 1 }, { a: 2, b: 1 })).toEqual({ before: { a: 1 }, after: { a: 2 } });
    expect(changeOf(null, { a: 1 })).toEqual({ before: null, after: { a: 1 } });
    expect(changeOf({ a: 1 }, null)).toEqual({ before: { a: 1 }, after: null });
  });
});
