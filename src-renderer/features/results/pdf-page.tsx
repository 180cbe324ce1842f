import { ActionIcon, Group, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { adminPath, errorOf, send } from '../../api/client.ts';
import { useEnvironment } from '../../api/environment.tsx';
import { number } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { Failure } from '../../components/page-elements.tsx';
import { texts } from '../../components/texts.ts';

interface PdfPageProps {
  jobId: string;
  page: number;
  onPage: (page: number | null) => void;
}

/** A page of the PDF as it looks, beside what was read in it. */
export function PdfPage({ jobId, page, onPage }: PdfPageProps) {
  const environment = useEnvironment();
  const path = adminPath(environment, `/jobs/${jobId}/pages/${page}`);
  const drawn = useQuery({
    queryKey: ['pages', environment, jobId, page],
    queryFn: async ({ signal }) => {
      const answer = await send(path, { signal });
      if (!answer.ok) throw await errorOf(answer);
      return { picture: await answer.blob(), pages: Number(answer.headers.get('x-pages')) };
    },
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
  const url = useObjectUrl(drawn.data?.picture);
  const pages = drawn.data?.pages ?? page;
  return (
    <div className="pdf-page">
      <Group justify="space-between" mb="xs" wrap="nowrap">
        <Turn icon="back" label={texts.jobs.pageBefore} disabled={page <= 1} onTurn={() => onPage(page - 1)} />
        <Text size="sm" role="status">
          {texts.jobs.pageOf(page, number(pages))}
        </Text>
        <Turn icon="right" label={texts.jobs.pageAfter} disabled={page >= pages} onTurn={() => onPage(page + 1)} />
        <Turn icon="cross" label={texts.jobs.hidePage} disabled={false} onTurn={() => onPage(null)} />
      </Group>
      {drawn.isError && <Failure error={drawn.error} retry={() => void drawn.refetch()} />}
      {url !== null && <img src={url} alt={texts.jobs.pageAlt(page)} />}
    </div>
  );
}

interface TurnProps {
  icon: 'back' | 'right' | 'cross';
  label: string;
  disabled: boolean;
  onTurn: () => void;
}

function Turn({ icon, label, disabled, onTurn }: TurnProps) {
  return (
    <ActionIcon variant="default" aria-label={label} disabled={disabled} onClick={onTurn}>
      <Icon name={icon} size={16} />
    </ActionIcon>
  );
}

/** An address for bytes that are in the window, for as long as they are shown. */
function useObjectUrl(blob: Blob | undefined): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (blob === undefined) return;
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return url;
}
