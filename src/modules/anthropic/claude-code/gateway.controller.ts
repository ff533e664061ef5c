import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { NotFoundError } from '../../../common/errors/common.errors';
import { sendJson } from '../../../common/http/send-json';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { OwnBudgetsService } from '../../budget/budget.api';
import { PricingConfig } from '../../pricing/pricing.api';
import { ANTHROPIC_PREFIX } from '../anthropic-prefix';
import { ClaudePolicies } from './claude-policies';
import { managedSettings, usageOf } from './gateway-protocol';

/** An id that no agent has. */
const NO_AGENT = 0;

/** What Claude Code reads from its gateway: the managed settings, and the user's budgets. */
@ApiExcludeController()
@Authenticated()
@KeyScope('anthropic')
@Controller(ANTHROPIC_PREFIX)
export class GatewayController {
  constructor(
    private readonly policies: ClaudePolicies,
    private readonly budgets: OwnBudgetsService,
    private readonly pricing: PricingConfig,
  ) {}

  /** @throws NotFoundError if no policy is for this user */
  @Get('managed/settings')
  async settings(
    @CurrentContext() { principal }: RequestContext,
    @Req() { headers }: Request,
    @Res() response: Response,
  ): Promise<void> {
    const settings = await this.policies.settingsFor(principal);
    if (settings === null) {
      throw new NotFoundError();
    }
    const managed = managedSettings(settings);
    const tag = `"${managed.checksum}"`;
    response.setHeader('ETag', tag);
    if (headers['if-none-match'] === tag) {
      response.status(304).end();
    } else {
      sendJson(response, managed);
    }
  }

  @Get('api/oauth/usage')
  async usage(@CurrentContext() { principal }: RequestContext): Promise<object> {
    const budgets = await this.budgets.hardOf(principal, NO_AGENT);
    return usageOf(
      budgets.filter(({ isOwn }) => isOwn),
      this.pricing.COST_CURRENCY,
    );
  }
}
