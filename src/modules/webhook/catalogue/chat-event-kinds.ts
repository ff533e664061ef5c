import {
  choice,
  type EventKind,
  type EventKinds,
  type FieldSchema,
  instant,
  integer,
  optionalInstant,
  optionalText,
  text,
} from './event-kind';

const chat: Record<string, FieldSchema> = {
  chat_id: integer('The conversation.'),
  user_id: integer('The user whose conversation it is.'),
  agent_id: integer('The agent it is bound to.'),
};

const title = { title: text('Its title; only with include_content.') };

const content = { content: text('The text, up to 16 KB; only with include_content.') };

const replyContent = {
  ...content,
  reasoning: optionalText('What the model thought beside it, up to 16 KB; only with include_content.'),
};

const exampleBelonging = { chat_id: 12, user_id: 7, agent_id: 1 };

const exampleChat = { ...exampleBelonging, title: 'Holiday plans' };

const message: Record<string, FieldSchema> = {
  ...chat,
  message_id: integer('The message.'),
};

const reply: Record<string, FieldSchema> = {
  ...message,
  parent_id: { type: ['integer', 'null'], description: 'The user message that it answers.' },
  role: choice(['assistant'], 'Who speaks.'),
  status: choice(['completed', 'stopped', 'interrupted', 'failed'], 'How the reply ended.'),
  finish_reason: optionalText('Why the model ended: stop, length, content_filter, cancelled or error.'),
  model: optionalText('The model that answered.'),
  token_usage: {
    type: ['object', 'null'],
    description: 'What the reply used.',
    properties: {
      prompt_tokens: integer('Tokens of the prompt, cached ones included.'),
      completion_tokens: integer('Tokens of the reply, reasoning included.'),
      total_tokens: integer('Their sum.'),
      cached_tokens: integer('Cached tokens of the prompt.'),
      reasoning_tokens: integer('Tokens of reasoning.'),
      is_estimated: { type: 'boolean', description: 'Counted here, because the provider reported none.' },
      model: optionalText('The model that answered.'),
    },
  },
  error: {
    type: ['object', 'null'],
    description: 'What went wrong.',
    properties: {
      code: text('Stable code.'),
      retryable: { type: 'boolean', description: 'Whether sending again may help.' },
    },
  },
  completed_at: optionalInstant('When it ended.'),
};

const exampleUsage = {
  prompt_tokens: 31,
  completion_tokens: 12,
  total_tokens: 43,
  cached_tokens: 0,
  reasoning_tokens: 0,
  is_estimated: false,
  model: 'demo',
};

function replyKind(description: string, ending: { status: string; finish_reason: string; error?: object }): EventKind {
  const example = {
    ...exampleBelonging,
    message_id: 102,
    parent_id: 101,
    role: 'assistant',
    status: ending.status,
    finish_reason: ending.finish_reason,
    model: 'demo',
    token_usage: exampleUsage,
    error: ending.error ?? null,
    completed_at: '2026-01-31T09:30:02.500Z',
    content: 'In May the sea is warm around Cyprus.',
    reasoning: null,
  };
  return { description, fields: reply, content: replyContent, example };
}

/** Conversations and what is said in them. */
export const CHAT_EVENT_KINDS: EventKinds = {
  'chat.created': { description: 'A conversation was created.', fields: chat, content: title, example: exampleChat },
  'chat.updated': {
    description: 'Title, tags, pin or archive state of a conversation were changed, or another line was chosen.',
    fields: { ...chat, changed: { type: 'array', items: { type: 'string' }, description: 'Names of the fields.' } },
    content: title,
    example: { ...exampleChat, changed: ['title'] },
  },
  'chat.deleted': {
    description: 'A conversation was moved to the trash.',
    fields: chat,
    content: title,
    example: exampleChat,
  },
  'chat.restored': {
    description: 'A conversation came back from the trash.',
    fields: chat,
    content: title,
    example: exampleChat,
  },
  'message.created': {
    description: 'A user sent a message.',
    fields: {
      ...message,
      role: choice(['user'], 'Who speaks.'),
      status: choice(['completed'], 'State of the message.'),
      created_at: instant('When it was sent.'),
    },
    content,
    example: {
      ...exampleBelonging,
      message_id: 101,
      role: 'user',
      status: 'completed',
      created_at: '2026-01-31T09:30:00.000Z',
      content: 'Where is the sea warm in May?',
    },
  },
  'message.completed': replyKind('A reply is complete.', { status: 'completed', finish_reason: 'stop' }),
  'message.stopped': replyKind('A user stopped a reply.', { status: 'stopped', finish_reason: 'cancelled' }),
  'message.failed': replyKind('A reply failed, or the service went down while it was written.', {
    status: 'failed',
    finish_reason: 'error',
    error: { code: 'PROVIDER_TIMEOUT', retryable: true },
  }),
  'message.feedback': {
    description: 'A reply was rated, or its rating taken back.',
    fields: {
      ...message,
      rating: { type: ['string', 'null'], enum: ['like', 'dislike', null], description: 'Null: taken back.' },
    },
    content: { comment: optionalText('What the user wrote about it, up to 16 KB; only with include_content.') },
    example: { ...exampleBelonging, message_id: 102, rating: 'like', comment: null },
  },
};
