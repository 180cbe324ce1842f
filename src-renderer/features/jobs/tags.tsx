import { Autocomplete } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Icon } from '../../components/icon.tsx';
import { texts } from '../../texts.ts';
import { useTypedFilter } from './typed-filter.ts';

const route = getRouteApi('/jobs');

const TAG_MAX_CHARS = 64;

/** What the server accepts as a tag. */
const TAG = /^[A-Za-z0-9][\w.:/-]*$/;

/** The tags of a job. Each leads to the jobs that have it. */
export function JobTags({ tags }: { tags: readonly string[] | undefined }): ReactNode {
  if (tags === undefined || tags.length === 0) return null;
  return (
    <ul className="job-tags plain-list" aria-label={texts.jobs.tags.title}>
      {tags.map((tag) => (
        <li key={tag}>
          <Link className="tag" to="/jobs" search={{ tag }} title={texts.jobs.tags.others({ tag })}>
            {tag}
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** What the caller named about a job. */
export function JobMetadata({ metadata }: { metadata: Readonly<Record<string, string>> | undefined }): ReactNode {
  const entries = Object.entries(metadata ?? {});
  if (entries.length === 0) return null;
  return (
    <dl className="job-metadata" aria-label={texts.jobs.metadata}>
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The filter of the job list by one tag. It offers the tags of the listed jobs. */
export function TagFilter({ known }: { known: readonly string[] }): ReactNode {
  const { tag = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const keepTagFilter = (next: string) =>
    void navigate({ search: ({ tag: _, ...rest }) => (next ? { ...rest, tag: next } : rest), replace: true });
  return <TagField {...{ tag, known, keep: keepTagFilter }} />;
}

interface TagFieldProps {
  tag: string;
  /** Tags to offer. */
  known: readonly string[];
  /** Gets a tag that the server accepts, or an empty text. */
  keep: (tag: string) => void;
}

/** A field for one tag. */
export function TagField({ tag, known, keep }: TagFieldProps): ReactNode {
  const [typed, type] = useTypedFilter(tag, (next) => {
    if (next === '' || TAG.test(next)) keep(next);
  });
  const t = texts.jobs.tags;
  const isWrong = typed.trim() !== '' && !TAG.test(typed.trim());
  return (
    <Autocomplete
      aria-label={t.filter}
      placeholder={t.any}
      leftSection={<Icon name="tag" size={14} />}
      w={140}
      clearable
      maxLength={TAG_MAX_CHARS}
      data={[...known]}
      value={typed}
      error={isWrong && t.wrong}
      onChange={type}
    />
  );
}
