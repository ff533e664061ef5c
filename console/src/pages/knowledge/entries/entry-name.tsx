import type { EntryDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Badge } from '../../../components/badge';
import { PassageDialog } from '../../../components/knowledge/passage-dialog';
import { UserText } from '../../../components/user-text';

/** The name of a file, which opens its text, and its attributes. */
export function EntryName({ storeId, entry }: { storeId: number; entry: EntryDto }): JSX.Element {
  const [isOpen, setIsOpen] = useState(false);
  const { file_id: fileId, filename, attributes, passages } = entry;
  return (
    <>
      {passages > 0 ? (
        <button type="button" class="link" onClick={() => setIsOpen(true)}>
          <UserText>{filename}</UserText>
        </button>
      ) : (
        <UserText>{filename}</UserText>
      )}
      {Object.keys(attributes).length > 0 && (
        <span class="row tight">
          {Object.entries(attributes).map(([name, value]) => (
            <Badge key={name}>
              <UserText>{`${name}: ${value}`}</UserText>
            </Badge>
          ))}
        </span>
      )}
      {isOpen && <PassageDialog passage={{ storeId, fileId, filename }} onClose={() => setIsOpen(false)} />}
    </>
  );
}
