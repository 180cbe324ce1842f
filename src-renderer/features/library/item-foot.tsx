import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { saveAs, useEnvironment } from '../../api/client.ts';
import type { JobRecord } from '../../api/generated/owner.ts';
import { formatByteCount } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { toastFailure } from '../../components/toast.tsx';
import { uploadedSourceFiles } from '../jobs/job-files.ts';
import { isSourceGone } from '../run/run-again.ts';
import { item as texts } from './texts.ts';

/** The strip below an item: how it came about, and its original. */
export function ItemFoot({ jobId, record }: { jobId: string; record: JobRecord | undefined }): ReactNode {
  const environment = useEnvironment();
  const [original] = uploadedSourceFiles(environment, record);
  return (
    <footer className="strip item-foot">
      <Link to="/jobs/$jobId" params={{ jobId }} search={{ tab: 'timeline' }}>
        <Icon name="route" size={14} />
        {texts.howRead}
      </Link>
      {original !== undefined && record?.source != null && (
        <button
          type="button"
          title={original.name}
          onClick={() => void saveAs(original.path, original.name).catch(toastFailure)}
        >
          <Icon name="file-text" size={14} />
          {texts.original} <span className="faint">{formatByteCount(record.source.sizeBytes)}</span>
        </button>
      )}
      {record !== undefined && isSourceGone(record) && <span className="faint">{texts.originalGone}</span>}
      <span className="item-kept">{texts.kept}</span>
    </footer>
  );
}
