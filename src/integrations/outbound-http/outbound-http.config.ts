import { HostList } from '../../common/network/host-list.decorator';

/** Allowed targets of requests to addresses that users chose: webhooks, and files that a message names. */
export class OutboundHttpConfig {
  /**
   * Targets inside the installation's network, separated by commas: hosts (`hooks`, `hooks:8080`), suffixes
   * (`.internal`), addresses or networks (`10.0.0.0/8`). Plain http is allowed there even in production. Default:
   * public hosts only.
   */
  @HostList()
  WEBHOOK_ALLOWED_HOSTS: string[] | null = null;
}
