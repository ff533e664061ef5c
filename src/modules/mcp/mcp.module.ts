import { TypeOrmModule } from '@nestjs/typeorm';
import { Feature } from '../../common/features/feature.decorator';
import { NetworkModule } from '../../common/network/network.module';
import { AgentModule } from '../agent/agent.api';
import { GroupModule } from '../group/group.api';
import { ToolModule } from '../tool/tool.api';
import { UserModule } from '../user/user.api';
import { McpCaller } from './calling/mcp-caller';
import { McpToolSource } from './calling/mcp-tool-source';
import { SchemaChecker } from './calling/schema-checker';
import { McpConfig } from './mcp.config';
import { toolChanged } from './mcp.events';
import { McpExchange } from './protocol/mcp-exchange';
import { McpHttp } from './protocol/mcp-http';
import { ToolListReader } from './protocol/tool-list-reader';
import { mcpServerAudit, mcpToolAudit } from './servers/mcp-server.audit';
import { McpServerEntity } from './servers/mcp-server.entity';
import { McpServerCipher, McpServerStore } from './servers/mcp-server.store';
import { McpServersController } from './servers/mcp-servers.controller';
import { ServerAdministrationService } from './servers/server-administration.service';
import { ServerFaults } from './servers/server-faults';
import { ServerTransferService } from './servers/server-transfer.service';
import { McpToolEntity } from './tools/mcp-tool.entity';
import { McpToolStore } from './tools/mcp-tool.store';
import { McpToolsController } from './tools/mcp-tools.controller';
import { ToolAdministrationService } from './tools/tool-administration.service';
import { ToolListService } from './tools/tool-list.service';

/**
 * Servers of tools (Model Context Protocol). The folders: `servers` is whom administrators trust, `protocol` speaks with them,
 * within limits of time, size and addresses, `tools` is what they list and what of it is approved, `calling` makes it tools of agents.
 */
@Feature({
  folder: __dirname,
  groups: { 'Admin: servers of tools': 'Servers whose tools agents can call (Model Context Protocol).' },
  events: [toolChanged],
  audits: [mcpServerAudit, mcpToolAudit],
  configuration: [McpConfig],
  imports: [
    TypeOrmModule.forFeature([McpServerEntity, McpToolEntity]),
    NetworkModule,
    UserModule,
    AgentModule,
    GroupModule,
    ToolModule,
  ],
  controllers: [McpServersController, McpToolsController],
  providers: [
    McpServerCipher,
    McpServerStore,
    ServerAdministrationService,
    ServerTransferService,
    ServerFaults,
    McpHttp,
    McpExchange,
    ToolListReader,
    McpToolStore,
    ToolListService,
    ToolAdministrationService,
    McpCaller,
    SchemaChecker,
    McpToolSource,
  ],
})
export class McpModule {}
