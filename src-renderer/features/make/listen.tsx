import { Button, Stack, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useEnvironment } from '../../api/client.ts';
import { itemsQuery } from '../../api/library.ts';
import { FileDrop } from '../../components/file-drop.tsx';
import { Icon } from '../../components/icon.tsx';
import { Panel, Rows } from '../../components/page-elements.tsx';
import { texts } from '../../texts.ts';
import { canListen, KIND_LOOKS, lengthOf } from '../library/item-words.ts';
import { listen } from '../listen/texts.ts';
import { addUploads } from '../uploads/queue.ts';
import { fileSource, type Source, typedSources } from '../uploads/sources.ts';
import { MakeTabs } from './make-tabs.tsx';
import { make } from './texts.ts';

const ITEMS_SHOWN = 8;

const t = make.listen;

/** A document, an address, a text or an item of the library, to be read aloud. */
export function MakeListen(): ReactNode {
  const environment = useEnvironment();
  const [typed, setTyped] = useState('');
  const [isLacking, setLacking] = useState(false);
  const hear = (source: Source) => addUploads(environment, [{ ...source, listens: true }]);
  const hearTyped = () => {
    const [first, ...others] = typedSources(typed);
    setLacking(first === undefined);
    if (first === undefined) return;
    setTyped('');
    if (others.length > 0) addUploads(environment, others);
    hear(first);
  };
  return (
    <>
      <MakeTabs current="listen" />
      <div className="run-panes make-panes">
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            hearTyped();
          }}
        >
          <Stack gap="lg">
            <FileDrop file={null} onFile={(file) => hear(fileSource(file))} error={undefined} />
            <Textarea
              label={t.ask}
              placeholder={texts.add.paste}
              autosize
              minRows={3}
              maxRows={18}
              value={typed}
              error={isLacking && typed.trim() === '' ? t.nothing : undefined}
              onChange={(event) => setTyped(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) hearTyped();
              }}
            />
            <div className="make-acts">
              <Button
                type="submit"
                size="md"
                leftSection={<Icon name="volume-2" />}
                rightSection={<kbd className="make-key">Ctrl ↵</kbd>}
              >
                {listen.open}
              </Button>
              <span className="small dim">{t.stays}</span>
            </div>
          </Stack>
        </form>
        <FromLibrary />
      </div>
    </>
  );
}

/** The newest items that can be heard. */
function FromLibrary() {
  const listed = useQuery(itemsQuery(useEnvironment(), { filter: {} }, 0));
  const items = (listed.data?.items ?? []).filter(canListen).slice(0, ITEMS_SHOWN);
  if (items.length === 0) return null;
  return (
    <Panel title={t.library}>
      <Rows label={t.library}>
        {items.map((item) => (
          <li key={item.itemId}>
            <Icon name={KIND_LOOKS[item.kind].icon} />
            <Link
              className="row-link truncate grow"
              to="/items/$itemId"
              params={{ itemId: item.itemId }}
              search={{ listen: true }}
            >
              {item.title}
            </Link>
            <span className="small dim">{lengthOf(item)}</span>
          </li>
        ))}
      </Rows>
    </Panel>
  );
}
