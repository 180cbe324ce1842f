import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { serverNow } from '../../api/server-time.ts';
import { clockTime } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { showToast } from '../../components/toast.tsx';
import { texts } from '../../texts.ts';

const SECOND_MS = 1000;

/** Forms of sound that browsers record, with the ending of the file. */
const FORMS = [
  ['audio/webm', 'webm'],
  ['audio/mp4', 'm4a'],
  ['audio/ogg', 'ogg'],
] as const;

const dayAndTime = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** Records with the microphone of this device, and gives the file when it is stopped. */
export function Recorder({ onRecorded }: { onRecorded: (file: File) => void }) {
  const [seconds, setSeconds] = useState<number | null>(null);
  const recorder = useRef<MediaRecorder | null>(null);
  const isRecording = seconds !== null;
  useEffect(() => {
    if (!isRecording) return;
    const timer = setInterval(() => setSeconds((before) => (before ?? 0) + 1), SECOND_MS);
    return () => clearInterval(timer);
  }, [isRecording]);
  // The dialog may close meanwhile: the microphone must not stay open.
  useEffect(() => () => stopTracks(recorder.current), []);
  const start = async () => {
    const form = FORMS.find(([type]) => MediaRecorder.isTypeSupported(type));
    if (form === undefined) throw new Error(texts.add.noMicrophone);
    const [type, ending] = form;
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    const parts: Blob[] = [];
    const made = new MediaRecorder(stream, { mimeType: type });
    recorder.current = made;
    made.ondataavailable = ({ data }) => parts.push(data);
    made.onstop = () => {
      stopTracks(made);
      setSeconds(null);
      const name = `${texts.add.recording(dayAndTime.format(serverNow()).replaceAll(':', '.'))}.${ending}`;
      onRecorded(new File(parts, name, { type }));
    };
    made.start();
    setSeconds(0);
  };
  const startOrSay = () => {
    start().catch(() => showToast({ icon: 'circle-alert', message: texts.add.noMicrophone }));
  };
  return (
    <Button
      variant="default"
      leftSection={<Icon name={isRecording ? 'square' : 'mic'} />}
      onClick={() => (isRecording ? recorder.current?.stop() : startOrSay())}
    >
      {isRecording ? texts.add.stopRecord(clockTime(seconds)) : texts.add.record}
    </Button>
  );
}

function stopTracks(recorder: MediaRecorder | null): void {
  for (const track of recorder?.stream.getTracks() ?? []) track.stop();
}
