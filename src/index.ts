import 'reflect-metadata';

/** The main entry point of the package. `package.json` names the other paths (`exports`). */
export { Feature } from './common/features/feature.decorator';
export { FeatureError } from './common/features/feature.error';
export type { FeatureFacts, FeatureMetadata } from './common/features/feature-facts';
export { AgentTool, type ToolContext, type ToolOptions } from './common/tools/agent-tool.decorator';
export { ToolError } from './common/tools/tool.error';
export { OperatorError } from './config/operator.error';
export { migrateService } from './migrate-service';
export { endWithReason } from './process/end-with-reason';
export { type ServiceOptions, startService } from './start-service';
