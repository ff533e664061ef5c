import { TypeOrmModule } from '@nestjs/typeorm';
import { Feature } from '../../common/features/feature.decorator';
import { BlobStoreModule } from '../../integrations/blob-store/blob-store.module';
import { LlmModule } from '../../integrations/llm/llm.module';
import { AgentModule } from '../agent/agent.api';
import { ChatModule } from '../chat/chat.api';
import { GenerationModule, IGNORED_TOOLS, WITHHELD_TOOLS } from '../generation/generation.api';
import { KnowledgeModule } from '../knowledge/knowledge.api';
import { McpModule } from '../mcp/mcp.api';
import { ToolModule } from '../tool/tool.api';
import { UsageModule } from '../usage/usage.api';
import { UserModule } from '../user/user.api';
import { CompletionController } from './completions/completion.controller';
import { CompletionService } from './completions/completion.service';
import { COMPLETION_SCHEMAS } from './completions/completion-documentation';
import { CompletionFiles } from './completions/request/completion-files';
import { ConversationController } from './conversations/conversation.controller';
import { ConversationEntity } from './conversations/conversation.entity';
import { ConversationItems, ConversationService } from './conversations/conversation.service';
import { ConversationItemController } from './conversations/conversation-item.controller';
import { ItemFiles, ItemPages } from './conversations/item-pages';
import { EmbeddingController } from './embeddings/embedding.controller';
import { EmbeddingService } from './embeddings/embedding.service';
import { KeptEmbeddings } from './embeddings/kept-embeddings';
import { KeptEmbeddingsEntity, KeptVectorsEntity } from './embeddings/kept-embeddings.entity';
import { OPENAI_ERRORS, RETRY } from './errors/openai-error-dialect';
import { OpenAiFileController } from './files/file.controller';
import { OpenAiUploadController } from './files/upload.controller';
import { ModelResolver } from './model-resolver';
import { OpenAiModelController } from './models/model.controller';
import { OpenAiConfig } from './openai.config';
import { OpenAiPersonalData } from './openai.personal-data';
import { OPENAI_PREFIX } from './openai-prefix';
import { RepeatedChanges } from './repeated-changes';
import { ContinuationEntity } from './responses/approval/continuation.entity';
import { ResponseContinuation } from './responses/approval/response-continuation';
import { CompactionController } from './responses/compaction/compaction.controller';
import { CompactionService } from './responses/compaction/compaction.service';
import { COMPACTED_RESPONSE } from './responses/compaction/compaction-schema';
import { ListedTools } from './responses/listed-tools.service';
import { EarlierCalls } from './responses/request/earlier-calls';
import { InputReader } from './responses/request/input-reader';
import { ResponseController } from './responses/response.controller';
import { ResponseEntity } from './responses/response.entity';
import { ResponseService } from './responses/response.service';
import { ResponseStore } from './responses/response.store';
import { ResponseCreation } from './responses/response-creation';
import { RESPONSE_SCHEMAS } from './responses/response-documentation';
import { ResponsePlaces } from './responses/response-place';
import { ResponsePreparation } from './responses/response-preparation';
import { ResponseView } from './responses/response-view';
import { ActingTools } from './tools/acting-tools';
import { FileSearches } from './tools/file-searches';
import { OTHER_TOOL_SCHEMAS } from './tools/other-tool';
import { RemoteTools } from './tools/remote-tools';
import { VectorStoreFileBatchController } from './vector-stores/batch.controller';
import { VectorStoreFileController } from './vector-stores/entry.controller';
import { VectorStoreFileLists } from './vector-stores/entry-lists';
import { POLL_AFTER } from './vector-stores/polling';
import { SEARCH_MODE, VectorStoreSearchController } from './vector-stores/search.controller';
import { VectorStoreController } from './vector-stores/store.controller';

const RESPONSES = [
  CompactionService,
  EarlierCalls,
  InputReader,
  ListedTools,
  ResponseContinuation,
  ResponseCreation,
  ResponsePreparation,
  ResponsePlaces,
  ResponseService,
  ResponseStore,
  ResponseView,
];

const CONVERSATIONS = [ConversationItems, ConversationService, ItemFiles, ItemPages];

/**
 * Lets OpenAI-compatible clients use the agents of this service. docs/openai.md lists the differences.
 *
 * - `errors/`: errors in OpenAI's format; `model-resolver.ts`: the agent for a client's `model`.
 * - `models/`, `completions/`, `embeddings/`, `responses/` and `conversations/`: the routes of the same names.
 * - `files/` and `vector-stores/`: the files and collections of `knowledge` in OpenAI's form.
 * - `input/`: the maximum lengths of texts in requests.
 */
@Feature({
  folder: __dirname,
  groups: {
    'OpenAI API': 'An OpenAI-compatible API that offers agents as models.',
    'OpenAI files': 'Files in the OpenAI-compatible API, which are the same as in the other API.',
    'OpenAI vector stores': 'Collections of files in the OpenAI-compatible API, where they are called vector stores.',
  },
  apis: [{ prefix: OPENAI_PREFIX, errors: OPENAI_ERRORS }],
  urgent: [/\/responses\/[^/]+\/cancel$/i],
  exposes: [RETRY, IGNORED_TOOLS, WITHHELD_TOOLS, POLL_AFTER, SEARCH_MODE],
  scopes: ['openai'],
  schemas: [...OTHER_TOOL_SCHEMAS, ...COMPLETION_SCHEMAS, ...RESPONSE_SCHEMAS, COMPACTED_RESPONSE],
  configuration: [OpenAiConfig],
  imports: [
    TypeOrmModule.forFeature([
      ResponseEntity,
      ContinuationEntity,
      ConversationEntity,
      KeptEmbeddingsEntity,
      KeptVectorsEntity,
    ]),
    LlmModule,
    BlobStoreModule,
    UsageModule,
    UserModule,
    AgentModule,
    GenerationModule,
    ChatModule,
    KnowledgeModule,
    ToolModule,
    McpModule,
  ],
  controllers: [
    OpenAiModelController,
    CompletionController,
    EmbeddingController,
    CompactionController,
    ResponseController,
    ConversationController,
    ConversationItemController,
    OpenAiFileController,
    OpenAiUploadController,
    VectorStoreController,
    VectorStoreFileController,
    VectorStoreFileBatchController,
    VectorStoreSearchController,
  ],
  providers: [
    ModelResolver,
    RepeatedChanges,
    VectorStoreFileLists,
    ActingTools,
    FileSearches,
    RemoteTools,
    OpenAiPersonalData,
    CompletionFiles,
    CompletionService,
    EmbeddingService,
    KeptEmbeddings,
    ...RESPONSES,
    ...CONVERSATIONS,
  ],
})
export class OpenAiModule {}
