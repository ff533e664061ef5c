import { createSecretKey } from 'node:crypto';
import { JwtModule } from '@nestjs/jwt';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Feature } from '../../common/features/feature.decorator';
import { RateLimitStorageModule } from '../../common/rate-limit/rate-limit.module';
import { ApiKeyIdentity } from '../../common/security/api-key-identity';
import { Scopes } from '../../common/security/scopes';
import { ServiceSecret } from '../../common/security/service-secret';
import { TicketIdentity } from '../../common/security/ticket-identity';
import { IdentityModule } from '../identity/identity.api';
import { UsageModule } from '../usage/usage.api';
import { UserModule } from '../user/user.api';
import { AdminApiKeysController } from './administration/admin-api-keys.controller';
import { ApiKeyAdministrationService } from './administration/api-key-administration.service';
import { ApiKeySearchQuery } from './administration/api-key-search.query';
import { ApiKeyPersonalData } from './api-key.personal-data';
import { apiKeyAudit } from './keys/api-key.audit';
import { ApiKeyEntity } from './keys/api-key.entity';
import { API_KEY_EVENTS } from './keys/api-key.events';
import { ApiKeyQuery } from './keys/api-key.query';
import { ApiKeyRetention } from './keys/api-key.retention';
import { ApiKeyService } from './keys/api-key.service';
import { ApiKeyIdentities, ApiKeyStore } from './keys/api-key.store';
import { ApiKeyRules } from './keys/api-key-rules';
import { ApiKeysController } from './own/api-keys.controller';
import { documentScopes } from './own/document-scopes';
import { StreamTickets } from './tickets/stream-tickets';
import { UsedTicketEntity } from './tickets/used-ticket.entity';

/** Tickets have their own key, so that no ticket can be used as an access token. */
const tickets = JwtModule.registerAsync({
  inject: [ServiceSecret],
  useFactory: (secret: ServiceSecret) => ({
    secret: createSecretKey(secret.derive('stream-tickets')),
    signOptions: { algorithm: 'HS256' },
  }),
});

/**
 * Keys with which programs call on behalf of a user. See docs/api-keys.md.
 *
 * - `keys/` has the table and the rules. `ApiKeyIdentities` finds the owner of a key, `ApiKeyStore` creates and ends
 *   keys.
 * - `own/` and `administration/` are the routes for owners and administrators.
 * - `tickets/` opens streams for programs that cannot send a key or a token.
 */
@Feature({
  folder: __dirname,
  groups: { 'API keys': 'Keys that let programs call the API on behalf of a user.' },
  events: API_KEY_EVENTS,
  audits: [apiKeyAudit],
  imports: [
    TypeOrmModule.forFeature([ApiKeyEntity, UsedTicketEntity]),
    RateLimitStorageModule,
    IdentityModule,
    UsageModule,
    UserModule,
    tickets,
  ],
  controllers: [ApiKeysController, AdminApiKeysController],
  providers: [
    ApiKeyAdministrationService,
    ApiKeyIdentities,
    ApiKeyPersonalData,
    ApiKeyQuery,
    ApiKeyRetention,
    ApiKeyRules,
    ApiKeySearchQuery,
    ApiKeyService,
    ApiKeyStore,
    StreamTickets,
    { provide: ApiKeyIdentity, useExisting: ApiKeyIdentities },
    { provide: TicketIdentity, useExisting: StreamTickets },
  ],
  exports: [ApiKeyIdentity, ApiKeyQuery, StreamTickets, TicketIdentity],
})
export class ApiKeyModule {
  constructor(scopes: Scopes) {
    documentScopes(scopes);
  }
}
