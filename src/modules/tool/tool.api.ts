/** The exports of this module for other modules. */
export { ConnectionNeededError, type NeededSignIn } from './registry/connection-needed.error';
export {
  type CallContext,
  FILE_SEARCH,
  type RegisteredTool,
  SEARCH_KNOWLEDGE,
  type SearchedKnowledge,
  searchesKnowledge,
  type ToolOrigin,
  type ToolOutcome,
  type ToolSource,
  type ToolWrite,
} from './registry/registered-tool';
export {
  type CallTalk,
  InputNeededError,
  type ToolAnswer,
  type ToolAnswers,
  type ToolProgress,
  type ToolQuestion,
} from './registry/tool-question';
export {
  type RemoteAccess,
  type RemoteSecrets,
  type RemoteServer,
  type RemoteTool,
  type RemoteToolMaker,
  ToolRegistry,
} from './registry/tool-registry';
export { NotMadeError, ToolRunner } from './registry/tool-runner';
export { toolText } from './registry/tool-text';
export { ConnectionRequiredError } from './tool.errors';
export { ToolModule } from './tool.module';
