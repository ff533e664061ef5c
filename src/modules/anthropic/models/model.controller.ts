import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { ANTHROPIC_PREFIX } from '../anthropic-prefix';
import type { ModelInfo, ModelInfoPage } from './model-info.dto';
import { ModelList } from './model-list';
import { pageOf } from './model-page';

/** The models in the format of Anthropic's API. */
@ApiExcludeController()
@Authenticated()
@KeyScope('anthropic')
@Controller(`${ANTHROPIC_PREFIX}/v1/models`)
export class AnthropicModelController {
  constructor(private readonly models: ModelList) {}

  @Get()
  async list(
    @CurrentContext() { principal }: RequestContext,
    @Query() query: Record<string, unknown>,
  ): Promise<ModelInfoPage> {
    return pageOf(await this.models.list(principal), query);
  }

  @Get('*id')
  find(@CurrentContext() { principal }: RequestContext, @Param('id') id: string | string[]): Promise<ModelInfo> {
    return this.models.find([id].flat().join('/'), principal);
  }
}
