import { createSecretKey } from 'node:crypto';
import { Module } from '@nestjs/common';
import { JwtModule } from '@nestjs/jwt';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ServiceSecret } from '../../common/security/service-secret';
import { TicketIdentity } from '../../common/security/ticket-identity';
import { LlmModule } from '../../integrations/llm/llm.module';
import { AgentModule } from '../agent/agent.api';
import { UsageModule } from '../usage/usage.api';
import { UserModule } from '../user/user.api';
import { ChatController } from './chat.controller';
import { ChatPersonalData } from './chat.personal-data';
import { ChatRetention } from './chat.retention';
import { ChatService } from './chat.service';
import { ChatCounts } from './chat-counts';
import { ChatReadService } from './chat-read.service';
import { ConversationLine } from './conversation-line';
import { ChatEntity } from './entities/chat.entity';
import { ChatCountEntity } from './entities/chat-count.entity';
import { IdempotencyKeyEntity } from './entities/idempotency-key.entity';
import { MessageEntity } from './entities/message.entity';
import { ReplyOwnerEntity } from './entities/reply-owner.entity';
import { UsedTicketEntity } from './entities/used-ticket.entity';
import { MessageController } from './message.controller';
import { MessageService } from './message.service';
import { ReplyController } from './reply.controller';
import { ReplyChannels } from './reply/reply-channels';
import { ReplyContext } from './reply/reply-context';
import { ReplyDrain } from './reply/reply-drain';
import { ReplyEndStore } from './reply/reply-end.store';
import { ReplyEnds } from './reply/reply-ends';
import { ReplyFailureLog } from './reply/reply-failure-log';
import { ReplyFinisher } from './reply/reply-finisher';
import { ReplyFlusher } from './reply/reply-flusher';
import { ReplyFollower } from './reply/reply-follower';
import { ReplyLocator } from './reply/reply-locator';
import { ReplyOwners } from './reply/reply-owners';
import { ReplyPings } from './reply/reply-pings';
import { ReplyRecovery } from './reply/reply-recovery';
import { ReplyRegistry } from './reply/reply-registry';
import { ReplyRelay } from './reply/reply-relay';
import { ReplyRunner } from './reply/reply-runner';
import { ReplyStopper } from './reply/reply-stopper';
import { ReplyTiming } from './reply/reply-timing';
import { ReplyTitler } from './reply/reply-titler';
import { ReplyUsage } from './reply/reply-usage';
import { ExchangeService } from './sending/exchange.service';
import { ExchangeStore } from './sending/exchange.store';
import { ExchangeTransaction } from './sending/exchange-transaction';
import { IdempotencyService } from './sending/idempotency.service';
import { ReplyAccessService } from './sending/reply-access.service';
import { ReplyResponder } from './sending/reply-responder';
import { SendService } from './sending/send.service';
import { UiPageMessages } from './sending/ui-page-messages';
import { StreamTickets } from './tickets/stream-tickets';

const ENTITIES = [ChatEntity, ChatCountEntity, MessageEntity, IdempotencyKeyEntity, ReplyOwnerEntity, UsedTicketEntity];

/** Writing replies. */
const REPLIES = [
  ReplyChannels,
  ReplyContext,
  ReplyDrain,
  ReplyEndStore,
  ReplyEnds,
  ReplyFinisher,
  ReplyFlusher,
  ReplyFollower,
  ReplyLocator,
  ReplyOwners,
  ReplyPings,
  ReplyRecovery,
  ReplyRegistry,
  ReplyRelay,
  ReplyRunner,
  ReplyStopper,
  ReplyFailureLog,
  ReplyTiming,
  ReplyTitler,
  ReplyUsage,
];

/** Taking messages and handing out replies. */
const SENDING = [
  ExchangeService,
  ExchangeStore,
  ExchangeTransaction,
  IdempotencyService,
  ReplyAccessService,
  ReplyResponder,
  SendService,
  UiPageMessages,
];

/** A key of its own, so that no ticket is ever taken for an access token. */
const tickets = JwtModule.registerAsync({
  inject: [ServiceSecret],
  useFactory: (secret: ServiceSecret) => ({
    secret: createSecretKey(secret.derive('stream-tickets')),
    signOptions: { algorithm: 'HS256' },
  }),
});

/** Conversations with agents, and the replies that are never lost. */
@Module({
  imports: [TypeOrmModule.forFeature(ENTITIES), LlmModule, AgentModule, UsageModule, UserModule, tickets],
  controllers: [ChatController, MessageController, ReplyController],
  providers: [
    ChatCounts,
    ChatPersonalData,
    ChatRetention,
    ChatReadService,
    ChatService,
    ConversationLine,
    MessageService,
    ...REPLIES,
    ...SENDING,
    StreamTickets,
    { provide: TicketIdentity, useExisting: StreamTickets },
  ],
  exports: [ChatReadService, ChatService, MessageService, TicketIdentity],
})
export class ChatModule {}
