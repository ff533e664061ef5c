// @databases mariadb: lengths of texts
import { createAdmin } from '../support/accounts';
import { expectFailure } from '../support/http';
import { useTestApp } from '../support/use-app';
import { type AgentRequest, agentRequests } from './agent-requests';

describe('the settings of an agent', () => {
  const app = useTestApp();
  let request: AgentRequest;

  beforeAll(async () => {
    request = agentRequests(app, (await createAdmin(app)).token);
  });

  it.each([
    ['name', undefined, 'required'],
    ['name', '   ', 'blank'],
    ['name', 'x'.repeat(65), 'too_long'],
    ['name', 7, 'wrong_type'],
    ['description', 'x'.repeat(1_001), 'too_long'],
    ['description', null, 'required'],
    ['system_prompt', 'x'.repeat(20_001), 'too_long'],
    ['avatar', '//evil.example/x.svg', 'invalid_format'],
    ['avatar', 'https://evil.example/x.svg', 'invalid_format'],
    ['access_level', 'all', 'not_allowed'],
    ['status', 'gone', 'not_allowed'],
    ['tags', ['x', 'x'], 'duplicate'],
    ['tags', ['x\ufe0f'.repeat(32)], 'too_long'],
    ['tags', 'x', 'wrong_type'],
    ['suggested_questions', [1], 'wrong_type'],
    ['fallback_models', ['a', 'b', 'c', 'd'], 'too_many_items'],
    ['model_params', [], 'wrong_type'],
    ['provider', 'nobody', 'not_offered'],
    ['context_max_messages', 0, 'too_small'],
    ['timeout_seconds', 86_401, 'too_large'],
    ['is_default', 'yes', 'wrong_type'],
    ['sort_order', 1.5, 'wrong_type'],
    ['lang', 'not a tag', 'invalid_language'],
  ])('are refused at %s', async (field, value, reason) => {
    const error = expectFailure(await request('POST', '', { name: 'A', [field]: value }), 422, 'VALIDATION_ERROR');
    expect(error.details).toMatchObject({ field, reason });
  });

  it.each([
    ['temperature', 2.1, 'too_large'],
    ['temperature', -0.1, 'too_small'],
    ['top_p', 1.1, 'too_large'],
    ['max_tokens', 0, 'too_small'],
    ['stop', ['1', '2', '3', '4', '5'], 'invalid_format'],
    ['seed', '1', 'wrong_type'],
  ])('are refused at model_params.%s', async (parameter, value, reason) => {
    const body = { name: 'A', model_params: { [parameter]: value } };
    const error = expectFailure(await request('POST', '', body), 422, 'VALIDATION_ERROR');
    expect(error.details).toMatchObject({ field: `model_params.${parameter}`, reason });
  });

  it('may reach every limit', async () => {
    const fields = {
      name: '🍲'.repeat(64),
      description: '🍲'.repeat(1_000),
      system_prompt: '漢'.repeat(20_000),
      model_params: { temperature: 2, top_p: 1 },
      fallback_models: ['a', 'b', 'c'],
      timeout_seconds: 86_400,
    };
    const answer = await request('POST', '', fields);
    expect(answer.status).toBe(201);
    expect(answer.body.data).toMatchObject(fields);
  });
});
