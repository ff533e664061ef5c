import { Switch } from './environment-rules';

/** The operator's policy on the conversations of users. It applies to reading them and to sending them to webhooks. */
export class ContentAccessConfig {
  /** Lets administrators read conversations of users, with a reason that goes to the audit log. */
  @Switch()
  ADMIN_CONTENT_ACCESS = false;
}
