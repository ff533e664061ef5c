import { IsIn } from 'class-validator';
import type { UnknownPolicy } from './tools/ignored-tools';

const POLICIES: UnknownPolicy[] = ['ignore', 'refuse'];

/** Options of the OpenAI-compatible API. */
export class OpenAiConfig {
  /** Tools of unsupported types: `ignore` omits them and lists them in a header; `refuse` refuses the request. */
  @IsIn(POLICIES, { message: '$property must be ignore or refuse' })
  OPENAI_UNKNOWN_TOOLS: UnknownPolicy = 'ignore';

  /** Input items of unknown types: `ignore` skips them; `refuse` refuses the request. */
  @IsIn(POLICIES, { message: '$property must be ignore or refuse' })
  OPENAI_UNKNOWN_ITEMS: UnknownPolicy = 'ignore';
}
