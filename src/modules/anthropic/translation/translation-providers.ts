import { RequestFiles } from './request/request-files';
import { RequestTools } from './request/request-tools';
import { TranslatedMessages } from './translated-messages';

/** What answers for agents, and for models of providers with another API. */
export const TRANSLATION = [RequestFiles, RequestTools, TranslatedMessages];
