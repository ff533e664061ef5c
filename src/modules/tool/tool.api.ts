/** What other modules may use of this one. */
export { ConnectionNeededError, type NeededSignIn } from './registry/connection-needed.error';
export { NotMadeError } from './registry/not-made.error';
export type {
  CallContext,
  RegisteredTool,
  ToolOrigin,
  ToolOutcome,
  ToolSource,
  ToolWrite,
} from './registry/registered-tool';
export type { RemoteAccess, RemoteSecrets, RemoteServer, RemoteTool, RemoteToolMaker } from './registry/remote-tools';
export {
  type CallTalk,
  InputNeededError,
  type ToolAnswer,
  type ToolAnswers,
  type ToolProgress,
  type ToolQuestion,
} from './registry/tool-question';
export { ToolRegistry } from './registry/tool-registry';
export { ToolRunner } from './registry/tool-runner';
export { ConnectionRequiredError } from './tool.errors';
export { ToolModule } from './tool.module';
