import { ActionIcon, Tooltip } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { serverPath } from '../../api/base-path.ts';
import { errorOf, fetchApi } from '../../api/client.ts';
import type { ModelView } from '../../api/generated/owner.ts';
import { Icon } from '../../components/icon.tsx';
import { toastFailure } from '../../components/toast.tsx';
import { install } from './install-texts.ts';

/** Plays how a voice sounds that is not installed. Nothing is fetched before the owner asks for it. */
export function ModelSample({ model: { name, title, sampleSource } }: { model: ModelView }): ReactNode {
  const [state, setState] = useState<'silent' | 'fetching' | 'playing'>('silent');
  const player = useRef<HTMLAudioElement | null>(null);
  const stop = () => {
    const { current } = player;
    player.current = null;
    if (current !== null) {
      current.pause();
      URL.revokeObjectURL(current.src);
    }
    setState('silent');
  };
  useEffect(
    () => () => {
      player.current?.pause();
    },
    [],
  );
  if (sampleSource === null) return null;
  const play = async () => {
    setState('fetching');
    const answer = await fetchApi(serverPath(`/admin/models/${encodeURIComponent(name)}/sample`));
    if (!answer.ok) throw await errorOf(answer);
    const audio = new Audio(URL.createObjectURL(await answer.blob()));
    audio.onended = stop;
    player.current = audio;
    setState('playing');
    await audio.play();
  };
  const fail = (error: Error) => {
    stop();
    toastFailure(error);
  };
  const label = state === 'playing' ? install.sample.stop({ title }) : install.sample.play({ title });
  return (
    <Tooltip label={install.sample.from({ host: sampleSource })}>
      <ActionIcon
        variant={state === 'playing' ? 'filled' : 'default'}
        size={28}
        aria-label={label}
        loading={state === 'fetching'}
        onClick={(event) => {
          // Within a card that is chosen by a click.
          event.preventDefault();
          event.stopPropagation();
          if (state === 'playing') stop();
          else play().catch(fail);
        }}
      >
        <Icon name={state === 'playing' ? 'pause' : 'play'} size={14} />
      </ActionIcon>
    </Tooltip>
  );
}
