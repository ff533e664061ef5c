import { signal } from '@preact/signals';
import type { SendMessage } from 'chat-service-client';
import { PICTURES } from './pictures';

/** As much as the service takes with one message. */
export const MOST_FILES = 20;
export const MOST_FILE_BYTES = 10 * 2 ** 20;
export const MOST_BYTES = 20 * 2 ** 20;

export type SentFile = NonNullable<SendMessage['parts']>[number];

/** Why a file cannot be sent: the name of a sentence. */
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
  /** How much of it is read, from 0 to 1. */
  readonly progress = signal(0);
  private url = '';

  constructor(readonly file: File) {
    this.kind = PICTURES.includes(file.type) ? 'image' : 'file';
  }

  /** As the service takes it, once it is read. */
  get part(): SentFile {
    return { type: this.kind, url: this.url, name: this.file.name };
  }

  /** @returns why it cannot be sent; null: it can */
  async read(): Promise<FileFault | null> {
    try {
      const isOther = this.kind === 'file' && this.file.type !== 'application/pdf';
      if (isOther && !(await isText(this.file))) return 'file_not_supported';
      const url = await this.readUrl();
      // Browsers call programs and drawings something else, such as `a.ts` a film: they are told as the text that they are.
      this.url = isOther ? url.replace(/^data:(?!text\/|[\w.+/-]+json)[^;,]*/, 'data:text/plain') : url;
    } catch {
      // A folder, or a file that is gone.
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

/** Text in UTF-8 has no zeros. */
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

/** The files of one message in writing. They are there until it is sent, or the page is left. */
export class Attachments {
  readonly files = signal<readonly Attachment[]>([]);
  /** What could not be taken of those that came last. */
  readonly faults = signal<readonly { name: string; fault: FileFault }[]>([]);

  async add(chosen: Iterable<File>): Promise<void> {
    this.faults.value = [];
    await Promise.all(Array.from(chosen, (file) => this.addOne(file)));
  }

  remove(attachment: Attachment): void {
    this.faults.value = [];
    this.files.value = this.files.value.filter((one) => one !== attachment);
  }

  /** Takes everything away. @returns what was there */
  take(): readonly Attachment[] {
    const taken = this.files.value;
    this.files.value = [];
    this.faults.value = [];
    return taken;
  }

  /** What could not be sent is there again, before what was added meanwhile. */
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

/** Files that wait in the chats of one person, by where the message is written. */
export class AttachmentPlaces {
  private readonly places = new Map<string, Attachments>();

  of(place: string): Attachments {
    let attachments = this.places.get(place);
    if (!attachments) this.places.set(place, (attachments = new Attachments()));
    return attachments;
  }
}
