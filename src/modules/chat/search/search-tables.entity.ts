import { textIndexTables } from '../../../integrations/text-index/text-index-tables';

/** The tables of the index of messages. */
export const SEARCH_TABLES = textIndexTables('chat_search');
