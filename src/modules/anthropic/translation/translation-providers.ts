import { AgentMessages } from '../agents/agent-messages';
import { MessageReplies } from './message-replies';
import { RequestFiles } from './request/request-files';
import { RequestTools } from './request/request-tools';
import { TranslatedMessages } from './translated-messages';

/** What answers for agents, and for models of providers with another API. */
export const TRANSLATION = [AgentMessages, MessageReplies, RequestFiles, RequestTools, TranslatedMessages];
