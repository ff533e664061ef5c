import type { Citation } from 'chat-service-client';
import type { api } from '../../../app/api';

export type { ActionDto as Action } from 'chat-service-client';

/** With the ids of the collections that are searched in it. */
export type Chat = Awaited<ReturnType<typeof api.chat.create>> & { knowledge?: number[] };
export type TrashedChat = Awaited<ReturnType<typeof api.chat.listTrash>>[number];
export type Message = Awaited<ReturnType<typeof api.chat.rate>> & { citations?: Citation[] };
export type Agent = Awaited<ReturnType<typeof api.agents.listActive>>[number];
export type Quota = Awaited<ReturnType<typeof api.usage.quota>>;
