import { Injectable } from '@nestjs/common';
import { Features } from '../features/features';
import type { EventKind } from './event-definition';

/** The types of events that the modules of the application define. */
@Injectable()
export class EventKinds {
  /** In the order of the catalogue. */
  readonly all: readonly EventKind[];
  private readonly byType: ReadonlyMap<string, EventKind>;

  /** @throws FeatureError for a type that two modules define */
  constructor(features: Features) {
    this.all = features.events();
    this.byType = new Map(this.all.map((kind) => [kind.type, kind]));
  }

  find(type: string): EventKind | undefined {
    return this.byType.get(type);
  }
}
