import { HostList } from '../../common/network/host-list.decorator';
import { Switch } from '../../config/environment-rules';

/** Servers of tools (MCP). */
export class McpConfig {
  /**
   * Servers and their authorization servers inside the installation's network, in the forms of WEBHOOK_ALLOWED_HOSTS. Plain http is
   * allowed to them alone, also for the pages that people are sent to there to sign in. Default: public hosts, by https.
   */
  @HostList()
  MCP_ALLOWED_HOSTS: string[] | null = null;

  /** Lets requests of OpenAI's API name servers by their addresses, which no administrator has seen. */
  @Switch()
  MCP_REMOTE_URLS = false;
}
