import { Injectable } from '@nestjs/common';

/** The time of day. A seam, so that tests can move it: rules about days, expiry and schedules read only this. */
@Injectable()
export class Clock {
  now(): Date {
    return new Date();
  }
}
