import { Switch } from '../../../config/environment-rules';

/** Stops scheduled deletion. Modules that delete data in the background read it. */
export class ErasurePauseConfig {
  /** Whether retention sweeps, the emptying of the trash and the erasure of closed accounts are stopped. */
  @Switch()
  RETENTION_PAUSED = false;
}
