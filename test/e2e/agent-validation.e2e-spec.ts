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

  it('are refused if a field is invalid', async () => {
    const error = expectFailure(await request('POST', '', { name: 'A', status: 'gone' }), 422, 'VALIDATION_ERROR');
    expect(error.details).toMatchObject({ field: 'status', reason: 'not_allowed' });
    const unknown = expectFailure(
      await request('POST', '', { name: 'A', provider: 'nobody' }),
      422,
      'VALIDATION_ERROR',
    );
    expect(unknown.details).toMatchObject({ field: 'provider', reason: 'not_offered' });
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
