import type { DomainEvent } from '../../../common/events/domain-events';
import { defineEvent } from '../../../common/events/event-definition';
import {
  choice,
  fact,
  flag,
  instant,
  integer,
  optionalChoice,
  optionalInstant,
  optionalInteger,
  optionalObject,
  optionalText,
  text,
} from '../../../common/events/event-fields';
import { toTokenUsageDto } from '../../../common/token-usage.dto';
import {
  MESSAGE_ROLES,
  type MessageRole,
  namesOfCalls,
  namesOfFiles,
  type ReplyStatus,
} from '../../generation/generation.api';
import type { ChatEntity } from './chat.entity';
import { FEEDBACK_RATINGS, type FeedbackRating, type MessageEntity } from './message.entity';

/** Fields of all these events. A receiver of all users' events needs them to identify the user. */
export const chatFields = {
  chat_id: fact(integer('Id of the conversation.')),
  user_id: fact(integer('Id of the owner of the conversation.')),
  agent_id: fact(integer('Id of the agent of the conversation.')),
};

export const messageFields = { ...chatFields, message_id: fact(integer('Id of the message.')) };

export const exampleIds = { chat_id: 12, user_id: 7, agent_id: 1 };

/** The owner and the agent of a message's conversation. */
export type Owner = Pick<ChatEntity, 'userId' | 'agentId'>;

export function idsOf(
  chatId: number,
  { userId, agentId }: Owner,
): { chat_id: number; user_id: number; agent_id: number } {
  return { chat_id: chatId, user_id: userId, agent_id: agentId };
}

const messageContent = { content: text('The text, up to 16 KB; only with `include_content`.') };
const questionContent = {
  ...messageContent,
  files: optionalText('Images and files, one per line, such as `image/png lisbon.png`; only with `include_content`.'),
};
const replyContent = {
  ...messageContent,
  tool_calls: optionalText('Names of the functions called, one per line; only with `include_content`.'),
  reasoning: optionalText('Reasoning of the model, up to 16 KB; only with `include_content`.'),
};

const messageCreated = defineEvent('message.created', {
  description: 'A user sent a message, or a program added an earlier message.',
  fields: {
    ...messageFields,
    role: fact(
      choice<MessageRole>(
        MESSAGE_ROLES,
        'Role of the author. Only messages added by a program have a role other than `user`.',
      ),
    ),
    status: fact(choice<ReplyStatus>(['completed'], 'Status of the message.')),
    created_at: fact(instant('When the message was sent.')),
  },
  content: questionContent,
  example: {
    ...exampleIds,
    message_id: 101,
    role: 'user',
    status: 'completed',
    created_at: '2026-01-31T09:30:00.000Z',
    content: 'Where is the sea warm in May?',
    files: null,
  },
});

const anyReplyFields = {
  ...messageFields,
  parent_id: fact(optionalInteger('Id of the user message that the reply answers.')),
  role: fact(choice<MessageRole>(['assistant'], 'Role of the author.')),
};

const messageStarted = defineEvent('message.started', {
  description: 'A reply started. It can be joined while it is being written.',
  fields: {
    ...anyReplyFields,
    status: fact(choice<ReplyStatus>(['streaming'], 'Status of the reply.')),
    created_at: fact(instant('When the reply started.')),
  },
  example: {
    ...exampleIds,
    message_id: 102,
    parent_id: 101,
    role: 'assistant',
    status: 'streaming',
    created_at: '2026-01-31T09:30:00.000Z',
  },
});

const replyFields = {
  ...anyReplyFields,
  status: fact(choice<ReplyStatus>(['completed', 'stopped', 'interrupted', 'failed'], 'How the reply ended.')),
  finish_reason: fact(optionalText('Why the reply ended: `stop`, `length`, `content_filter`, `cancelled` or `error`.')),
  model: fact(optionalText('Name of the model that answered.')),
  token_usage: fact(
    optionalObject<object>('Usage of the reply.', {
      prompt_tokens: integer('Tokens of the prompt, including cached tokens.'),
      completion_tokens: integer('Tokens of the reply, including reasoning.'),
      total_tokens: integer('Total tokens.'),
      cached_tokens: integer('Cached tokens of the prompt.'),
      reasoning_tokens: integer('Reasoning tokens of the reply.'),
      is_estimated: flag('Whether the service estimated the tokens because the provider reported none.'),
      model: optionalText('Name of the model that answered.'),
      cost: optionalText('Cost as a decimal string; null if there is no price. Absent if costs are hidden.'),
      currency: text('Currency of the cost.'),
    }),
  ),
  error: fact(
    optionalObject<{ code: string; retryable: boolean }>('The error.', {
      code: text('Stable error code.'),
      retryable: flag('Whether sending the message again may help.'),
    }),
  ),
  completed_at: fact(optionalInstant('When the reply ended.')),
};

const exampleReply = {
  ...exampleIds,
  message_id: 102,
  parent_id: 101,
  role: 'assistant',
  status: 'completed',
  finish_reason: 'stop',
  model: 'demo',
  token_usage: {
    prompt_tokens: 31,
    completion_tokens: 12,
    total_tokens: 43,
    cached_tokens: 0,
    reasoning_tokens: 0,
    is_estimated: false,
    model: 'demo',
  },
  error: null,
  completed_at: '2026-01-31T09:30:02.500Z',
  content: 'In May the sea is warm around Cyprus.',
  tool_calls: null,
  reasoning: null,
} as const;

const reply = { fields: replyFields, content: replyContent, example: exampleReply };

/** The events for the end of a reply. An interrupted reply is published as failed; the data has its actual status. */
const REPLY_ENDS = {
  completed: defineEvent('message.completed', { ...reply, description: 'A reply is complete.' }),
  stopped: defineEvent('message.stopped', {
    ...reply,
    description: 'A user stopped a reply.',
    example: { ...exampleReply, status: 'stopped', finish_reason: 'cancelled' },
  }),
  failed: defineEvent('message.failed', {
    ...reply,
    description: 'A reply failed, or the service stopped while writing it.',
    example: {
      ...exampleReply,
      status: 'failed',
      finish_reason: 'error',
      error: { code: 'PROVIDER_TIMEOUT', retryable: true },
    },
  }),
};

const messageFeedback = defineEvent('message.feedback', {
  description: 'A reply was rated, or its rating was removed.',
  fields: { ...messageFields, rating: fact(optionalChoice(FEEDBACK_RATINGS, 'The rating; null if it was removed.')) },
  content: { comment: optionalText('Comment of the user, up to 16 KB; only with `include_content`.') },
  example: { ...exampleIds, message_id: 102, rating: 'like', comment: null },
});

/** In catalogue order. */
export const MESSAGE_EVENTS = [messageCreated, messageStarted, ...Object.values(REPLY_ENDS), messageFeedback];

/** A message other than a model's reply was stored. */
export function messageCreatedEvent(
  chat: Owner,
  message: Pick<MessageEntity, 'id' | 'chatId' | 'role' | 'status' | 'content' | 'parts' | 'createdAt'>,
): DomainEvent {
  return messageCreated(
    chat.userId,
    {
      ...idsOf(message.chatId, chat),
      message_id: message.id,
      role: message.role,
      status: message.status,
      created_at: message.createdAt.toISOString(),
    },
    { content: message.content, files: namesOfFiles(message.parts) },
  );
}

/** A reply started. */
export function replyStartedEvent(
  chat: Owner,
  reply: Pick<MessageEntity, 'id' | 'chatId' | 'parentId' | 'createdAt'>,
): DomainEvent {
  return messageStarted(chat.userId, {
    ...idsOf(reply.chatId, chat),
    message_id: reply.id,
    parent_id: reply.parentId,
    role: 'assistant',
    status: 'streaming',
    created_at: reply.createdAt.toISOString(),
  });
}

type ReplyFacts = Pick<MessageEntity, 'id' | 'chatId' | 'parentId' | 'status' | 'finishReason' | 'model'> &
  Pick<MessageEntity, 'tokenUsage' | 'failure' | 'completedAt' | 'content' | 'reasoning' | 'parts'>;

/** A reply ended, with any status. */
export function replyEndedEvent(chat: Owner, reply: ReplyFacts): DomainEvent {
  const { status } = reply;
  return REPLY_ENDS[status === 'completed' || status === 'stopped' ? status : 'failed'](
    chat.userId,
    {
      ...idsOf(reply.chatId, chat),
      message_id: reply.id,
      parent_id: reply.parentId,
      role: 'assistant',
      status,
      finish_reason: reply.finishReason,
      model: reply.model,
      token_usage: reply.tokenUsage && toTokenUsageDto(reply.tokenUsage),
      error: reply.failure && { code: reply.failure.code, retryable: reply.failure.retryable },
      completed_at: reply.completedAt?.toISOString() ?? null,
    },
    { content: reply.content, tool_calls: namesOfCalls(reply.parts), reasoning: reply.reasoning },
  );
}

/** A reply was rated, or its rating was removed (`rating: null`). */
export function feedbackEvent(
  chat: Owner,
  message: Pick<MessageEntity, 'id' | 'chatId'>,
  rating: FeedbackRating | null,
  comment: string | null,
): DomainEvent {
  return messageFeedback(chat.userId, { ...idsOf(message.chatId, chat), message_id: message.id, rating }, { comment });
}
