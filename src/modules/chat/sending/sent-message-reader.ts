import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database';
import { BlobStore } from '../../../integrations/blob-store/blob-store';
import { FeatureNotSupportedError } from '../../../integrations/llm/port/llm.errors';
import type { BinaryPart } from '../../../integrations/llm/port/message-parts';
import { FEATURES } from '../../../integrations/llm/port/request-features';
import { ModelInputs } from '../../../integrations/llm/providers/model-inputs';
import type { Agent } from '../../agent/agent.api';
import {
  type FoundContent,
  ReplyStarter,
  ReplyStopper,
  type StoredFile,
  type Turn,
} from '../../generation/generation.api';
import { type RequestFile, RequestFiles } from '../../knowledge/knowledge.api';
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
    private readonly files: RequestFiles,
    private readonly blobs: BlobStore,
    private readonly turnFiles: TurnFiles,
  ) {}

  /**
   * Reads the message with its parts. Invalid requests are refused before a file is fetched, decoded or stored.
   *
   * @throws the errors of `ExchangeService.start` and `RequestFiles.read`, FeatureNotSupportedError, FileNotFoundError
   */
  async read(request: ExchangeRequest, subject: StoredSubject & SentMessage, sent: readonly SentPart[]): Promise<Turn> {
    const files = sent.filter(isSentFile);
    const read = files.length === 0 ? [] : await this.readFiles(request, subject, files);
    const found = new Map(files.map((file, index) => [file, read[index] as BinaryPart]));
    const parts = sent.map((part) => (isSentFile(part) ? (found.get(part) as BinaryPart) : part));
    if (files.length === 0 && parts.length === 1) {
      return { role: 'user', content: subject.content, parts: null };
    }
    return { role: 'user', content: subject.content, parts };
  }

  private async readFiles(
    request: ExchangeRequest,
    subject: StoredSubject,
    files: readonly SentFile[],
  ): Promise<BinaryPart[]> {
    const agent = await this.admit(request, subject, files);
    const { userId } = request.sender;
    const signal = request.signal ?? new AbortController().signal;
    return this.files.read({ userId, agent, signal }, await this.findReferences(files, userId));
  }

  /** @returns the agent that answers */
  private async admit(request: ExchangeRequest, subject: StoredSubject, files: readonly SentFile[]): Promise<Agent> {
    const { agent } = await this.findFree(request, subject);
    this.requireImages(agent, files);
    await this.starter.requireQuota(request.sender);
    // A file that the user already has needs no additional space.
    if (files.some(({ hash }) => hash === null)) {
      await this.turnFiles.requireStorage(request.sender);
    }
    return agent;
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

  /** Models that accept no files get their text. */
  private requireImages(agent: Agent, files: readonly SentFile[]): void {
    const image = files.find(({ type }) => type === 'image');
    if (image !== undefined && !this.inputs.of(agent).includes('image')) {
      throw new FeatureNotSupportedError({ feature: FEATURES.image, field: image.field });
    }
  }

  private async findReferences(files: readonly SentFile[], userId: number): Promise<RequestFile[]> {
    const hashes = files.map(({ hash }) => hash).filter((hash) => hash !== null);
    const known = await this.ownFiles.ofUser(userId, [...new Set(hashes)]);
    return files.map((sent): RequestFile => {
      const { type, field, url, hash, fileId, name, detail } = sent;
      if (fileId !== null) {
        return { type, field: `${field}.file_id`, fileId, name, detail };
      }
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

  private async load({ hash, media_type, name, as_text: isText }: StoredFile, field: string): Promise<FoundContent> {
    const bytes = await this.blobs.get(hash);
    if (bytes === null) {
      throw new FileNotFoundError(field);
    }
    return { bytes, declaredType: media_type, name, isText };
  }
}
