import { HostList } from '../../common/network/host-list.decorator';
import { Switch } from '../../config/environment-rules';

/** MCP servers. */
export class McpConfig {
  /**
   * MCP servers and authorization servers inside the installation's network, in the format of WEBHOOK_ALLOWED_HOSTS.
   * Only these may use plain http, including the pages where users sign in. Default: public hosts, by https.
   */
  @HostList()
  MCP_ALLOWED_HOSTS: string[] | null = null;

  /** Allows requests of the OpenAI-compatible API to define MCP servers by URL, without review by an administrator. */
  @Switch()
  MCP_REMOTE_URLS = false;
}
