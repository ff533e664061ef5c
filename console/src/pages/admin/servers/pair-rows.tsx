import '../../../styles/parts/servers.css';
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { texts } from '../../../app/i18n/languages';
import { Button, IconButton } from '../../../components/button';
import { TextField } from '../../../components/form/form';

const t = texts('servers');

interface PairRowsProps {
  /** Prefix of the input names. */
  prefix: 'header' | 'policy';
  names: string[];
  nameLabel: string;
  addLabel: string;
  /** Renders the value input of the pair with this initial name. */
  value: (name: string) => ComponentChildren;
}

/** A list of name/value pairs with a button that adds rows. */
export function PairRows({ prefix, names, nameLabel, addLabel, value }: PairRowsProps): JSX.Element {
  const [rows, setRows] = useState(() => names.map((name, key) => ({ key, name })));
  const [next, setNext] = useState(names.length);
  const add = (): void => {
    setRows([...rows, { key: next, name: '' }]);
    setNext(next + 1);
  };
  return (
    <>
      {rows.map(({ key, name }, index) => (
        <div key={key} class="pair">
          <TextField
            name={`${prefix}.name`}
            label={nameLabel}
            defaultValue={name}
            required
            maxLength={255}
            autoComplete="off"
            spellcheck={false}
          />
          {value(name)}
          <IconButton
            icon="trash"
            label={t('remove_row', { number: index + 1 })}
            onClick={() => setRows(rows.filter((row) => row.key !== key))}
          />
        </div>
      ))}
      <div class="row">
        <Button icon="plus" onClick={add}>
          {addLabel}
        </Button>
      </div>
    </>
  );
}
