/** What other modules may use of this one. */
export { McpServerError } from './mcp.errors';
export { McpModule } from './mcp.module';
export { type NamedRemote, RemoteServers } from './remote/remote-servers';
