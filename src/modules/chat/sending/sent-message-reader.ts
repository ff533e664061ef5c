import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database';
import { BlobStore } from '../../../integrations/blob-store/blob-store';
import { FeatureNotSupportedError } from '../../../integrations/llm/port/llm.errors';
import type { BinaryPart } from '../../../integrations/llm/port/message-parts';
import { FEATURES } from '../../../integrations/llm/port/request-features';
import { ModelInputs } from '../../../integrations/llm/providers/model-inputs';
import type { Agent } from '../../agent/agent.api';
import {
  type FileReference,
  type FoundContent,
  InputFiles,
  ReplyStarter,
  ReplyStopper,
  type StoredFile,
  type Turn,
} from '../../generation/generation.api';
import { FileNotFoundError, GenerationInProgressError } from '../conversations/chat.errors';
import { MessageFiles } from '../messages/message-files';
import type { Found } from './exchange-plan';
import { ExchangeReader } from './exchange-reader';
import {
  type ExchangeRequest,
  isSentFile,
  type SentFile,
  type SentMessage,
  type SentPart,
  type StoredSubject,
} from './exchange-request';
import { TurnFiles } from './turn-files';

/** Reads the images and files of a user's message. */
@Injectable()
export class SentMessageReader {
  constructor(
    private readonly database: Database,
    private readonly reader: ExchangeReader,
    private readonly starter: ReplyStarter,
    private readonly stopper: ReplyStopper,
    private readonly inputs: ModelInputs,
    private readonly ownFiles: MessageFiles,
    private readonly files: InputFiles,
    private readonly blobs: BlobStore,
    private readonly turnFiles: TurnFiles,
  ) {}

  /**
   * Reads the message with its parts. Invalid requests are refused before a file is fetched, decoded or stored.
   *
   * @throws the errors of `ExchangeService.start`, FeatureNotSupportedError, FileNotFoundError, one of FILE_ERRORS
   */
  async read(request: ExchangeRequest, subject: StoredSubject & SentMessage, sent: readonly SentPart[]): Promise<Turn> {
    const files = sent.filter(isSentFile);
    if (files.length > 0) {
      await this.admit(request, subject, files);
    }
    const { userId } = request.sender;
    const references = await this.findReferences(files, userId);
    const read = await this.files.read(userId, references, request.signal ?? new AbortController().signal);
    const found = new Map(files.map((file, index) => [file, read[index] as BinaryPart]));
    const parts = sent.map((part) => (isSentFile(part) ? (found.get(part) as BinaryPart) : part));
    if (files.length === 0 && parts.length === 1) {
      return { role: 'user', content: subject.content, parts: null };
    }
    return { role: 'user', content: subject.content, parts };
  }

  private async admit(request: ExchangeRequest, subject: StoredSubject, files: readonly SentFile[]): Promise<void> {
    const { agent } = await this.findFree(request, subject);
    this.requireInput(agent, files);
    await this.starter.requireQuota(request.sender);
    // A file that the user already has needs no additional space.
    if (files.some(({ hash }) => hash === null)) {
      await this.turnFiles.requireStorage(request.sender);
    }
  }

  /** Waits for a busy conversation as the exchange does. */
  private async findFree(request: ExchangeRequest, subject: StoredSubject): Promise<Found> {
    const find = (): Promise<Found> => this.reader.read(this.database.manager, request, subject, { lock: false });
    try {
      return await find();
    } catch (error) {
      const isBusy = error instanceof GenerationInProgressError;
      if (isBusy && (await this.stopper.waitUntilFree(error.messageId, request.endsUnread))) {
        return find();
      }
      throw error;
    }
  }

  private requireInput(agent: Agent, files: readonly SentFile[]): void {
    const input = this.inputs.of(agent);
    const refused = files.find(({ type }) => !input.includes(type));
    if (refused !== undefined) {
      throw new FeatureNotSupportedError({ feature: FEATURES[refused.type], field: refused.field });
    }
  }

  private async findReferences(files: readonly SentFile[], userId: number): Promise<FileReference[]> {
    const hashes = files.map(({ hash }) => hash).filter((hash) => hash !== null);
    const known = await this.ownFiles.ofUser(userId, [...new Set(hashes)]);
    return files.map((sent): FileReference => {
      const { type, field, url, hash, name, detail } = sent;
      if (hash === null) {
        return { type, field: `${field}.url`, url, name, detail };
      }
      const stored = known.get(hash);
      if (stored === undefined) {
        throw new FileNotFoundError(`${field}.file`);
      }
      const isImage = stored.type === 'image' ? 'image' : type;
      return {
        type: isImage,
        field: `${field}.file`,
        url,
        name,
        detail,
        load: () => this.load(stored, `${field}.file`),
      };
    });
  }

  private async load({ hash, media_type, name }: StoredFile, field: string): Promise<FoundContent> {
    const bytes = await this.blobs.get(hash);
    if (bytes === null) {
      throw new FileNotFoundError(field);
    }
    return { bytes, declaredType: media_type, name };
  }
}
