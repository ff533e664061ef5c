import { TypeOrmModule } from '@nestjs/typeorm';
import { Feature } from '../../common/features/feature.decorator';
import { LlmModule } from '../../integrations/llm/llm.module';
import { AgentModule } from '../agent/agent.api';
import { ApiKeyModule } from '../api-key/api-key.api';
import { BudgetModule } from '../budget/budget.api';
import { GenerationModule, IGNORED_TOOLS, WITHHELD_TOOLS } from '../generation/generation.api';
import { GuardModule } from '../guard/guard.api';
import { UsageModule } from '../usage/usage.api';
import { UserModule } from '../user/user.api';
import { AnthropicConfig } from './anthropic.config';
import { AnthropicPersonalData } from './anthropic.personal-data';
import { ANTHROPIC_PREFIX } from './anthropic-prefix';
import { ClaudePolicies, claudeSettingsAudit } from './claude-code/claude-policies';
import { ClaudeSettingsController } from './claude-code/claude-settings.controller';
import { GatewayController } from './claude-code/gateway.controller';
import { ANTHROPIC_ERRORS, RETRY } from './errors/anthropic-error-dialect';
import { StoppedReplies } from './errors/stopped-replies';
import { BUDGET_HEADERS } from './messages/budget-headers';
import { GuardedBodies } from './messages/guarded-bodies';
import { MessageController } from './messages/message.controller';
import { MessageService } from './messages/message.service';
import { MAX_TOKENS } from './messages/output-limit';
import { ModelAliasController } from './models/aliases/alias.controller';
import { anthropicModelsAudit, ModelAliases } from './models/aliases/model-aliases';
import { MessageTargets } from './models/message-targets';
import { AnthropicModelController } from './models/model.controller';
import { ModelList } from './models/model-list';
import { PassThroughMessages, TOKEN_COUNT } from './pass-through/pass-through-messages';
import { PROVIDER_REQUEST_ID } from './pass-through/relay-writer';
import { AnthropicAnswerEntity } from './repeating/answer.entity';
import { AnswerStore } from './repeating/answer.store';
import { RepeatedMessages } from './repeating/repeated-messages';
import { AnthropicSettingEntity } from './settings/anthropic-setting.entity';
import { AnthropicSettingStore } from './settings/anthropic-setting.store';
import { TelemetryController } from './telemetry/telemetry.controller';
import { IGNORED_FIELDS } from './translation/request/ignored-fields';
import { TRANSLATION } from './translation/translation-providers';

/** The header with the request's id in Anthropic's API. */
const REQUEST_ID = 'request-id';

/** The start of headers with the limit of requests in Anthropic's API. */
const REQUEST_LIMIT = 'anthropic-ratelimit-requests';

const LIMIT_HEADERS = ['limit', 'remaining', 'reset'].map((name) => `${REQUEST_LIMIT}-${name}`);

/**
 * Lets clients of Anthropic's Messages API use the agents and models of this service. docs/anthropic.md lists the
 * differences.
 *
 * - `errors/`: errors in Anthropic's format.
 * - `models/`: what answers for a client's `model`.
 * - `messages/`: the routes of messages. `pass-through/` answers with models of Anthropic providers, `agents/` with
 *   agents on such providers, `translation/` with all others. `repeating/` serves a repeated request once.
 * - `claude-code/` and `telemetry/`: what Claude Code needs in addition. `settings/`: the table of both settings.
 */
@Feature({
  folder: __dirname,
  apis: [
    {
      prefix: ANTHROPIC_PREFIX,
      errors: ANTHROPIC_ERRORS,
      keyHeader: 'x-api-key',
      requestIdHeader: REQUEST_ID,
      limitHeaders: REQUEST_LIMIT,
    },
  ],
  exposes: [
    REQUEST_ID,
    RETRY,
    TOKEN_COUNT,
    MAX_TOKENS,
    PROVIDER_REQUEST_ID,
    IGNORED_FIELDS,
    IGNORED_TOOLS,
    WITHHELD_TOOLS,
    ...BUDGET_HEADERS,
    ...LIMIT_HEADERS,
  ],
  scopes: ['anthropic'],
  audits: [anthropicModelsAudit, claudeSettingsAudit],
  configuration: [AnthropicConfig],
  imports: [
    TypeOrmModule.forFeature([AnthropicSettingEntity, AnthropicAnswerEntity]),
    LlmModule,
    ApiKeyModule,
    BudgetModule,
    UsageModule,
    UserModule,
    AgentModule,
    GenerationModule,
    GuardModule,
  ],
  controllers: [
    MessageController,
    AnthropicModelController,
    TelemetryController,
    ModelAliasController,
    GatewayController,
    ClaudeSettingsController,
  ],
  providers: [
    AnthropicPersonalData,
    AnswerStore,
    RepeatedMessages,
    ClaudePolicies,
    AnthropicSettingStore,
    ModelAliases,
    ModelList,
    MessageTargets,
    MessageService,
    GuardedBodies,
    PassThroughMessages,
    StoppedReplies,
    ...TRANSLATION,
  ],
})
export class AnthropicModule {}
