import { Environment } from '../../config/environment.decorator';
import { Switch } from '../../config/environment-rules';

/** What callers of the OpenAI door may ask for. */
@Environment()
export class OpenAiConfig {
  /** Lets callers name a provider's model (`provider/model`) instead of an agent. */
  @Switch()
  OPENAI_PASS_THROUGH = false;
}
