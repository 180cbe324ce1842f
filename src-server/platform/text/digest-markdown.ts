/** What a text model writes about a talk. */
interface TalkDigest {
  title: string | null;
  summary: readonly { text: string; startSeconds: number }[];
  chapters: readonly { title: string; startSeconds: number }[];
  actionItems: readonly { text: string; who: string | null; startSeconds: number }[];
  model: string;
}

/** The digest of a talk as Markdown. */
export function digestMarkdown({ title, summary, chapters, actionItems, model }: TalkDigest): string {
  const sections = [
    {
      heading: 'Summary',
      lines: summary.map(
        ({ text, startSeconds }) => `- ${formatDigestTime(startSeconds)} ${escapeDigestMarkdown(text)}`,
      ),
    },
    {
      heading: 'Chapters',
      lines: chapters.map(
        (chapter) => `- ${formatDigestTime(chapter.startSeconds)} ${escapeDigestMarkdown(chapter.title)}`,
      ),
    },
    {
      heading: 'Action items',
      lines: actionItems.map(({ text, who, startSeconds }) => {
        const name = who === null ? '' : `${escapeDigestMarkdown(who)}: `;
        return `- ${formatDigestTime(startSeconds)} ${name}${escapeDigestMarkdown(text)}`;
      }),
    },
  ].filter(({ lines }) => lines.length > 0);
  const body = sections.map(({ heading, lines }) => `## ${heading}\n\n${lines.join('\n')}\n`);
  return [
    `# ${title === null ? 'Talk' : escapeDigestMarkdown(title)}\n`,
    ...body,
    `Written by ${escapeDigestMarkdown(model)}.\n`,
  ].join('\n');
}

/** Markdown syntax in the words of a talk has no effect. */
function escapeDigestMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<>#|]/g, '\\$&');
}

function formatDigestTime(seconds: number): string {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}
