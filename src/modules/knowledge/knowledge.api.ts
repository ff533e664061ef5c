/** The public API of this module. */
export { ChatFiles } from './agents/chat-files';
export { BatchesService, type BatchState } from './collections/batches.service';
export { CollectionModes } from './collections/collection-mode';
export { EntriesService, type EntryFilter, type EntryWithFile } from './collections/entries.service';
export { entryFault } from './collections/entry.dto';
export type { AttachedFile } from './collections/entry.store';
export { attributes, AUTOMATIC, chunkingStrategy, type EntryWishes, strategyOf } from './collections/entry-fields';
export { EntryTexts } from './collections/entry-texts';
export { type FoundStore, ReadableStores } from './collections/readable-stores';
export { isExpired } from './collections/store-activity';
export { type StoreContents, StoreViews } from './collections/store-views';
export { type StoreFields, StoresService } from './collections/stores.service';
export { EmbeddingsUnavailableError } from './embedding/embedding.errors';
export { EmbeddingRequests, isUselessAnswer } from './embedding/embedding-requests';
export { EmbeddingSettings } from './embedding/embedding-settings';
export { vectorBytes, vectorOf } from './embedding/vectors';
export {
  FileEmptyError,
  FileWithoutTextError,
  UploadedFileNotFoundError,
  UploadEndedError,
  UploadNotFoundError,
  UploadTooLargeError,
} from './files/file.errors';
export { FileReceiver, type ReceivedFile } from './files/file-receiver';
export { type FileContent, FilesService, type FileWishes } from './files/files.service';
export { HeldFilesQuery } from './files/held-files.query';
export { sendContent } from './files/send-content';
export { type FoundUpload, type NewUpload, PART_LIMIT, UploadsService } from './files/uploads.service';
export {
  type FilesReader,
  REQUEST_FILE_ERRORS,
  type RequestFile,
  RequestFiles,
  SENT_USES,
  type SentUse,
} from './ingestion/request-files';
export {
  BatchNotFoundError,
  KnowledgeExpiredError,
  KnowledgeFileNotReadyError,
  KnowledgeInUseError,
  KnowledgeLimitError,
  KnowledgeNotFoundError,
  KnowledgeRoleRequiredError,
} from './knowledge.errors';
export { KnowledgeModule } from './knowledge.module';
export { KnowledgeSearch, SEARCH_MODES, type SearchResult } from './search/knowledge-search';
export { EmbeddingsNotConfiguredError, TooManySearchesError } from './search/search.errors';
export {
  queriesOf,
  SEARCH_FIELDS,
  searchRequest,
  type SearchRequestBody,
  toKnowledgeQuery,
} from './search/search-request';
export { SearchedStores } from './search/searched-stores';
export { ENTRY_STATUSES, type EntryError, type EntryStatus } from './tables/knowledge-entry.entity';
export { FILE_PURPOSES, type FilePurpose, type KnowledgeFile } from './tables/knowledge-file.entity';
