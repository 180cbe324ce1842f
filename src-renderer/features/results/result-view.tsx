import { type ReactNode, useContext } from 'react';
import { ContentLanguage, useForeignText } from '../../components/foreign-text.ts';
import { AudioResult } from './audio.tsx';
import { CrawlResult } from './crawl.tsx';
import { Details, Warnings } from './details.tsx';
import { DocumentResult } from './document.tsx';
import { Markdown } from './markdown.tsx';
import { Notes } from './notes.tsx';
import { OwnPanesBelow } from './own-layer.tsx';
import { objectFields, type ResultProps, recordList, resultOf } from './shapes.ts';
import { TalkResult } from './talk.tsx';

/** The result of a job, with the notes about it. */
export function ResultView(props: ResultProps): ReactNode {
  const ofItem = useContext(ContentLanguage);
  const { language } = resultOf(props.job);
  return (
    <ContentLanguage value={ofItem ?? (typeof language === 'string' ? language : null)}>
      <Notes jobId={props.job.jobId} />
      <Content {...props} />
    </ContentLanguage>
  );
}

/** The view depends on the fields of the result, not on the operation. */
function Content(props: ResultProps): ReactNode {
  const { lang } = useForeignText();
  const result = resultOf(props.job);
  if (recordList(result.pages)[0]?.url !== undefined || typeof result.rootUrl === 'string')
    return withPanes(<CrawlResult {...props} />);
  if (objectFields(result.analysis) !== null) return withPanes(<AudioResult {...props} />);
  if (Array.isArray(result.segments)) return <TalkResult {...props} />;
  if (objectFields(result.document) !== null) return <DocumentResult {...props} />;
  return withPanes(
    <div className="result prose-result" data-result>
      <Warnings result={result} />
      {typeof result.content === 'string' && (
        <div className="reading" lang={lang}>
          <Markdown source={result.content} />
        </div>
      )}
      <Details result={result} />
    </div>,
  );
}

function withPanes(view: ReactNode): ReactNode {
  return (
    <>
      {view}
      <OwnPanesBelow />
    </>
  );
}
