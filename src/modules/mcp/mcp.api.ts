/** The public interface of this module. */
export { McpServerError } from './mcp.errors';
export { McpModule } from './mcp.module';
export { type NamedRemote, RemoteServers } from './remote/remote-servers';
