import { HostList } from '../../common/network/host-list.decorator';

/** Services that check texts. */
export class GuardConfig {
  /**
   * Guards inside the installation's network, in the format of WEBHOOK_ALLOWED_HOSTS. Only these may use plain http.
   * Default: public hosts, by https.
   */
  @HostList()
  GUARD_ALLOWED_HOSTS: string[] | null = null;
}
