import type { ToolStatisticsDto } from '../../src/modules/admin/statistics/tool-statistics.dto';
import { useActing } from '../support/acting';
import { uniqueContent } from '../support/chat-client';

describe('the statistics of tools', () => {
  const { admin, client, chatWith, calling, saying, waiting, decide } = useActing();

  const read = async (query = ''): Promise<ToolStatisticsDto> =>
    (await admin.get<ToolStatisticsDto>(`/admin/tools/statistics${query}`)).body.data;

  it('count runs, calls, their outcomes, and durations', async () => {
    const chatId = await chatWith([{ name: 'calculate' }, { name: 'refuse', policy: 'auto' }]);
    const key = uniqueContent();
    await calling(
      key,
      ['calculate', { expression: '1 + 1' }],
      ['calculate', { expression: '2 + 2' }],
      ['refuse', { what: 'it' }],
    );
    await saying(key, 'Done.');
    await client.send(chatId, key);
    const { chatId: asked, action } = await waiting();
    await decide(asked, action.id, { decision: 'deny' });
    const { tools, from, to } = await read();
    expect(from < to).toBe(true);
    const of = (name: string) => tools.find(({ tool }) => tool === name);
    const none = { failed: 0, refused: 0, unknown: 0 };
    expect(of('calculate')).toMatchObject({ ...none, runs: 1, calls: 2, succeeded: 2 });
    expect(of('calculate')?.average_ms).toEqual(expect.any(Number));
    expect(of('refuse')).toMatchObject({ ...none, runs: 1, calls: 1, succeeded: 0, failed: 1 });
    expect(of('book')).toMatchObject({
      ...none,
      calls: 1,
      succeeded: 0,
      refused: 1,
      average_ms: null,
      longest_ms: null,
    });
    expect((await read('?from=2020-01-01&to=2020-02-01')).tools).toEqual([]);
  });

  it.each(['?from=2026-02-01&to=2026-01-01', '?from=2020-01-01', '?from=yesterday'])('refuse %s', async (query) => {
    const { status } = await admin.get(`/admin/tools/statistics${query}`);
    expect(status).toBe(400);
  });

  it('are for administrators', async () => {
    expect((await client.request('/admin/tools/statistics')).status).toBe(403);
  });
});
