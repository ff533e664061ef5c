export { type ChatClient, type ChatClientExtras, type ChatClientOptions, createChatClient } from './create-chat-client';
export { ApiError, ConnectionError, isApiError } from './errors';
export type { ChatServiceMethods } from './generated/methods';
export type * from './generated/types';
export type { ChatReplies } from './replies';
export type { ReplyEvent, ReplyOptions, SendMessage } from './reply-events';
export type { ClientSession } from './session';
export { verifyWebhook, type WebhookEvent, WebhookVerificationError } from './webhooks';
