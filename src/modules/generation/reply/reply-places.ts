import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database';
import type { ReplyPlace } from './reply-origin';
import type { StoredReply } from './reply-row';

/** A reply, and the table that has it. */
export interface FoundReply {
  place: ReplyPlace;
  row: StoredReply;
}

/** Knows all tables with replies: each module that has one adds it when it starts. */
@Injectable()
export class ReplyPlaces {
  private readonly places: ReplyPlace[] = [];

  constructor(private readonly database: Database) {}

  add(place: ReplyPlace): void {
    this.places.push(place);
  }

  get all(): readonly ReplyPlace[] {
    return this.places;
  }

  /** How a reply stands, without its words; null when there is none. */
  async stateOf(messageId: number): Promise<Pick<StoredReply, 'status' | 'ownerId'> | null> {
    for (const { entity } of this.places) {
      const select = { id: true, status: true, ownerId: true } as const;
      const row = await this.database.repository(entity).findOne({ select, where: { id: messageId } });
      if (row !== null) {
        return row;
      }
    }
    return null;
  }

  /** Ids of replies are never the same in two tables. */
  async find(messageId: number): Promise<FoundReply | null> {
    for (const place of this.places) {
      const row = await this.database.repository(place.entity).findOneBy({ id: messageId });
      if (row !== null) {
        return { place, row };
      }
    }
    return null;
  }
}
