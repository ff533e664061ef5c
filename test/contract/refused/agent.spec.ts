import { refuseBody, refuseParameters } from '../../support/refused-requests';

describe('POST /agents', () => {
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
    ['context_max_messages', 0, 'too_small'],
    ['timeout_seconds', 86_401, 'too_large'],
    ['is_default', 'yes', 'wrong_type'],
    ['sort_order', 1.5, 'wrong_type'],
    ['lang', 'not a tag', 'invalid_language'],
  ])('refuses an invalid %s (%j)', async (field, value, reason) => {
    expect(await refuseBody('POST /agents', { name: 'A', [field]: value })).toMatchObject({ field, reason });
  });

  it.each([
    ['temperature', 2.1, 'too_large'],
    ['temperature', -0.1, 'too_small'],
    ['top_p', 1.1, 'too_large'],
    ['max_tokens', 0, 'too_small'],
    ['stop', ['1', '2', '3', '4', '5'], 'invalid_format'],
    ['seed', '1', 'wrong_type'],
  ])('refuses the model parameter %s = %j', async (parameter, value, reason) => {
    const details = await refuseBody('POST /agents', { name: 'A', model_params: { [parameter]: value } });
    expect(details).toMatchObject({ field: `model_params.${parameter}`, reason });
  });
});

describe('the tools of an agent', () => {
  it.each<[string, object, string]>([
    ['no name of a tool', { tools: [{ name: 'a b' }] }, 'tools.0.name'],
    ['another policy', { tools: [{ name: 'calculate', policy: 'perhaps' }] }, 'tools.0.policy'],
    ['another approver', { tools: [{ name: 'calculate', approver: 'group:x' }] }, 'tools.0.approver'],
    ['a tool twice', { tools: [{ name: 'calculate' }, { name: 'calculate' }] }, 'tools'],
    ['no list', { tools: 'calculate' }, 'tools'],
    ['no rounds', { max_rounds: 0 }, 'max_rounds'],
    ['too many rounds', { max_rounds: 65 }, 'max_rounds'],
    ['no calls', { max_calls: 0 }, 'max_calls'],
    ['a cost below nothing', { max_cost_per_run: '-1' }, 'max_cost_per_run'],
    ['a cost that is no text', { max_cost_per_run: 1 }, 'max_cost_per_run'],
  ])('are refused: %s', async (_what, fields, field) => {
    const { errors } = await refuseBody('POST /agents', { name: 'A', ...fields });
    expect(errors.map((error) => error.field)).toContain(field);
  });
});

describe('POST /agents/import', () => {
  it.each<[string, unknown, string, string]>([
    ['a broken rule in the last one', [{ name: 'A' }, { name: 'B', status: 'x' }], 'agents.1.status', 'not_allowed'],
    ['a nameless one', [{}], 'agents.0.name', 'required'],
    ['something that is no agent', [7], 'agents.0', 'wrong_type'],
    ['something that is no list', 'x', 'agents', 'wrong_type'],
    ['no list', undefined, 'agents', 'required'],
  ])('refuses %s', async (_case, agents, field, reason) => {
    expect(await refuseBody('POST /agents/import?mode=sync', { agents })).toMatchObject({ field, reason });
  });

  it.each([
    [null, 'agents'],
    [[null], 'agents'],
    [[[]], 'agents'],
    [[[[]]], 'agents'],
    [[[{ name: 'A' }]], 'agents'],
    [[{ name: 'A' }, []], 'agents'],
    ['x', 'agents'],
    [1, 'agents'],
    [{}, 'agents'],
    [{ name: 'A' }, 'agents'],
    [['x'], 'agents.0'],
    [[true], 'agents.0'],
    [[{ name: [] }], 'agents.0.name'],
    [[{ name: ['A'] }], 'agents.0.name'],
    [[{ name: 'A', tags: [['x']] }], 'agents.0.tags'],
    [[{ name: 'A', tags: [[]] }], 'agents.0.tags'],
    [[{ name: 'A', tags: {} }], 'agents.0.tags'],
    [[{ name: 'A', suggested_questions: [[]] }], 'agents.0.suggested_questions'],
    [[{ name: 'A', suggested_questions: [{}] }], 'agents.0.suggested_questions'],
    [[{ name: 'A', fallback_models: [['m']] }], 'agents.0.fallback_models'],
    [[{ name: 'A', fallback_models: [null] }], 'agents.0.fallback_models'],
    [[{ name: 'A', model_params: [] }], 'agents.0.model_params'],
    [[{ name: 'A', model_params: [[]] }], 'agents.0.model_params'],
    [[{ name: 'A', model_params: null }], 'agents.0.model_params'],
    [[{ name: 'A', model_params: { stop: [['x']] } }], 'agents.0.model_params.stop'],
    [[{ name: 'A', model_params: { temperature: [1] } }], 'agents.0.model_params.temperature'],
  ])('refuses %j instead of agents', async (agents, field) => {
    expect(await refuseBody('POST /agents/import', { agents })).toMatchObject({ field });
  });
});

describe('GET /agents', () => {
  it.each(['sort=price', 'status=gone', 'access_level=all', 'page=0', 'size=101', 'size=x', 'q=a&q=b'])(
    'refuses ?%s',
    async (query) => {
      expect(await refuseParameters(`GET /agents?${query}`)).toMatchObject({ field: query.split('=')[0] });
    },
  );

  it.each([
    'from=yesterday',
    'from=2026-02-30',
    'from=2026-01-31T12:00:00',
    'from=1969-12-31',
    'to=2026-13-01',
    'from=1&from=2',
  ])('refuses statistics with ?%s', async (query) => {
    expect(['from', 'to']).toContain((await refuseParameters(`GET /agents/1/stats?${query}`)).field);
  });

  it.each(['0', 'x'])('has no version %s to restore', async (version) => {
    const details = await refuseParameters(`POST /agents/1/versions/${version}/restore`);
    expect(details).toMatchObject({ field: 'version', reason: 'invalid_format' });
  });
});

describe('POST /admin/tools/{name}/test', () => {
  it.each([{}, { arguments: 'x' }, { arguments: [] }, { arguments: {}, dry: 'yes' }])('refuses %j', async (body) => {
    expect(['arguments', 'dry']).toContain((await refuseBody('POST /admin/tools/current_time/test', body)).field);
  });
});
