import { formatElapsedTime } from '../../components/format.ts';
import { extend } from '../../language/messages.ts';
import { messages } from '../../language/work-messages.ts';

const WORDS_A_MINUTE = 150;

type Pace = keyof typeof messages.make.paces;

/** The words of a speed go up to this one. */
const PACES: readonly [upTo: number, pace: Pace][] = [
  [0.7, 'muchSlower'],
  [0.95, 'slower'],
  [1.05, 'usual'],
  [1.3, 'faster'],
  [2, 'muchFaster'],
];

export const make = extend(messages.make, {
  spokenFor: (words: number, speed: number) => {
    const seconds = Math.max(1, Math.round((words / WORDS_A_MINUTE / speed) * 60));
    const { make } = messages;
    const time =
      seconds < 90 ? make.inSeconds({ count: seconds }) : make.inMinutes({ count: Math.round(seconds / 60) });
    return make.spoken({ words, time });
  },
  paceOf: (speed: number) => {
    const pace = PACES.find(([upTo]) => speed <= upTo)?.[1];
    return pace === undefined ? '' : messages.make.paces[pace];
  },
  length: (seconds: number) => formatElapsedTime(Math.round(seconds) * 1000),
});
