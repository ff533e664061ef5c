import { Switch } from '../../config/environment-rules';
import { Environment } from '../../config/environment.decorator';

/** What administrators may see. */
@Environment()
export class AdminConfig {
  /** Lets administrators read conversations of users, with a reason that goes to the audit log. */
  @Switch()
  ADMIN_CONTENT_ACCESS = false;
}
