import { Feature } from '../../common/features/feature.decorator';
import { LlmModule } from '../../integrations/llm/llm.module';
import { AgentModule } from '../agent/agent.api';
import { GenerationModule, IGNORED_TOOLS, WITHHELD_TOOLS } from '../generation/generation.api';
import { UsageModule } from '../usage/usage.api';
import { UserModule } from '../user/user.api';
import { AnthropicConfig } from './anthropic.config';
import { ANTHROPIC_PREFIX } from './anthropic-prefix';
import { ANTHROPIC_ERRORS, RETRY } from './errors/anthropic-error-dialect';
import { MessageController } from './messages/message.controller';
import { MessageService, TOKEN_COUNT } from './messages/message.service';
import { MessageTargets } from './models/message-targets';
import { PassThroughMessages } from './pass-through/pass-through-messages';
import { IGNORED_FIELDS } from './translation/request/ignored-fields';
import { TRANSLATION } from './translation/translation-providers';

/** The header with the request's id in Anthropic's API. */
const REQUEST_ID = 'request-id';

/**
 * Lets clients of Anthropic's Messages API use the agents and models of this service. docs/anthropic.md lists the
 * differences.
 *
 * - `errors/`: errors in Anthropic's format.
 * - `models/`: what answers for a client's `model`.
 * - `messages/`: the routes; `pass-through/` answers for Anthropic providers, `translation/` for agents and others.
 */
@Feature({
  folder: __dirname,
  apis: [{ prefix: ANTHROPIC_PREFIX, errors: ANTHROPIC_ERRORS, keyHeader: 'x-api-key', requestIdHeader: REQUEST_ID }],
  exposes: [REQUEST_ID, RETRY, TOKEN_COUNT, IGNORED_FIELDS, IGNORED_TOOLS, WITHHELD_TOOLS],
  scopes: ['anthropic'],
  configuration: [AnthropicConfig],
  imports: [LlmModule, UsageModule, UserModule, AgentModule, GenerationModule],
  controllers: [MessageController],
  providers: [MessageTargets, MessageService, PassThroughMessages, ...TRANSLATION],
})
export class AnthropicModule {}
