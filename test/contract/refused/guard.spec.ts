import { refuseBody } from '../../support/refused-requests';

describe('guards', () => {
  it.each<[string, object]>([
    ['name: invalid_format', { name: 'Upper' }],
    ['name: invalid_format', { name: 'x'.repeat(33) }],
    ['kind: not_allowed', { kind: 'other' }],
    ['stages: too_few_items', { stages: [] }],
    ['stages: not_allowed', { stages: ['before'] }],
    ['stages: duplicate', { stages: ['input', 'input'] }],
    ['mode: not_allowed', { mode: 'rewrite' }],
    ['on_error: not_allowed', { on_error: 'maybe' }],
    ['timeout_ms: too_small', { timeout_ms: 49 }],
    ['timeout_ms: too_large', { timeout_ms: 30_001 }],
    ['window: too_small', { window: -1 }],
    ['window: too_large', { window: 4_001 }],
    ['restore: not_allowed', { restore: 'everywhere' }],
    ['url: invalid_url', { url: 'ftp://example.com' }],
    ['secret: invalid_format', { secret: 'whsec_short' }],
    ['headers: invalid_format', { headers: { 'Webhook-Signature': 'x' } }],
    ['groups: duplicate', { groups: [1, 1] }],
    ['rules: invalid_format', { rules: ['phone'] }],
    ['rules: invalid_format', { rules: ['email', 'email'] }],
    ['rules: invalid_format', { rules: [{ type: 'lower', pattern: 'x' }] }],
    ['rules: invalid_format', { rules: [{ type: 'A', pattern: '(' }] }],
    ['rules: invalid_format', { rules: [{ type: 'A', pattern: 'x'.repeat(501) }] }],
    ['rules: invalid_format', { rules: Array.from({ length: 21 }, () => ({ type: 'A', pattern: 'x' })) }],
  ])('are refused: %s (%j)', async (fault, fields) => {
    const body = {
      name: 'refused',
      kind: 'http',
      url: 'https://a.example.com',
      stages: ['input'],
      mode: 'mask',
      ...fields,
    };
    const { field, reason } = await refuseBody('POST /admin/guards', body);
    expect(`${field}: ${reason}`).toBe(fault);
  });

  it.each<[string, object]>([
    ['text: too_long', { text: 'x'.repeat(100_001), stage: 'input' }],
    ['stage: not_allowed', { text: 'x', stage: 'before' }],
  ])('are not tested: %s', async (fault, body) => {
    const { field, reason } = await refuseBody('POST /admin/guards/7/test', body);
    expect(`${field}: ${reason}`).toBe(fault);
  });
});
