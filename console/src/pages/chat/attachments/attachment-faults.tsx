import type { JSX } from 'preact';
import { formatMegabytes } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import {
  type Attachment,
  type Attachments,
  MOST_BYTES,
  MOST_FILE_BYTES,
  MOST_FILES,
} from '../state/attachments/attachments';
import type { Agent } from '../state/types';

const t = texts('chat');

interface AttachmentFaultsProps {
  attachments: Attachments;
  agent: Pick<Agent, 'name'> | null;
  isRefused: (attachment: Attachment) => boolean;
}

/** The reasons why files were rejected, and whether the agent does not support the attached images. */
export function AttachmentFaults({ attachments, agent, isRefused }: AttachmentFaultsProps): JSX.Element | null {
  const sentences = attachments.faults.value.map(({ name, fault }) =>
    t(fault, { name, files: MOST_FILES, one: formatMegabytes(MOST_FILE_BYTES), all: formatMegabytes(MOST_BYTES) }),
  );
  if (attachments.files.value.some(isRefused)) {
    sentences.push(t('agent_reads_no_images', { agent: agent?.name ?? '' }));
  }
  if (sentences.length === 0) return null;
  return (
    <div role="alert" class="attachment-faults">
      {sentences.map((sentence) => (
        <p key={sentence} class="fault">
          {sentence}
        </p>
      ))}
    </div>
  );
}
