import type { api } from '../../../app/api';

export type { ActionDto as Action } from 'chat-service-client';

export type Chat = Awaited<ReturnType<typeof api.chat.create>>;
export type TrashedChat = Awaited<ReturnType<typeof api.chat.listTrash>>[number];
export type Message = Awaited<ReturnType<typeof api.chat.rate>>;
export type Agent = Awaited<ReturnType<typeof api.agents.listActive>>[number];
export type Quota = Awaited<ReturnType<typeof api.usage.quota>>;
