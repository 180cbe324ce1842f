import { ActionIcon, Button, Popover } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { pageQueryOptions, useChange } from '../../api/changes.ts';
import { api, useEnvironment } from '../../api/client.ts';
import { Copy } from '../../components/copy.tsx';
import { Icon } from '../../components/icon.tsx';
import { listen } from './texts.ts';

const t = listen.feed;

/** Addresses for podcast apps. Who has one hears all that was read aloud. */
export function Feeds(): ReactNode {
  const environment = useEnvironment();
  const [opened, setOpened] = useState(false);
  const queryKey = ['listen-feeds', environment];
  const feeds = useQuery({
    ...pageQueryOptions(queryKey, (signal) => api[environment].GET('/library/feeds', { signal })),
    enabled: opened,
  });
  const renews = [queryKey];
  const make = useChange(() => api[environment].POST('/library/feeds', { body: { name: t.name } }), { renews });
  const drop = useChange(
    (feedId: string) => api[environment].DELETE('/library/feeds/{feedId}', { params: { path: { feedId } } }),
    { renews },
  );
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" width={360} trapFocus>
      <Popover.Target>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<Icon name="smartphone" size={14} />}
          onClick={() => setOpened(!opened)}
        >
          {t.title}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className="listen-feeds">
        <p className="small">{t.about}</p>
        {(feeds.data?.feeds ?? []).map(({ feedId, urls }) => (
          <div key={feedId} className="listen-feed">
            <ul className="plain-list grow">
              {urls.map((url) => (
                <li key={url} className="listen-address">
                  <code className="break">{url}</code>
                  <Copy value={url} label={t.copy} />
                </li>
              ))}
            </ul>
            <ActionIcon variant="subtle" color="gray" aria-label={t.drop} onClick={() => drop.mutate(feedId)}>
              <Icon name="trash-2" size={14} />
            </ActionIcon>
          </div>
        ))}
        <p className="small dim">{t.phone}</p>
        <Button size="compact-sm" loading={make.isPending} onClick={() => make.mutate()}>
          {t.make}
        </Button>
      </Popover.Dropdown>
    </Popover>
  );
}
