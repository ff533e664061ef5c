import { Injectable } from '@nestjs/common';

/** Whether any guard checks texts. While none does, a message reads only this flag. */
@Injectable()
export class GuardPresence {
  isAny = false;
}
