import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database';
import { BlobStore } from '../../../integrations/blob-store/blob-store';
import { FeatureNotSupportedError } from '../../../integrations/llm/port/llm.errors';
import type { BinaryPart, SearchedFile } from '../../../integrations/llm/port/message-parts';
import { FEATURES } from '../../../integrations/llm/port/request-features';
import { ModelInputs } from '../../../integrations/llm/providers/model-inputs';
import type { Agent } from '../../agent/agent.api';
import {
  type FoundContent,
  PromptBuilder,
  ReplyStarter,
  ReplyStopper,
  type StoredFile,
  type Turn,
  type TurnPart,
} from '../../generation/generation.api';
import { ChatFiles, type RequestFile, RequestFiles, type SentUse } from '../../knowledge/knowledge.api';
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

/** An image or a file as the model gets it, or a file that it searches. */
type FilePart = BinaryPart | SearchedFile;

/** A stored file that is sent again. */
type LoadedFile = Pick<StoredFile, 'type' | 'hash' | 'media_type' | 'name' | 'as_text'>;

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
    private readonly chatFiles: ChatFiles,
    private readonly prompt: PromptBuilder,
  ) {}

  /**
   * Reads the message with its parts. Invalid requests are refused before a file is fetched, decoded or stored.
   *
   * @throws the errors of `ExchangeService.start` and `RequestFiles.read`, FeatureNotSupportedError, FileNotFoundError
   */
  async read(request: ExchangeRequest, subject: StoredSubject & SentMessage, sent: readonly SentPart[]): Promise<Turn> {
    const files = sent.filter(isSentFile);
    const read = files.length === 0 ? [] : await this.readFiles(request, subject, sent);
    const found = new Map(files.map((file, index) => [file, read[index] as FilePart]));
    const parts = sent.map((part) => (isSentFile(part) ? (found.get(part) as FilePart) : part));
    if (files.length === 0 && parts.length === 1) {
      return { role: 'user', content: subject.content, parts: null };
    }
    return { role: 'user', content: subject.content, parts };
  }

  private async readFiles(
    request: ExchangeRequest,
    subject: StoredSubject,
    sent: readonly SentPart[],
  ): Promise<FilePart[]> {
    const files = sent.filter(isSentFile);
    const found = await this.admit(request, subject, files);
    const { userId } = request.sender;
    const signal = request.signal ?? new AbortController().signal;
    const references = await this.findReferences(files, userId);
    const choices = await this.files.readForChat({ userId, agent: found.agent, signal }, references);
    const task = { agent: found.agent, language: request.language, customInstructions: found.chat.customInstructions };
    const parts: TurnPart[] = sent.filter((part) => part.type === 'text');
    parts.push(...choices.flatMap(({ whole, searched }) => (searched === null && whole !== null ? [whole] : [])));
    return choices.map(({ whole, searched }) => {
      if (whole === null || searched === null) {
        return whole ?? searched;
      }
      const turn: Turn = { role: 'user', content: '', parts: [...parts, whole] };
      const isFitting = this.prompt.estimate(task, [turn]) <= this.prompt.roomOf(task);
      parts.push(...(isFitting ? [whole] : []));
      return isFitting ? whole : searched;
    });
  }

  private async admit(request: ExchangeRequest, subject: StoredSubject, files: readonly SentFile[]): Promise<Found> {
    const found = await this.findFree(request, subject);
    this.requireImages(found.agent, files);
    await this.starter.requireQuota(request.sender);
    // A file that the user already has needs no additional space.
    if (files.some(({ hash }) => hash === null)) {
      await this.turnFiles.requireStorage(request.sender);
    }
    return found;
  }

  /** The subject of a request, without a lock. Waits for a busy conversation as the exchange does. */
  async findFree(request: ExchangeRequest, subject: StoredSubject): Promise<Found> {
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

  private requireImages(agent: Agent, files: readonly SentFile[]): void {
    const image = files.find(({ type }) => type === 'image');
    if (image !== undefined && !this.inputs.of(agent).includes('image')) {
      throw new FeatureNotSupportedError({ feature: FEATURES.image, field: image.field });
    }
  }

  private async findReferences(
    files: readonly SentFile[],
    userId: number,
  ): Promise<(RequestFile & { use: SentUse })[]> {
    const hashes = files.map(({ hash }) => hash).filter((hash) => hash !== null);
    const known = await this.ownFiles.ofUser(userId, [...new Set(hashes)]);
    const searched = await this.searchedFiles(
      userId,
      [...new Set(hashes)].filter((hash) => !known.has(hash)),
    );
    return files.map((sent) => {
      const { type, field, url, hash, fileId, name, detail, use } = sent;
      if (fileId !== null) {
        return { type, field: `${field}.file_id`, fileId, name, detail, use };
      }
      if (hash === null) {
        return { type, field: `${field}.url`, url, name, detail, use };
      }
      const stored = known.get(hash) ?? searched.get(hash);
      if (stored === undefined) {
        throw new FileNotFoundError(`${field}.file`);
      }
      const isImage = stored.type === 'image' ? 'image' : type;
      const load = (): Promise<FoundContent> => this.load(stored, `${field}.file`);
      return { type: isImage, field: `${field}.file`, url, name, detail, use, load };
    });
  }

  /** Files that earlier messages brought to be searched, by hash. */
  private async searchedFiles(userId: number, hashes: readonly string[]): Promise<Map<string, LoadedFile>> {
    const found = new Map<string, LoadedFile>();
    for (const hash of hashes) {
      const file = await this.chatFiles.ofUser(userId, hash);
      if (file !== null) {
        found.set(hash, { type: 'file', hash, media_type: file.mediaType, name: file.filename });
      }
    }
    return found;
  }

  private async load({ hash, media_type, name, as_text: isText }: LoadedFile, field: string): Promise<FoundContent> {
    const bytes = await this.blobs.get(hash);
    if (bytes === null) {
      throw new FileNotFoundError(field);
    }
    return { bytes, declaredType: media_type, name, isText };
  }
}
