import type { DomainEvent } from '../../common/events/domain-events';
import { defineEvent } from '../../common/events/event-definition';
import { choice, fact, integer, optionalInteger, text } from '../../common/events/event-fields';
import { ENTRY_ERRORS, type EntryError } from './tables/knowledge-entry.entity';
import type { KnowledgeFileEntity } from './tables/knowledge-file.entity';
import type { KnowledgeStoreEntity } from './tables/knowledge-store.entity';

const fileFields = {
  file_id: fact(integer('Id of the file.')),
  bytes: fact(integer('Size in bytes.')),
  media_type: fact(text('Media type, by the content.')),
};
const fileContent = { filename: text('Name of the file; only with `include_content`.') };
const fileExample = { file_id: 7, bytes: 48_213, media_type: 'application/pdf', filename: 'handbook.pdf' };
const ofFile = { fields: fileFields, content: fileContent, example: fileExample };

const storeFields = {
  store_id: fact(integer('Id of the collection.')),
  owner_id: fact(optionalInteger('Id of its owner; null if it belongs to the service.')),
};
const storeContent = { name: text('Name of the collection; only with `include_content`.') };
const ofStore = {
  fields: storeFields,
  content: storeContent,
  example: { store_id: 3, owner_id: 42, name: 'Handbooks' },
};

const entryFields = {
  store_id: fact(integer('Id of the collection.')),
  file_id: fact(integer('Id of the file.')),
};
const entryExample = { store_id: 3, file_id: 7 };
const ofEntry = { fields: entryFields, content: fileContent, example: { ...entryExample, filename: 'handbook.pdf' } };

const FILES = {
  created: defineEvent('file.created', { ...ofFile, description: 'A file was uploaded.' }),
  deleted: defineEvent('file.deleted', { ...ofFile, description: 'An uploaded file was deleted, or has expired.' }),
};

const STORES = {
  created: defineEvent('knowledge.created', { ...ofStore, description: 'A collection was created.' }),
  updated: defineEvent('knowledge.updated', {
    ...ofStore,
    description: 'The name, access, owner or expiry of a collection changed.',
  }),
  deleted: defineEvent('knowledge.deleted', { ...ofStore, description: 'A collection was deleted.' }),
};

const ENTRIES = {
  file_added: defineEvent('knowledge.file_added', {
    ...ofEntry,
    description: 'A file was attached to a collection.',
  }),
  file_completed: defineEvent('knowledge.file_completed', {
    ...ofEntry,
    description: 'A file of a collection can be searched.',
  }),
  file_removed: defineEvent('knowledge.file_removed', {
    ...ofEntry,
    description: 'A file was removed from a collection.',
  }),
};

const failed = defineEvent('knowledge.file_failed', {
  description: 'A file of a collection could not be read. The earlier text, if there is one, stays.',
  fields: { ...entryFields, error: fact(choice(ENTRY_ERRORS, 'The reason.')) },
  content: fileContent,
  example: { ...entryExample, error: 'encrypted', filename: 'handbook.pdf' },
});

/** In catalogue order. */
export const KNOWLEDGE_EVENTS = [
  ...Object.values(FILES),
  ...Object.values(STORES),
  ENTRIES.file_added,
  ENTRIES.file_completed,
  failed,
  ENTRIES.file_removed,
];

type FileFacts = Pick<KnowledgeFileEntity, 'id' | 'ownerId' | 'bytes' | 'mediaType' | 'filename'>;
type StoreFacts = Pick<KnowledgeStoreEntity, 'id' | 'ownerId' | 'name'>;

/** The facts of an event about an entry. */
export interface EntryFacts {
  store: Pick<StoreFacts, 'id' | 'ownerId'>;
  file: Pick<FileFacts, 'id' | 'filename'>;
  /** The user who attached the file, and also gets the event. */
  addedBy: number | null;
}

/** An upload was stored, or is gone. */
export function fileEvent(type: keyof typeof FILES, file: FileFacts): DomainEvent {
  const data = { file_id: file.id, bytes: file.bytes, media_type: file.mediaType };
  return FILES[type](file.ownerId, data, { filename: file.filename });
}

/** A collection was created, changed or deleted. */
export function storeEvent(type: keyof typeof STORES, { id, ownerId, name }: StoreFacts): DomainEvent {
  return STORES[type](ownerId, { store_id: id, owner_id: ownerId }, { name });
}

/** A file was attached, is searchable, or was removed. */
export function entryEvent(type: keyof typeof ENTRIES, { store, file, addedBy }: EntryFacts): DomainEvent {
  const event = ENTRIES[type](store.ownerId, { store_id: store.id, file_id: file.id }, { filename: file.filename });
  return heardBy(event, store.ownerId, addedBy);
}

/** A file could not be read. */
export function entryFailed({ store, file, addedBy }: EntryFacts, error: EntryError): DomainEvent {
  const data = { store_id: store.id, file_id: file.id, error };
  return heardBy(failed(store.ownerId, data, { filename: file.filename }), store.ownerId, addedBy);
}

function heardBy(event: DomainEvent, ownerId: number | null, addedBy: number | null): DomainEvent {
  return addedBy === null || addedBy === ownerId
    ? event
    : { ...event, hearers: { users: 'SELECT id FROM users WHERE id = ?', parameters: [addedBy] } };
}
