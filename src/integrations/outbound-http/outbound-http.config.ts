import { ValidateBy, ValidateIf } from 'class-validator';
import { Environment } from '../../config/environment.decorator';
import { CommaSeparated } from '../../config/environment-rules';
import { AllowedHosts } from './allowed-hosts';

/** Where requests to addresses may go that users chose: webhooks, and files that a message names. */
@Environment()
export class OutboundHttpConfig {
  /**
   * Targets inside the installation's network, separated by commas: hosts (`hooks`, `hooks:8080`), suffixes (`.internal`),
   * addresses or networks (`10.0.0.0/8`). Plain http is allowed there even in production. Default: public hosts only.
   */
  @CommaSeparated()
  @ValidateIf((config: OutboundHttpConfig) => config.WEBHOOK_ALLOWED_HOSTS !== null)
  @ValidateBy({
    name: 'allowedHosts',
    validator: {
      validate: (entries) => Array.isArray(entries) && entries.every((entry) => AllowedHosts.isEntry(entry)),
      defaultMessage: () =>
        '$property must be hosts, host:port, suffixes such as .internal, addresses or networks, separated by commas',
    },
  })
  WEBHOOK_ALLOWED_HOSTS: string[] | null = null;
}
