import { TypeOrmModule } from '@nestjs/typeorm';
import { Feature } from '../../common/features/feature.decorator';
import { RateLimitStorageModule } from '../../common/rate-limit/rate-limit.module';
import { BlobStoreModule } from '../../integrations/blob-store/blob-store.module';
import { LlmModule } from '../../integrations/llm/llm.module';
import { AgentModule } from '../agent/agent.api';
import { ApiKeyModule } from '../api-key/api-key.api';
import { GenerationModule } from '../generation/generation.api';
import { GuardModule } from '../guard/guard.api';
import { HoldModule } from '../hold/hold.api';
import { KnowledgeModule } from '../knowledge/knowledge.api';
import { RetentionModule } from '../retention/retention.api';
import { UsageModule } from '../usage/usage.api';
import { UserModule } from '../user/user.api';
import { ActionsController } from './acting/actions.controller';
import { ActionsService } from './acting/actions.service';
import { AdminActionsController } from './acting/admin-actions.controller';
import { UserActionsController } from './acting/user-actions.controller';
import { ChatPersonalData } from './chat.personal-data';
import { ChatRetention } from './chat.retention';
import { ChatController } from './chats/chat.controller';
import { ChatService } from './chats/chat.service';
import { ChatReadService } from './chats/chat-read.service';
import { ChatTools } from './chats/chat-tools';
import { MessageFileController } from './chats/message-file.controller';
import { NewestMessagesQuery } from './chats/newest-messages.query';
import { ReadPlaceService } from './chats/read-place.service';
import { AgentWorkCounting } from './conversations/agent-work';
import { ChatConfig } from './conversations/chat.config';
import { ChatEntity } from './conversations/chat.entity';
import { ALL_CHAT_EVENTS } from './conversations/chat.events';
import { ChatCountEntity } from './conversations/chat-count.entity';
import { ChatCounts } from './conversations/chat-counts';
import { ChatMaker } from './conversations/chat-maker';
import { ConversationLine } from './conversations/conversation-line';
import { MessageEntity, SEARCH_TABLES } from './conversations/message.entity';
import { ExpiredChats } from './expiry/expired-chats';
import { ExpiredTraces } from './expiry/expired-traces';
import { FileUsers } from './file-users';
import { ConversationHistory } from './history/conversation-history';
import { LineRepair } from './history/line-repair';
import { PromptHistory } from './history/prompt-history';
import { ReplyController } from './joining/reply.controller';
import { ReplyAccessService } from './joining/reply-access.service';
import { ChatContentQuery } from './messages/chat-content.query';
import { ConversationQuery } from './messages/conversation.query';
import { ConversationTurns } from './messages/conversation-turns';
import { FeedbackQuery } from './messages/feedback.query';
import { MessageService } from './messages/message.service';
import { MessageFiles } from './messages/message-files';
import { OptionsStore, ReplyOrigins } from './options/options.store';
import { ReplyAgents } from './options/reply-agents';
import { ReplyOptionsEntity } from './options/reply-options.entity';
import { REPLY_EVENT } from './reading/formats/reply-event.dto';
import { UI_CHUNK_SCHEMAS } from './reading/formats/ui-chunk.schema';
import { ReplyResponder } from './reading/reply-responder';
import { ChatSearch } from './search/chat-search.service';
import { MatchQuery } from './search/match.query';
import { MessageIndex } from './search/message-index';
import { ExchangeServices } from './sending/chat-exchange';
import { ChatReplyPlace } from './sending/chat-reply-place';
import { ExchangeService } from './sending/exchange.service';
import { ExchangeReader } from './sending/exchange-reader';
import { MessageController } from './sending/message.controller';
import { MessageCounts } from './sending/message-counts';
import { SentMessageReader } from './sending/sent-message-reader';
import { TurnAppender } from './sending/turn-appender';
import { TurnFiles } from './sending/turn-files';
import { ReplyTitler } from './title/reply-titler';
import { AdminTraceController } from './traces/admin-trace.controller';
import { TraceController } from './traces/trace.controller';
import { Traces } from './traces/traces.service';

const ENTITIES = [
  ChatEntity,
  ChatCountEntity,
  MessageEntity,
  ReplyOptionsEntity,
  SEARCH_TABLES.grams,
  SEARCH_TABLES.progress,
  SEARCH_TABLES.segments,
];

/** Connects conversations to the reply engine. */
const REPLIES = [
  ChatReplyPlace,
  ReplyAgents,
  ConversationHistory,
  LineRepair,
  ReplyOrigins,
  OptionsStore,
  ReplyTitler,
  PromptHistory,
];

/** Accepts messages and sends replies. */
const SENDING = [
  ExchangeService,
  ExchangeReader,
  ExchangeServices,
  MessageCounts,
  ReplyAccessService,
  ReplyResponder,
  SentMessageReader,
  TurnAppender,
  TurnFiles,
];

/** Response headers of a reply. */
const REPLY_HEADERS = [
  'X-Chat-Id',
  'X-User-Message-Id',
  'X-Message-Id',
  'X-Stream-Offset',
  'x-vercel-ai-ui-message-stream',
];

/**
 * Conversations with agents, and their replies, which survive a crash. See docs/chat.md for the path of a message.
 *
 * - `sending/` accepts a message; the engine (`modules/generation`) writes its reply. `ChatExchange` is the interface
 *   between the two.
 * - `history/` builds prompts from a conversation, `reading/` sends replies, `joining/` lets clients join a running
 *   reply.
 * - `traces/` shows how replies were produced.
 * - `search/` searches conversations, with an index of `integrations/text-index`.
 * - `conversations/` has the tables and the current line of messages. `chats/` and `messages/` read and change them.
 */
@Feature({
  folder: __dirname,
  groups: {
    Conversations: 'Create, find, update and delete conversations.',
    Messages: 'Send messages, and stream, join, stop and rate replies.',
    'Tool approvals': 'Decisions on tool calls, and approvals that are remembered.',
  },
  urgent: [/\/chat\/[^/]+\/stop$/i],
  exposes: [...REPLY_HEADERS, 'Content-Disposition'],
  scopes: ['chat:read', 'chat:write', 'actions:decide'],
  events: ALL_CHAT_EVENTS,
  schemas: [REPLY_EVENT, ...UI_CHUNK_SCHEMAS],
  configuration: [ChatConfig],
  imports: [
    TypeOrmModule.forFeature(ENTITIES),
    BlobStoreModule,
    LlmModule,
    AgentModule,
    ApiKeyModule,
    GenerationModule,
    GuardModule,
    HoldModule,
    KnowledgeModule,
    RetentionModule,
    UsageModule,
    UserModule,
    RateLimitStorageModule,
  ],
  controllers: [
    ActionsController,
    UserActionsController,
    AdminActionsController,
    AdminTraceController,
    TraceController,
    ChatController,
    MessageController,
    MessageFileController,
    ReplyController,
  ],
  providers: [
    ActionsService,
    AgentWorkCounting,
    ChatContentQuery,
    ChatCounts,
    ChatMaker,
    ChatPersonalData,
    ChatRetention,
    ChatReadService,
    ChatSearch,
    MatchQuery,
    ChatTools,
    NewestMessagesQuery,
    ReadPlaceService,
    ChatService,
    Traces,
    ConversationLine,
    ConversationQuery,
    ConversationTurns,
    ExpiredChats,
    ExpiredTraces,
    FeedbackQuery,
    FileUsers,
    MessageFiles,
    MessageIndex,
    MessageService,
    ...REPLIES,
    ...SENDING,
  ],
  exports: [
    ActionsService,
    ReplyAgents,
    ChatContentQuery,
    ChatReadService,
    ChatReplyPlace,
    ChatService,
    ConversationQuery,
    ConversationTurns,
    ExchangeService,
    FeedbackQuery,
    MessageFiles,
    MessageService,
    ReplyOrigins,
    TurnAppender,
    OptionsStore,
  ],
})
export class ChatModule {}
