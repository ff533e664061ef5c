import { signal } from '@preact/signals';
import type { FileDto, SendMessage } from 'chat-service-client';
import { PICTURES } from './pictures';

/** The service's limits per message. */
export const MOST_FILES = 20;
export const MOST_FILE_BYTES = 10 * 2 ** 20;
export const MOST_BYTES = 20 * 2 ** 20;

export type SentFile = NonNullable<SendMessage['parts']>[number];

export const OFFICE_ENDINGS = ['.docx', '.pptx', '.xlsx', '.odt', '.odp', '.ods', '.epub'];

/** How the model uses a file: it gets the file, searches it, or what fits. */
export const FILE_USES = ['auto', 'whole', 'search'] as const;

export type FileUse = (typeof FILE_USES)[number];

/** Why a file cannot be sent: the key of a text. */
export type FileFault =
  | 'file_empty'
  | 'file_too_large'
  | 'too_many_files'
  | 'files_too_large'
  | 'file_unreadable'
  | 'file_not_supported';

/** A file that is sent with the next message. */
export class Attachment {
  readonly kind: 'image' | 'file';
  /** The fraction of the file that has been read, from 0 to 1. */
  readonly progress = signal(0);
  readonly use = signal<FileUse>('auto');
  private url = '';

  /** @param stored the same file, if the service already has it */
  constructor(
    readonly file: File,
    private readonly stored: Pick<FileDto, 'id' | 'bytes'> | null = null,
  ) {
    this.kind = PICTURES.includes(file.type) ? 'image' : 'file';
    if (stored) this.progress.value = 1;
  }

  /** Bytes of the file, also of a stored one. */
  get size(): number {
    return this.stored?.bytes ?? this.file.size;
  }

  /** The content of an image. */
  get picture(): File | undefined {
    return this.kind === 'image' && !this.stored ? this.file : undefined;
  }

  /** The part for the request, once the file has been read. */
  get part(): SentFile {
    const use = this.kind === 'file' && this.use.value !== 'auto' && { use: this.use.value };
    if (this.stored) return { type: this.kind, file_id: this.stored.id, ...use };
    return { type: this.kind, url: this.url, name: this.file.name, ...use };
  }

  /** @returns why the file cannot be sent; null if it can */
  async read(): Promise<FileFault | null> {
    try {
      const isOther = this.kind === 'file' && this.file.type !== 'application/pdf';
      const isPacked = isOther && (await isOfficeDocument(this.file));
      if (isOther && !isPacked && !(await isText(this.file))) return 'file_not_supported';
      const url = await this.readUrl();
      // Browsers report other types for source code and drawings, for example a video type for `a.ts`. They are sent as
      // text.
      this.url = isOther && !isPacked ? url.replace(/^data:(?!text\/|[\w.+/-]+json)[^;,]*/, 'data:text/plain') : url;
    } catch {
      // A folder or a deleted file.
      return 'file_unreadable';
    }
    this.progress.value = 1;
    return null;
  }

  private readUrl(): Promise<string> {
    return new Promise((resolve, reject) => {
      const reader = new FileReader();
      reader.onprogress = ({ loaded, total }) => void (this.progress.value = Math.min(loaded / total, 0.99));
      reader.onload = () => resolve(reader.result as string);
      reader.onerror = () => reject(reader.error ?? new Error('unreadable'));
      reader.readAsDataURL(this.file);
    });
  }
}

/** Office documents and e-books are ZIP archives. The service decides whether it can read them. */
async function isOfficeDocument(file: File): Promise<boolean> {
  const start = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  const isNamedSo = OFFICE_ENDINGS.some((ending) => file.name.toLowerCase().endsWith(ending));
  return isNamedSo && String.fromCharCode(...start) === 'PK\u0003\u0004';
}

/** UTF-8 text contains no zero bytes. */
async function isText(file: File): Promise<boolean> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** The attachments of an unsent message. They are kept until the message is sent or the page is closed. */
export class Attachments {
  readonly files = signal<readonly Attachment[]>([]);
  /** The files rejected in the last selection. */
  readonly faults = signal<readonly { name: string; fault: FileFault }[]>([]);

  async add(chosen: Iterable<File>): Promise<void> {
    this.faults.value = [];
    await Promise.all(Array.from(chosen, (file) => this.addOne(file)));
  }

  /** Adds a file that the service already has. */
  addStored({ id, filename, bytes, media_type: type }: FileDto): void {
    const file = new File([], filename, { type });
    this.faults.value = [];
    if (this.files.value.length >= MOST_FILES) this.tell(file, 'too_many_files');
    else this.files.value = [...this.files.value, new Attachment(file, { id, bytes })];
  }

  remove(attachment: Attachment): void {
    this.faults.value = [];
    this.files.value = this.files.value.filter((one) => one !== attachment);
  }

  /**
   * Removes all attachments.
   *
   * @returns the removed attachments
   */
  take(): readonly Attachment[] {
    const taken = this.files.value;
    this.files.value = [];
    this.faults.value = [];
    return taken;
  }

  /** Restores the files of a message that could not be sent, before files that were added since. */
  putBack(returned: readonly Attachment[]): void {
    this.files.value = [...returned, ...this.files.value];
  }

  private async addOne(file: File): Promise<void> {
    const refused = this.whyNot(file);
    if (refused) return this.tell(file, refused);
    const attachment = new Attachment(file);
    this.files.value = [...this.files.value, attachment];
    const fault = await attachment.read();
    if (!fault) return;
    this.files.value = this.files.value.filter((one) => one !== attachment);
    this.tell(file, fault);
  }

  private whyNot({ size }: File): FileFault | null {
    const held = this.files.value.reduce((sum, { file }) => sum + file.size, 0);
    if (size === 0) return 'file_empty';
    if (size > MOST_FILE_BYTES) return 'file_too_large';
    if (this.files.value.length >= MOST_FILES) return 'too_many_files';
    return held + size > MOST_BYTES ? 'files_too_large' : null;
  }

  private tell({ name }: File, fault: FileFault): void {
    this.faults.value = [...this.faults.value, { name, fault }];
  }
}

/** The unsent attachments of one user, by draft. */
export class AttachmentPlaces {
  private readonly places = new Map<string, Attachments>();

  of(place: string): Attachments {
    let attachments = this.places.get(place);
    if (!attachments) this.places.set(place, (attachments = new Attachments()));
    return attachments;
  }
}
