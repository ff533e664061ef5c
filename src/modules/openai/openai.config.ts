import { IsIn } from 'class-validator';
import { Switch } from '../../config/environment-rules';
import type { UnknownPolicy } from './tools/ignored-tools';

const POLICIES: UnknownPolicy[] = ['ignore', 'refuse'];

/** What callers of the OpenAI door may ask for. */
export class OpenAiConfig {
  /** Lets callers name a provider's model (`provider/model`) instead of an agent. */
  @Switch()
  OPENAI_PASS_THROUGH = false;

  /** Tools that nothing here executes: left out and named in a header, or refused. */
  @IsIn(POLICIES, { message: '$property must be ignore or refuse' })
  OPENAI_UNKNOWN_TOOLS: UnknownPolicy = 'ignore';

  /** Items of input whose type is not known: skipped, or refused. */
  @IsIn(POLICIES, { message: '$property must be ignore or refuse' })
  OPENAI_UNKNOWN_ITEMS: UnknownPolicy = 'ignore';
}
