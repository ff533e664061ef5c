import { TypeOrmModule } from '@nestjs/typeorm';
import { Feature } from '../../common/features/feature.decorator';
import { BlobStoreModule } from '../../integrations/blob-store/blob-store.module';
import { DocumentParserModule } from '../../integrations/document-parser/document-parser.module';
import { LlmModule } from '../../integrations/llm/llm.module';
import { PassageIndexModule } from '../../integrations/passage-index/passage-index.module';
import { AgentModule } from '../agent/agent.api';
import { GenerationModule } from '../generation/generation.api';
import { GroupModule } from '../group/group.api';
import { HoldModule } from '../hold/hold.api';
import { RetentionModule } from '../retention/retention.api';
import { UsageModule } from '../usage/usage.api';
import { UserModule } from '../user/user.api';
import { KnowledgeAdministrationController } from './administration/knowledge-administration.controller';
import { KnowledgeAdministrationService } from './administration/knowledge-administration.service';
import { AgentCollections } from './agents/agent-collections';
import { ChatFiles } from './agents/chat-files';
import { KnowledgeTool } from './agents/knowledge-tool';
import { PassagesOfReplies } from './agents/passages-of-replies';
import { BatchesService } from './collections/batches.service';
import { CollectionModes } from './collections/collection-mode';
import { EntriesController } from './collections/entries.controller';
import { EntriesService } from './collections/entries.service';
import { EntryStore } from './collections/entry.store';
import { ENTRY_SCHEMAS } from './collections/entry-documentation';
import { EntryOutcomes } from './collections/entry-outcomes';
import { EntryRemoval } from './collections/entry-removal';
import { EntryTexts } from './collections/entry-texts';
import { IngestionQueue } from './collections/ingestion-queue';
import { PassageCleanup } from './collections/passage-cleanup';
import { ReadableStores } from './collections/readable-stores';
import { StoreAccesses } from './collections/store-access';
import { StoreActivity } from './collections/store-activity';
import { StoreViews } from './collections/store-views';
import { StoresController } from './collections/stores.controller';
import { StoresService } from './collections/stores.service';
import { embeddingAudit } from './embedding/embedding.audit';
import { EmbeddingConfig } from './embedding/embedding.config';
import {
  EmbeddingBatchEntity,
  EmbeddingGenerationEntity,
  EmbeddingLeaseEntity,
  EmbeddingQueryEntity,
} from './embedding/embedding.entity';
import { EmbeddingPersonalData } from './embedding/embedding.personal-data';
import { EmbeddingAdministrationController } from './embedding/embedding-administration.controller';
import { EmbeddingAdministrationService } from './embedding/embedding-administration.service';
import { EmbeddingAttention } from './embedding/embedding-attention';
import { EmbeddingBuild } from './embedding/embedding-build';
import { EmbeddingLeases } from './embedding/embedding-leases';
import { EmbeddingRequests } from './embedding/embedding-requests';
import { EmbeddingSettings } from './embedding/embedding-settings';
import { PassageEmbedding } from './embedding/passage-embedding';
import { QueryEmbedding } from './embedding/query-embedding';
import { ExpiredFiles } from './files/expired-files';
import { FileStore } from './files/file.store';
import { FileReceiver } from './files/file-receiver';
import { FilesController } from './files/files.controller';
import { FilesService } from './files/files.service';
import { HeldFilesQuery } from './files/held-files.query';
import { UploadStore } from './files/upload.store';
import { UploadsService } from './files/uploads.service';
import { FileTexts } from './ingestion/file-texts';
import { IngestionConfig } from './ingestion/ingestion.config';
import { IngestionRun } from './ingestion/ingestion-run';
import { IngestionTurnEntity } from './ingestion/ingestion-turn.entity';
import { IngestionWorker } from './ingestion/ingestion-worker';
import { JobClaims } from './ingestion/job-claims';
import { RequestFiles } from './ingestion/request-files';
import { TextStore } from './ingestion/text-store';
import { knowledgeAudit } from './knowledge.audit';
import { KnowledgeConfig } from './knowledge.config';
import { KNOWLEDGE_EVENTS } from './knowledge.events';
import { KnowledgePersonalData } from './knowledge.personal-data';
import { KnowledgeRetention } from './knowledge.retention';
import { KnowledgeFigures } from './knowledge-figures';
import { KnowledgeSearch } from './search/knowledge-search';
import { PassageTexts } from './search/passage-texts';
import { QueryEmbedder } from './search/query-embedder';
import { SearchController } from './search/search.controller';
import { SEARCH_FILTER } from './search/search-filter';
import { SearchedStores } from './search/searched-stores';
import { KnowledgeBatchEntity, KnowledgeBatchEntryEntity } from './tables/knowledge-batch.entity';
import { KnowledgeAttributeEntity, KnowledgeEntryEntity } from './tables/knowledge-entry.entity';
import { KnowledgeFileEntity } from './tables/knowledge-file.entity';
import { KnowledgeJobEntity } from './tables/knowledge-job.entity';
import { KnowledgePassageEntity } from './tables/knowledge-passage.entity';
import { KnowledgeRemovalEntity } from './tables/knowledge-removal.entity';
import { KnowledgeStoreEntity, KnowledgeStoreGroupEntity } from './tables/knowledge-store.entity';
import { KnowledgeTextEntity, KnowledgeTextPieceEntity } from './tables/knowledge-text.entity';
import { KnowledgeUploadEntity, KnowledgeUploadPartEntity } from './tables/knowledge-upload.entity';

const ENTITIES = [
  KnowledgeFileEntity,
  KnowledgeStoreEntity,
  KnowledgeStoreGroupEntity,
  KnowledgeEntryEntity,
  KnowledgeAttributeEntity,
  KnowledgeBatchEntity,
  KnowledgeBatchEntryEntity,
  KnowledgeUploadEntity,
  KnowledgeUploadPartEntity,
  KnowledgeJobEntity,
  KnowledgeRemovalEntity,
  KnowledgeTextEntity,
  KnowledgeTextPieceEntity,
  KnowledgePassageEntity,
  IngestionTurnEntity,
  EmbeddingBatchEntity,
  EmbeddingGenerationEntity,
  EmbeddingLeaseEntity,
  EmbeddingQueryEntity,
];

const FILES = [FileReceiver, FilesService, FileStore, HeldFilesQuery, UploadsService, UploadStore];

const SEARCH = [KnowledgeSearch, PassageTexts, QueryEmbedder, SearchedStores];

const COLLECTIONS = [
  BatchesService,
  CollectionModes,
  EntriesService,
  EntryOutcomes,
  EntryRemoval,
  EntryStore,
  EntryTexts,
  IngestionQueue,
  PassageCleanup,
  ReadableStores,
  StoreAccesses,
  StoreActivity,
  StoresService,
  StoreViews,
];

const AGENTS = [AgentCollections, ChatFiles, KnowledgeTool, PassagesOfReplies];

const INGESTION = [FileTexts, IngestionRun, IngestionWorker, JobClaims, RequestFiles, TextStore];

const EMBEDDING = [
  EmbeddingAdministrationService,
  EmbeddingAttention,
  EmbeddingBuild,
  EmbeddingLeases,
  EmbeddingPersonalData,
  EmbeddingRequests,
  EmbeddingSettings,
  PassageEmbedding,
  QueryEmbedding,
];

/**
 * Files that users upload, and collections of them that users and agents search.
 *
 * - `tables/`: the tables of all folders.
 * - `files/`: uploads; `collections/`: collections, their entries, and who may read them.
 * - `ingestion/`: reads files into passages, starting with `ingestion-worker.ts`, and into parts of messages.
 * - `search/`: searches of collections; `PassageIndex` has the words and vectors.
 * - `agents/`: the collections of agents and the passages of their replies.
 * - `administration/`: the collections of all users, for administrators.
 */
@Feature({
  folder: __dirname,
  groups: {
    Files: 'Files that users upload, to search them and to use them in messages.',
    Knowledge: 'Collections of files, which are searched as a whole and shared with groups.',
    'Knowledge administration': 'Collections of all users, and the embedding model that searches them by meaning.',
  },
  scopes: ['knowledge:read', 'knowledge:write'],
  events: KNOWLEDGE_EVENTS,
  audits: [knowledgeAudit, embeddingAudit],
  schemas: [...ENTRY_SCHEMAS, SEARCH_FILTER],
  configuration: [KnowledgeConfig, IngestionConfig, EmbeddingConfig],
  imports: [
    HoldModule,
    RetentionModule,
    TypeOrmModule.forFeature(ENTITIES),
    BlobStoreModule,
    DocumentParserModule,
    LlmModule,
    PassageIndexModule,
    AgentModule,
    GenerationModule,
    GroupModule,
    HoldModule,
    PassageIndexModule,
    UsageModule,
    UserModule,
  ],
  controllers: [
    FilesController,
    StoresController,
    EntriesController,
    SearchController,
    EmbeddingAdministrationController,
    KnowledgeAdministrationController,
  ],
  providers: [
    ExpiredFiles,
    ...FILES,
    ...COLLECTIONS,
    ...AGENTS,
    ...INGESTION,
    ...EMBEDDING,
    ...SEARCH,
    KnowledgeAdministrationService,
    KnowledgeFigures,
    KnowledgePersonalData,
    KnowledgeRetention,
  ],
  exports: [
    EmbeddingRequests,
    EmbeddingSettings,
    BatchesService,
    ChatFiles,
    CollectionModes,
    EntriesService,
    EntryTexts,
    FileReceiver,
    FilesService,
    HeldFilesQuery,
    KnowledgeSearch,
    ReadableStores,
    RequestFiles,
    SearchedStores,
    StoresService,
    StoreViews,
    UploadsService,
  ],
})
export class KnowledgeModule {}
