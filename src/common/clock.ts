import { Injectable } from '@nestjs/common';

/** The current time. Rules about days, expiry and schedules use only this clock, so tests can set the time. */
@Injectable()
export class Clock {
  now(): Date {
    return new Date();
  }
}
