import { createSecretKey } from 'node:crypto';
import { JwtModule } from '@nestjs/jwt';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Feature } from '../../common/features/feature.decorator';
import { RateLimitStorageModule } from '../../common/rate-limit/rate-limit-storage.module';
import { ServiceSecret } from '../../common/security/service-secret';
import { TicketIdentity } from '../../common/security/ticket-identity';
import { BlobStoreModule } from '../../integrations/blob-store/blob-store.module';
import { LlmModule } from '../../integrations/llm/llm.module';
import { AgentModule } from '../agent/agent.api';
import { ApiKeyModule } from '../api-key/api-key.api';
import { UsageModule } from '../usage/usage.api';
import { UserModule } from '../user/user.api';
import { ChatPersonalData } from './chat.personal-data';
import { ChatRetention } from './chat.retention';
import { ChatController } from './chats/chat.controller';
import { ChatService } from './chats/chat.service';
import { ChatReadService } from './chats/chat-read.service';
import { AgentWorkCounting } from './conversations/agent-work';
import { ChatConfig } from './conversations/chat.config';
import { ChatEntity } from './conversations/chat.entity';
import { ALL_CHAT_EVENTS } from './conversations/chat.events';
import { ChatCountEntity } from './conversations/chat-count.entity';
import { ChatCounts } from './conversations/chat-counts';
import { ChatMaker } from './conversations/chat-maker';
import { ConversationLine } from './conversations/conversation-line';
import { MessageEntity } from './conversations/message.entity';
import { FileUsers } from './file-users';
import { IdempotencyService } from './idempotency/idempotency.service';
import { IdempotencyKeyEntity } from './idempotency/idempotency-key.entity';
import { InputFilesModule } from './input-files/input-files.module';
import { ChatContentQuery } from './messages/chat-content.query';
import { ConversationQuery } from './messages/conversation.query';
import { ConversationTurns } from './messages/conversation-turns';
import { FeedbackQuery } from './messages/feedback.query';
import { MessageService } from './messages/message.service';
import { MessageFileController } from './messages/message-file.controller';
import { MessageFiles } from './messages/message-files';
import { Answerers } from './reply/asking/answerers';
import { ReplyOrigins } from './reply/asking/reply-origins';
import { ReplyWishesEntity } from './reply/asking/reply-wishes.entity';
import { WishesStore } from './reply/asking/wishes.store';
import { CompactionSeal } from './reply/compaction/compaction-seal';
import { ReplyCompactor } from './reply/compaction/reply-compactor';
import { ConversationHistory } from './reply/conversation-history';
import { CrashRecovery } from './reply/elsewhere/crash-recovery';
import { InstanceChannels } from './reply/elsewhere/instance-channels';
import { InstanceHeartbeat } from './reply/elsewhere/instance-heartbeat';
import { ReplyFollower } from './reply/elsewhere/reply-follower';
import { ReplyLife } from './reply/elsewhere/reply-life';
import { ReplyLocator } from './reply/elsewhere/reply-locator';
import { ReplyOwnerEntity } from './reply/elsewhere/reply-owner.entity';
import { ReplyRelay } from './reply/elsewhere/reply-relay';
import { ReplyStopper } from './reply/elsewhere/reply-stopper';
import { RequestedStops } from './reply/elsewhere/requested-stops';
import { FailureLog } from './reply/ending/failure-log';
import { ReplyEndStore } from './reply/ending/reply-end.store';
import { ReplyFinisher, UsageMeter } from './reply/ending/reply-finisher';
import { ReplyController } from './reply/joining/reply.controller';
import { ReplyAccessService } from './reply/joining/reply-access.service';
import { StreamTickets } from './reply/joining/stream-tickets';
import { UsedTicketEntity } from './reply/joining/used-ticket.entity';
import { PromptBuilder } from './reply/prompt-builder';
import { REPLY_EVENT } from './reply/reading/formats/reply-event.dto';
import { UI_CHUNK_SCHEMAS } from './reply/reading/formats/ui-chunk.schema';
import { ReplyPings, ReplyTiming } from './reply/reading/reply-pings';
import { ReplyResponder } from './reply/reading/reply-responder';
import { ReplyStreams } from './reply/reading/reply-streams';
import { ReplyDrain } from './reply/running/reply-drain';
import { ReplyFlusher } from './reply/running/reply-flusher';
import { ReplyRunner } from './reply/running/reply-runner';
import { ReplyRegistry } from './reply/running-reply';
import { ReplyTitler } from './reply/title/reply-titler';
import { ToldConversation } from './reply/told-conversation';
import { ChatSearch } from './search/chat-search.service';
import { SearchCollector } from './search/search-collector';
import { SearchEraser } from './search/search-eraser';
import { SearchFilling } from './search/search-filling';
import { SearchGramEntity } from './search/search-gram.entity';
import { SearchIndex } from './search/search-index';
import { SearchProgressEntity } from './search/search-progress.entity';
import { SearchSegmentEntity } from './search/search-segment.entity';
import { SegmentBuilder } from './search/segment-builder';
import { ExchangeService } from './sending/exchange.service';
import { ExchangeStore } from './sending/exchange.store';
import { ExchangeReader } from './sending/exchange-reader';
import { MessageController } from './sending/message.controller';
import { SentMessageReader } from './sending/sent-message-reader';
import { TurnAppender } from './sending/turn-appender';
import { TurnFiles } from './sending/turn-files';

const SEARCH_ENTITIES = [SearchGramEntity, SearchProgressEntity, SearchSegmentEntity];
const ENTITIES = [
  ChatEntity,
  ChatCountEntity,
  MessageEntity,
  ReplyWishesEntity,
  IdempotencyKeyEntity,
  ReplyOwnerEntity,
  UsedTicketEntity,
  ...SEARCH_ENTITIES,
];

/** Writing replies. */
const REPLIES = [
  Answerers,
  CompactionSeal,
  ConversationHistory,
  InstanceChannels,
  PromptBuilder,
  ReplyCompactor,
  ReplyDrain,
  ReplyEndStore,
  ReplyFinisher,
  ReplyFlusher,
  ReplyFollower,
  ReplyLife,
  ReplyLocator,
  ReplyOrigins,
  WishesStore,
  InstanceHeartbeat,
  ReplyPings,
  CrashRecovery,
  ReplyRegistry,
  ReplyRelay,
  ReplyRunner,
  ReplyStopper,
  ReplyStreams,
  RequestedStops,
  FailureLog,
  ReplyTiming,
  ReplyTitler,
  ToldConversation,
  UsageMeter,
];

/** Finding conversations by their text. */
const SEARCH = [ChatSearch, SearchCollector, SearchEraser, SearchFilling, SearchIndex, SegmentBuilder];

/** Taking messages and handing out replies. */
const SENDING = [
  ExchangeService,
  ExchangeReader,
  ExchangeStore,
  IdempotencyService,
  ReplyAccessService,
  ReplyResponder,
  SentMessageReader,
  TurnAppender,
  TurnFiles,
];

/** Headers of answers with a reply. */
const REPLY_HEADERS = [
  'X-Quota-Messages-Remaining',
  'X-Quota-Tokens-Remaining',
  'X-Chat-Id',
  'X-User-Message-Id',
  'X-Message-Id',
  'x-vercel-ai-ui-message-stream',
];

/** Tickets have their own key, so that no ticket can pass as an access token. */
const tickets = JwtModule.registerAsync({
  inject: [ServiceSecret],
  useFactory: (secret: ServiceSecret) => ({
    secret: createSecretKey(secret.derive('stream-tickets')),
    signOptions: { algorithm: 'HS256' },
  }),
});

/**
 * Conversations with agents, and their replies, which survive a crash. docs/chat.md tells the way of a message.
 *
 * - `sending/` takes a message, `reply/` writes, ends, joins and stops its reply, `idempotency/` remembers repeated requests.
 * - `search/` finds conversations by their text.
 * - `input-files/` reads the images and files that requests name, of other APIs too.
 * - `conversations/` has the tables and the line of messages that is shown. `chats/` and `messages/` read and change them.
 */
@Feature({
  folder: __dirname,
  groups: {
    Conversations: 'Opening, finding, changing and deleting conversations.',
    Messages: 'Talking in a conversation: sending, streaming, joining, stopping, rating replies.',
  },
  exposes: [...REPLY_HEADERS, 'Content-Disposition'],
  scopes: ['chat:read', 'chat:write'],
  events: ALL_CHAT_EVENTS,
  schemas: [REPLY_EVENT, ...UI_CHUNK_SCHEMAS],
  configuration: [ChatConfig],
  imports: [
    TypeOrmModule.forFeature(ENTITIES),
    BlobStoreModule,
    InputFilesModule,
    LlmModule,
    AgentModule,
    ApiKeyModule,
    UsageModule,
    UserModule,
    RateLimitStorageModule,
    tickets,
  ],
  controllers: [ChatController, MessageController, MessageFileController, ReplyController],
  providers: [
    AgentWorkCounting,
    ChatContentQuery,
    ChatCounts,
    ChatMaker,
    ChatPersonalData,
    ChatRetention,
    ChatReadService,
    ChatService,
    ConversationLine,
    ConversationQuery,
    ConversationTurns,
    FeedbackQuery,
    FileUsers,
    MessageFiles,
    MessageService,
    ...REPLIES,
    ...SEARCH,
    ...SENDING,
    StreamTickets,
    { provide: TicketIdentity, useExisting: StreamTickets },
  ],
  exports: [
    Answerers,
    ChatContentQuery,
    ChatReadService,
    ChatService,
    CompactionSeal,
    ConversationQuery,
    ConversationTurns,
    ExchangeService,
    FeedbackQuery,
    IdempotencyService,
    InputFilesModule,
    MessageService,
    ReplyLocator,
    ReplyOrigins,
    ReplyStopper,
    ReplyStreams,
    TicketIdentity,
    TurnAppender,
    WishesStore,
  ],
})
export class ChatModule {}
