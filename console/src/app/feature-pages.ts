import { signal } from '@preact/signals';
import type { FeaturePageDto } from 'chat-service-client';
import { api } from './api';
import type { Visit } from './visit';

/** The pages of features, which the navigation lists. */
export class FeaturePages {
  readonly list = signal<FeaturePageDto[]>([]);

  constructor(private readonly visit: Visit) {}

  /** Reads the pages with their titles in the current language. The links appear once they are known. */
  async load(): Promise<void> {
    const pages = this.visit.start.take('pages') ?? (await api.pages.list().catch(() => null));
    if (pages) this.list.value = pages;
  }
}
