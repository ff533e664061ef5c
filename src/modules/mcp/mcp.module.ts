import { TypeOrmModule } from '@nestjs/typeorm';
import { Feature } from '../../common/features/feature.decorator';
import { NetworkModule } from '../../common/network/network.module';
import { RateLimitStorageModule } from '../../common/rate-limit/rate-limit.module';
import { AgentModule } from '../agent/agent.api';
import { GroupModule } from '../group/group.api';
import { IdentityModule } from '../identity/identity.api';
import { ToolModule } from '../tool/tool.api';
import { UserModule } from '../user/user.api';
import { mcpServerAudit, mcpToolAudit } from './administration/mcp-server.audit';
import { McpServersController } from './administration/mcp-servers.controller';
import { McpToolsController } from './administration/mcp-tools.controller';
import { ServerAdministrationService } from './administration/server-administration.service';
import { ServerTransferService } from './administration/server-transfer.service';
import { ToolAdministrationService } from './administration/tool-administration.service';
import { McpCaller } from './calling/mcp-caller';
import { McpToolSource } from './calling/mcp-tool-source';
import { SchemaChecker } from './calling/schema-checker';
import { McpConnectionEntity } from './connections/connection.entity';
import { ConnectionPersonalData } from './connections/connection.personal-data';
import { ConnectionRetention } from './connections/connection.retention';
import { ConnectionStore } from './connections/connection.store';
import { ConnectionCallback } from './connections/connection-callback';
import { ConnectionCallbackController, ConnectionCounter } from './connections/connection-callback.controller';
import { ConnectionEnds } from './connections/connection-ends';
import { McpConnectionFlowEntity } from './connections/connection-flow.entity';
import { ConnectionFlowStore, ConnectionStates } from './connections/connection-flow.store';
import { ClientAddresses, ConnectionCookie, ConnectionStart } from './connections/connection-start';
import { ConnectionsController } from './connections/connections.controller';
import { ConnectionsService } from './connections/connections.service';
import { EnterpriseConnections } from './connections/enterprise-connections';
import { McpRegistrationEntity } from './connections/registration.entity';
import { Registrations } from './connections/registrations';
import { McpRevocationEntity } from './connections/revocation.entity';
import { RevocationWorker } from './connections/revocation-worker';
import { ServerAuthorization } from './connections/server-authorization';
import { TokenRenewal } from './connections/token-renewal';
import { McpConfig } from './mcp.config';
import { toolChanged } from './mcp.events';
import { Authorities } from './oauth/authorities';
import { TokenRequests } from './oauth/token-requests';
import { McpExchange } from './protocol/mcp-exchange';
import { McpHttp } from './protocol/mcp-http';
import { McpNetwork } from './protocol/mcp-network';
import { NamedHttp } from './protocol/named-http';
import { ToolListReader } from './protocol/tool-list-reader';
import { RemoteServers } from './remote/remote-servers';
import { McpServerEntity } from './servers/mcp-server.entity';
import { McpServerCipher, McpServerStore } from './servers/mcp-server.store';
import { ServerFaults } from './servers/server-faults';
import { McpToolEntity } from './tools/mcp-tool.entity';
import { McpToolStore } from './tools/mcp-tool.store';
import { ToolChanges, ToolListService } from './tools/tool-list.service';
import { UserToolLists } from './tools/user-tool-lists';

/**
 * MCP servers (Model Context Protocol).
 *
 * - `servers/` has the servers that administrators added, `tools/` their tools and approvals.
 * - `protocol/` communicates with servers, with limits of time, size and addresses.
 * - `oauth/` communicates with authorization servers, `connections/` has the grants of users.
 * - `calling/` makes the tools available to agents, `remote/` those of servers that single requests define.
 */
@Feature({
  folder: __dirname,
  groups: { 'Tools and MCP': 'Tools that agents can call, MCP servers, and connections of users to them.' },
  events: [toolChanged],
  audits: [mcpServerAudit, mcpToolAudit],
  configuration: [McpConfig],
  imports: [
    TypeOrmModule.forFeature([
      McpServerEntity,
      McpToolEntity,
      McpConnectionEntity,
      McpConnectionFlowEntity,
      McpRegistrationEntity,
      McpRevocationEntity,
    ]),
    NetworkModule,
    RateLimitStorageModule,
    UserModule,
    IdentityModule,
    AgentModule,
    GroupModule,
    ToolModule,
  ],
  controllers: [McpServersController, McpToolsController, ConnectionsController, ConnectionCallbackController],
  providers: [
    McpServerCipher,
    McpServerStore,
    ServerAdministrationService,
    ServerTransferService,
    ServerFaults,
    McpNetwork,
    McpHttp,
    NamedHttp,
    Authorities,
    TokenRequests,
    Registrations,
    RevocationWorker,
    ConnectionStore,
    ConnectionEnds,
    ConnectionStates,
    ConnectionFlowStore,
    ConnectionCookie,
    ConnectionCounter,
    ClientAddresses,
    EnterpriseConnections,
    TokenRenewal,
    ServerAuthorization,
    ConnectionStart,
    ConnectionCallback,
    ConnectionsService,
    ConnectionRetention,
    ConnectionPersonalData,
    McpExchange,
    ToolListReader,
    McpToolStore,
    UserToolLists,
    ToolChanges,
    ToolListService,
    ToolAdministrationService,
    McpCaller,
    SchemaChecker,
    McpToolSource,
    RemoteServers,
  ],
  exports: [RemoteServers],
})
export class McpModule {}
