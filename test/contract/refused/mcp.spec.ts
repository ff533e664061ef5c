import { refuseBody, refuseParameters } from '../../support/refused-requests';

describe('MCP servers', () => {
  it.each<[string, object]>([
    ['label: invalid_format', { label: 'Upper' }],
    ['label: invalid_format', { label: 'x'.repeat(33) }],
    ['url: invalid_url', { url: 'no address' }],
    ['url: invalid_url', { url: 'ftp://example.com' }],
    ['url: invalid_url', { url: 'https://a:b@example.com' }],
    ['auth: not_allowed', { auth: 'perhaps' }],
    ['headers: invalid_format', { headers: { Host: 'x' } }],
    ['headers: invalid_format', { headers: { cookie: 'x' } }],
    ['headers: invalid_format', { headers: { 'X-A': 'a\r\nX-B: b' } }],
    ['headers: invalid_format', { headers: { 'X-A\n': 'a' } }],
    ['headers: invalid_format', { headers: { 'X-A': 7 } }],
    ['headers: invalid_format', { headers: { 'X-A': 'a', 'x-a': 'b' } }],
    ['headers: invalid_format', { headers: { 'Mcp-Session-Id': 'a' } }],
    ['policies: not_allowed', { policies: { look: 'perhaps' } }],
    ['timeout: too_large', { timeout: 601 }],
    ['timeout: too_small', { timeout: 0 }],
    ['protocol: not_allowed', { protocol: '2024-11-05' }],
    ['elicitation: not_allowed', { elicitation: 'always' }],
  ])('are refused: %s (%j)', async (fault, fields) => {
    const body = { label: 'refused', url: 'https://mcp.example.com', ...fields };
    const { field, reason } = await refuseBody('POST /admin/mcp_servers', body);
    expect(`${field}: ${reason}`).toBe(fault);
  });

  it.each(['limit=0', 'limit=x', 'limit=101', 'offset=-1'])('have no connections for ?%s', async (query) => {
    expect(await refuseParameters(`GET /user/connections?${query}`)).toMatchObject({ field: query.split('=')[0] });
  });
});
