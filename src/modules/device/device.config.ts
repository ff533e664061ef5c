import { Switch, WholeNumber } from '../../config/environment-rules';

/** The codes with which users approve command-line programs. */
export class DeviceConfig {
  /** Seconds that both codes are valid. */
  @WholeNumber(60, 3_600)
  DEVICE_CODE_TTL = 600;

  /** Whether the response also has a link that contains the user code. */
  @Switch()
  DEVICE_CODE_IN_LINK = false;
}
