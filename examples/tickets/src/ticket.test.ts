import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestService, type TestService, type TestUser } from 'chat-service/testing';
import type { TicketDto } from './ticket.dto';
import { TicketModule } from './ticket.module';

interface Enveloped<Data> {
  data: Data;
  message: string;
}

interface Failure {
  error: { code: string; message: string };
}

describe('tickets', () => {
  let service: TestService;
  let user: TestUser;

  before(async () => {
    service = await startTestService({ features: [TicketModule], environment: { TICKETS_OPEN_MAX: '3' } });
  });
  after(() => service.close());

  async function create(subject: string): Promise<TicketDto> {
    user = await service.newUser();
    const { status, body } = await user.post<Enveloped<TicketDto>>('/tickets', { subject });
    assert.equal(status, 201);
    return body.data;
  }

  it('are created, listed and closed by their user', async () => {
    const { id } = await create('The printer is on fire.');
    const listed = await user.get<Enveloped<{ items: TicketDto[] }>>('/tickets');
    assert.deepEqual(
      listed.body.data.items.map(({ subject, status }) => [subject, status]),
      [['The printer is on fire.', 'open']],
    );
    const closed = await user.post<Enveloped<TicketDto>>(`/tickets/${id}/close`);
    assert.equal(closed.body.data.status, 'closed');
    const mail = await service.mails.waitForMail(user.email);
    assert.match(mail.text, /Your ticket is closed: The printer is on fire\./);
  });

  it('are refused with a reason', async () => {
    const { id } = await create('The printer is cold.');
    const other = await service.newUser();
    const foreign = await other.post<Failure>(`/tickets/${id}/close`);
    assert.deepEqual([foreign.status, foreign.body.error.code], [404, 'TICKET_NOT_FOUND']);
    await user.post('/tickets', { subject: 'Second' });
    await user.post('/tickets', { subject: 'Third' });
    const fourth = await user.post<Failure>('/tickets', { subject: 'Fourth' });
    assert.equal(fourth.status, 409);
    assert.equal(fourth.body.error.message, 'You have too many open tickets. Close one first.');
  });

  it('notify webhooks', async () => {
    const { id } = await create('The printer is loud.');
    const receiver = await service.receiveWebhooks();
    const { status } = await user.post('/webhooks', { url: receiver.url(), events: ['ticket.*'] });
    assert.equal(status, 201);
    await user.post(`/tickets/${id}/close`);
    const [delivery] = await receiver.waitFor(1);
    assert.deepEqual([delivery?.body.type, delivery?.body.data], ['ticket.closed', { ticket_id: id }]);
  });

  it('are closed by an agent after the user has approved it', async () => {
    const { id } = await create('The printer is slow.');
    const administrator = await service.newAdministrator();
    const agent = { name: 'Support', tools: [{ name: 'close_ticket' }] };
    const created = await administrator.post<Enveloped<{ id: number }>>('/agents', agent);
    const toolCall = { name: 'close_ticket', arguments: JSON.stringify({ id }) };
    await service.model.script({ key: 'Close it', times: 1, steps: [{ toolCall }] });
    await service.model.script({ key: 'Close it', steps: [{ text: 'Done.' }] });
    const chatId = await user.startChat(created.body.data.id);
    await user.send(chatId, 'Close it, please.');
    const [action] = (await user.get<{ id: number; arguments_hash: string }[]>(`/chat/${chatId}/actions`)).body;
    assert.ok(action, 'the call waits for approval');
    const approval = { decision: 'approve', arguments_hash: action.arguments_hash };
    const decided = await user.post<{ content: string }[]>(`/chat/${chatId}/actions/${action.id}`, approval);
    assert.match(decided.body.at(-1)?.content ?? '', /Done\./);
    const again = await user.post<Failure>(`/tickets/${id}/close`);
    assert.equal(again.body.error.code, 'TICKET_CLOSED');
  });
});
