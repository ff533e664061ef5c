import { randomUUID } from 'node:crypto';
import type { Type } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import { CreateChatDto } from '../../src/modules/chat/chats/create-chat.dto';
import { EditMessageDto, SendMessageDto } from '../../src/modules/chat/sending/message-body.dto';
import { uniqueContent } from '../support/chat-client';
import { expectFailure } from '../support/http';
import { useChatApp, useClient } from '../support/use-app';

/** Fields that change only the form of the same reply, or that have only one value. */
const WITHOUT_EFFECT = ['stream_format', 'ui_version', 'role'];

/** A request, and for each field of its body another value, with other fields if it needs them. */
interface Repeated {
  method: string;
  path: string;
  dto: Type<object>;
  body: object;
  others: Record<string, object>;
}

describe('a request with a used Idempotency-Key', () => {
  const app = useChatApp();
  const client = useClient(app);

  const options = {
    lang: { lang: 'de' },
    on_disconnect: { on_disconnect: 'cancel' },
    tool_policies: { tool_policies: { current_time: 'deny' } },
  };
  const content = {
    content: { content: 'Something else' },
    parts: { parts: [{ type: 'text', text: 'Something else' }] },
    ...options,
  };

  const requests: [string, () => Repeated | Promise<Repeated>][] = [
    [
      'POST /chat',
      () => ({
        method: 'POST',
        path: '/chat',
        dto: CreateChatDto,
        body: { title: 'Lisbon' },
        others: {
          title: { title: 'Porto' },
          agent_id: { agent_id: 1 },
          knowledge: { knowledge: [1] },
          lang: options.lang,
        },
      }),
    ],
    [
      'POST /chat/message',
      async () => ({
        method: 'POST',
        path: '/chat/message',
        dto: SendMessageDto,
        body: { chat_id: (await client.createChat()).id, content: uniqueContent() },
        others: {
          ...content,
          chat_id: { chat_id: (await client.createChat()).id },
          trigger: { trigger: 'regenerate-message' },
          message_id: { trigger: 'submit-message', message_id: 1 },
          approvals: { content: undefined, approvals: [{ id: 1, approved: true }] },
        },
      }),
    ],
    [
      'PUT /chat/{chat_id}/messages/{message_id}',
      async () => {
        const { id } = await client.createChat();
        const [{ id: messageId }] = (await client.send(id, uniqueContent())).body;
        return {
          method: 'PUT',
          path: `/chat/${id}/messages/${messageId}`,
          dto: EditMessageDto,
          body: { content: uniqueContent() },
          others: content,
        };
      },
    ],
  ];

  it.each(requests)('is a conflict if any field of the body differs: %s', async (_route, prepare) => {
    const { method, path, dto, body, others } = await prepare();
    const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
    const fields = new Set(rules.map(({ propertyName }) => propertyName));
    WITHOUT_EFFECT.forEach((field) => fields.delete(field));
    expect(Object.keys(others).sort()).toEqual([...fields].sort());
    const headers = { 'idempotency-key': randomUUID() };
    const send = (changes: object) => client.request(path, { method, headers, body: { ...body, ...changes } });
    const first = await send({});
    expect(first.status).toBeLessThan(300);
    for (const [field, changes] of Object.entries(others)) {
      const answer = await send(changes);
      expect({ field, status: answer.status }).toEqual({ field, status: 409 });
      expectFailure(answer, 409, 'IDEMPOTENCY_CONFLICT');
    }
    expect((await send({})).text).toBe(first.text);
  });
});
