import { Feature } from '../../common/features/feature.decorator';
import { AgentModule } from '../agent/agent.api';
import { ToolRegistry } from './registry/tool-registry';
import { ToolRunner } from './registry/tool-runner';
import { ShippedTools } from './shipped/shipped-tools';
import { ToolsController } from './tools.controller';
import { ToolsService } from './tools.service';

/**
 * Functions that agents can call. Modules define tools with `@AgentTool` on methods of their providers.
 *
 * - `registry/` finds tools, validates their arguments, and calls them with a time limit.
 * - `shipped/` has the tools that belong to no other module.
 */
@Feature({
  folder: __dirname,
  imports: [AgentModule],
  controllers: [ToolsController],
  providers: [ShippedTools, ToolRegistry, ToolRunner, ToolsService],
  exports: [ToolRegistry, ToolRunner],
})
export class ToolModule {}
