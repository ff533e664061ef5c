import { Injectable } from '@nestjs/common';

/** Whether any guard checks texts. While none does, a message reads only these flags. */
@Injectable()
export class GuardPresence {
  isAny = false;
  /** Whether any guard may change or block what models write. */
  changesOutput = false;
}
