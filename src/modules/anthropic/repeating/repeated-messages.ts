import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { Response } from 'express';
import { HOUR_MILLISECONDS } from '../../../common/time';
import { BackgroundWork } from '../../../database/background-work';
import { IdempotencyConflictError } from '../../generation/generation.api';
import type { MessageRequest } from '../messages/message-request';
import { AnswerStore, type StoredAnswer } from './answer.store';
import { ResponseRecorder } from './response-recorder';

/**
 * First pause between two looks at a request that another connection or instance serves. Each pause is twice as long, so
 * that many repetitions of a long request cost the database little.
 */
const WAIT_MILLISECONDS = 250;

const LONGEST_WAIT_MILLISECONDS = 5_000;

/** Pause between two signs that a request is still served. */
const SIGN_MILLISECONDS = 5_000;

/**
 * Serves a request with an `Idempotency-Key` once. Only complete responses with status 200 are stored; a key whose
 * request failed is free again. A repetition during the run waits for the result.
 */
@Injectable()
export class RepeatedMessages {
  private readonly logger = new Logger(RepeatedMessages.name);

  constructor(
    private readonly store: AnswerStore,
    background: BackgroundWork,
  ) {
    background.add({
      step: async () => {
        await this.store.purge();
        return null;
      },
      onError: (error) => this.logger.warn({ error }, 'Stored responses could not be removed.'),
      idleMilliseconds: HOUR_MILLISECONDS,
    });
  }

  /** @throws IdempotencyConflictError if the key was used with another body, and the errors of `serve` */
  async answer({ context, exchange, bytes, key }: MessageRequest, serve: () => Promise<void>): Promise<void> {
    if (key === null) {
      await serve();
      return;
    }
    const { response } = exchange;
    const fingerprint = createHash('sha256').update(bytes).digest('hex');
    let pause = WAIT_MILLISECONDS;
    while (!response.destroyed) {
      const claimed = await this.store.claim({ userId: context.principal.userId, key }, fingerprint);
      if (claimed.state === 'claimed') {
        await this.serve(claimed.id, response, serve);
        return;
      }
      if (claimed.fingerprint !== fingerprint) {
        throw new IdempotencyConflictError();
      }
      if (claimed.state === 'stored') {
        send(response, claimed.answer);
        return;
      }
      await delay(pause);
      pause = Math.min(2 * pause, LONGEST_WAIT_MILLISECONDS);
    }
  }

  private async serve(id: number, response: Response, serve: () => Promise<void>): Promise<void> {
    const recorder = new ResponseRecorder(response);
    const signs = setInterval(() => {
      this.store.extend(id).catch((error: unknown) => this.logger.warn({ error }, 'A key could not be kept.'));
    }, SIGN_MILLISECONDS);
    try {
      await serve();
      const answer = await recorder.whenSent();
      await (answer === null ? this.store.free(id) : this.store.keep(id, answer));
    } catch (error) {
      await this.store.free(id);
      throw error;
    } finally {
      clearInterval(signs);
    }
  }
}

function send(response: Response, { body, contentType, requestId }: StoredAnswer): void {
  response.setHeader('Content-Type', contentType ?? 'application/json');
  response.setHeader('Content-Length', body.length);
  if (requestId !== null) {
    response.setHeader('request-id', requestId);
  }
  response.end(body);
}
