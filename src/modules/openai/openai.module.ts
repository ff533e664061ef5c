import { Module } from '@nestjs/common';
import { declareErrorDialect } from '../../common/errors/error-dialect';
import { declareApiPrefix } from '../../common/http/api-prefix';
import { declareRouteGroup } from '../../common/http/route-groups';
import { declareLocales } from '../../common/i18n/locales';
import { LlmModule } from '../../integrations/llm/llm.module';
import { AgentModule } from '../agent/agent.api';
import { ChatModule } from '../chat/chat.api';
import { CompletionController } from './completions/completion.controller';
import { CompletionService } from './completions/completion.service';
import { MessageFiles } from './completions/request/message-files';
import { OPENAI_ERRORS } from './errors/openai-error-dialect';
import { OpenAiInputModule } from './input/input.module';
import { ModelResolver } from './model-resolver';
import { OpenAiModelController } from './models/model.controller';
import { OPENAI_PREFIX } from './openai-prefix';

declareLocales(__dirname);
declareApiPrefix(OPENAI_PREFIX);
declareErrorDialect(OPENAI_PREFIX, OPENAI_ERRORS);
declareRouteGroup('OpenAI', "The API of OpenAI: its clients use the service's agents as models.", 80);

/**
 * Lets programs that were written for OpenAI use our agents. docs/openai.md says what is the same and what differs.
 *
 * - `errors/`: failures in OpenAI's form; `model-resolver.ts`: which agent a client means with `model`.
 * - `input/`: images and files of requests.
 * - `models/` and `completions/`: the routes of the same names.
 */
@Module({
  imports: [LlmModule, AgentModule, ChatModule, OpenAiInputModule],
  controllers: [OpenAiModelController, CompletionController],
  providers: [ModelResolver, MessageFiles, CompletionService],
})
export class OpenAiModule {}
