import { Logger } from '@nestjs/common';
import { fake } from '../../../../test/support/fake';
import { Clock } from '../../../common/clock';
import { ServiceUnavailableError } from '../../../common/errors/common.errors';
import type { Database } from '../../../database/database';
import type { CostLedger, PricedRequest } from '../../usage/usage.api';
import type { ReplyBudget } from '../paying/reply-budget';
import type { GenerationTask } from '../reply/generation-task';
import type { ReplyDriver } from '../reply/reply-driver';
import type { ReplyOrigin } from '../reply/reply-origin';
import { RunningReply } from '../reply/running-reply';
import { AbandonedRequests } from './abandoned-requests';
import type { CostMeter } from './cost-meter';

describe('AbandonedRequests', () => {
  afterEach(() => jest.restoreAllMocks());

  it('records nothing if the prices of the fallback models cannot be fixed', async () => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const reply = new RunningReply(1, 2, 3, {} as GenerationTask, {} as ReplyOrigin, {} as ReplyDriver);
    const request: { written?: PricedRequest } = {};
    const write = jest.fn();
    const requests = new AbandonedRequests(
      fake<Database>({ write }),
      new Clock(),
      fake<CostMeter>({ ofAbandoned: () => Promise.resolve([{ request, spent: {} }]) }),
      fake<CostLedger>({ price: () => Promise.resolve([{ cost: 1n }]) }),
      fake<ReplyBudget>({ markFallbacks: () => Promise.reject(new ServiceUnavailableError()) }),
    );
    expect(await requests.keep(reply)).toBe(false);
    expect(write).not.toHaveBeenCalled();
    expect(request).toEqual({});
  });
});
