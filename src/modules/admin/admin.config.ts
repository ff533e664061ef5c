import { Environment } from '../../config/environment.decorator';
import { Switch } from '../../config/environment-rules';

/** What administrators may see. */
@Environment()
export class AdminConfig {
  /** Lets administrators read conversations of users, with a reason that goes to the audit log. */
  @Switch()
  ADMIN_CONTENT_ACCESS = false;
}
