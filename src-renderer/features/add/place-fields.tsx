import { Group, Select, TagsInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useEnvironment } from '../../api/client.ts';
import { collectionsQuery, itemCountsQuery } from '../../api/library.ts';
import { texts } from '../../texts.ts';
import type { Place } from '../uploads/sources.ts';

const t = texts.add;

const TAG_CHARS_MAX = 64;

interface PlaceFieldsProps {
  place: Place;
  onPlace: (place: Place) => void;
}

/** The collection and the tags of what is added. A smart collection takes nothing by hand. */
export function PlaceFields({ place, onPlace }: PlaceFieldsProps): ReactNode {
  const environment = useEnvironment();
  const { data: collections = [] } = useQuery(collectionsQuery(environment));
  const { data: counts } = useQuery(itemCountsQuery(environment, {}));
  const byHand = collections.filter(({ filter }) => filter === null);
  return (
    <Group grow align="flex-start" gap="md" mt="md">
      {byHand.length > 0 && (
        <Select
          label={t.into}
          placeholder={t.intoNone}
          clearable
          data={byHand.map(({ collectionId: value, name: label }) => ({ value, label }))}
          value={place.collection}
          onChange={(collection) => onPlace({ ...place, collection })}
        />
      )}
      <TagsInput
        label={t.tags}
        placeholder={t.tagsHint}
        data={(counts?.tags ?? []).map(({ value }) => value)}
        value={[...place.tags]}
        onChange={(tags) => onPlace({ ...place, tags: tags.map((tag) => tag.slice(0, TAG_CHARS_MAX)) })}
      />
    </Group>
  );
}
