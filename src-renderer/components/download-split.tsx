import { Button, Menu } from '@mantine/core';
import { saveAs } from '../api/client.ts';
import { texts } from '../texts.ts';
import { Icon } from './icon.tsx';
import { toastFailure } from './toast.tsx';

interface Download {
  /** The file name, from the source: `talk.srt`. */
  name: string;
  /** A path of the API. It is read with the owner's session. */
  path: string;
  /** What the form is good for: "Subtitles". */
  about?: string;
}

/** Download: the main form by its file name, all others in a menu. */
export function DownloadSplit({ files }: { files: readonly Download[] }) {
  const [first, ...others] = files;
  const saveDownload = ({ path, name }: Download) => void saveAs(path, name).catch(toastFailure);
  if (first === undefined) return null;
  const main = (
    <Button
      variant="default"
      leftSection={<Icon name="download" />}
      onClick={() => saveDownload(first)}
      title={first.name}
    >
      <bdi className="truncate">{first.name}</bdi>
    </Button>
  );
  if (others.length === 0) return main;
  return (
    <Button.Group className="split">
      {main}
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" px={7} aria-label={texts.common.otherForms}>
            <Icon name="chevron-down" />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {others.map((file) => (
            <Menu.Item key={file.name} onClick={() => saveDownload(file)} rightSection={<Faint text={file.about} />}>
              <bdi>{file.name}</bdi>
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </Button.Group>
  );
}

function Faint({ text }: { text: string | undefined }) {
  return text === undefined ? null : <span className="faint tiny">{text}</span>;
}
