// @databases mariadb mysql: locks and deadlocks
import { type AuditLogDto } from '../../src/modules/admin/audit/audit.dto';
import { type AgentAdminDto } from '../../src/modules/agent/editing/agent-admin.dto';
import { type AgentDocumentDto, type ImportReportDto } from '../../src/modules/agent/transfer/agent-document.dto';
import { createAdmin } from '../support/accounts';
import { type Answer, call } from '../support/http';
import { useOwnTestApp } from '../support/use-app';
import { type AgentRequest, agentRequests, createAgent } from './agent-requests';

describe('administrators who change agents concurrently', () => {
  const app = useOwnTestApp();
  let token: string;
  let request: AgentRequest;

  beforeAll(async () => {
    ({ token } = await createAdmin(app));
    request = agentRequests(app, token);
  });

  /** The answers to concurrent requests. */
  async function atOnce(count: number, send: (index: number) => Promise<Answer>): Promise<number[]> {
    const answers = await Promise.all(Array.from({ length: count }, (_element, index) => send(index)));
    return answers.map(({ status }) => status);
  }

  async function defaults(): Promise<AgentAdminDto[]> {
    const { body } = await request<{ items: AgentAdminDto[] }>('GET', '?size=100');
    return body.data.items.filter(({ is_default }) => is_default);
  }

  it('all succeed when they name no version, and each change is a version', async () => {
    const { id } = await createAgent(request);
    const statuses = await atOnce(10, (index) => request('PUT', `/${id}`, { system_prompt: `prompt ${index}` }));
    expect(statuses).toEqual(Array.from({ length: 10 }, () => 200));
    const { data } = (await request('GET', `/${id}`)).body;
    expect(data.version).toBe(11);
    const versions = await request<{ items: { version: number }[] }>('GET', `/${id}/versions?size=100`);
    expect(versions.body.data.items.map(({ version }) => version)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });

  it('find in the log on which version each change is based', async () => {
    const { id } = await createAgent(request);
    await atOnce(6, (index) => request('PUT', `/${id}`, { description: `description ${index}` }));
    const url = `${app.url}/admin/audit_logs?target=agent:${id}&action=agent.update`;
    const { body } = await call<{ data: { items: AuditLogDto[] } }>(url, { token });
    const changes = body.data.items.map(({ before, after }) => [before?.version, after?.version]).reverse();
    expect(changes).toEqual([1, 2, 3, 4, 5, 6].map((version) => [version, version + 1]));
    const descriptions = body.data.items.map(({ before, after }) => [before?.description, after?.description]);
    expect(descriptions.slice(0, -1).map(([before]) => before)).toEqual(
      descriptions.slice(1).map(([, after]) => after),
    );
  });

  it('set the default agent one after the other', async () => {
    expect(await atOnce(6, (index) => request('POST', '', { name: `Default ${index}`, is_default: true }))).toEqual(
      Array.from({ length: 6 }, () => 201),
    );
    expect(await defaults()).toHaveLength(1);
    const agents = await Promise.all(Array.from({ length: 6 }, () => createAgent(request)));
    const statuses = await atOnce(6, (index) => request('PUT', `/${agents[index]?.id}`, { is_default: true }));
    expect(statuses).toEqual(Array.from({ length: 6 }, () => 200));
    expect(await defaults()).toHaveLength(1);
  });

  it('set the first default agent', async () => {
    for (const { id } of await defaults()) {
      await request('PUT', `/${id}`, { is_default: false });
    }
    const statuses = await atOnce(6, (index) => request('POST', '', { name: `First ${index}`, is_default: true }));
    expect(statuses).toEqual(Array.from({ length: 6 }, () => 201));
    expect(await defaults()).toHaveLength(1);
  });

  it('delete an agent once, whatever else is done to it', async () => {
    const { id } = await createAgent(request);
    const statuses = await atOnce(9, (index) =>
      index % 3 === 0 ? request('DELETE', `/${id}`) : request('PUT', `/${id}`, { description: `${index}` }),
    );
    const deletions = statuses.filter((_status, index) => index % 3 === 0);
    expect(deletions.sort()).toEqual([200, 404, 404]);
    expect(statuses.every((status) => status === 200 || status === 404)).toBe(true);
    expect((await request('GET', `/${id}`)).status).toBe(404);
  });

  it('copy an agent under unique names', async () => {
    const { id, name } = await createAgent(request);
    expect(await atOnce(5, () => request('POST', `/${id}/duplicate`))).toEqual(Array.from({ length: 5 }, () => 201));
    const { body } = await request<{ items: AgentAdminDto[] }>('GET', `?size=100&q=${encodeURIComponent(`${name} (`)}`);
    expect(body.data.items).toHaveLength(5);
  });

  it('restore, import and change without conflicts', async () => {
    const { id } = await createAgent(request, { system_prompt: 'first' });
    await request('PUT', `/${id}`, { system_prompt: 'second' });
    const document = (await request<AgentDocumentDto>('GET', '/export')).body.data;
    const statuses = await atOnce(9, (index) =>
      [
        () => request('POST', `/${id}/versions/1/restore`),
        () => request<ImportReportDto>('POST', '/import', document),
        () => request('PUT', `/${id}`, { system_prompt: `third ${index}` }),
      ][index % 3]!(),
    );
    expect(statuses).toEqual(Array.from({ length: 9 }, () => 200));
  });
});
