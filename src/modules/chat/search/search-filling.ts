import { Injectable, Logger } from '@nestjs/common';
import { BackgroundWork } from '../../../database/background-work';
import { SearchCollector } from './search-collector';
import { SegmentBuilder } from './segment-builder';

/** Between two steps of work that waits, in milliseconds: the service has other things to do. */
const PAUSE_MILLISECONDS = 5;
const IDLE_MILLISECONDS = 10_000;

/** Fills the index of the search, beside the service's work: no request and no reply waits for it. */
@Injectable()
export class SearchFilling {
  private readonly logger = new Logger(SearchFilling.name);

  constructor(
    private readonly collector: SearchCollector,
    private readonly builder: SegmentBuilder,
    background: BackgroundWork,
  ) {
    background.add({
      step: async () => ((await this.step()) ? PAUSE_MILLISECONDS : null),
      onError: (error) => this.logger.warn({ error }, 'The index of the search could not be filled.'),
      idleMilliseconds: IDLE_MILLISECONDS,
    });
  }

  /** @returns whether more work waits */
  async step(): Promise<boolean> {
    const hasMore = await this.collector.collect();
    return (await this.builder.buildOne()) || hasMore;
  }
}
