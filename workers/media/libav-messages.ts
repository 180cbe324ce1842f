/** Messages that FFmpeg's libraries log while they work. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { AV_LOG_INFO, AV_LOG_WARNING } from 'node-av/constants';
import { Log } from 'node-av/lib';

/** Memory of the process is limited, so only the first messages between two turns are kept. */
const MESSAGES_MAX = 1000;

/** Enough for the description of a file with 1,000 chapters. */
const DETAILS_MAX = 20_000;

export interface Message {
  level: number;
  text: string;
}

let messages: Message[] = [];
let most = MESSAGES_MAX;

function keepLibavMessage(level: number, text: string): void {
  if (messages.length < most) messages.push({ level, text });
}

Log.setCallback(keepLibavMessage, { maxLevel: AV_LOG_WARNING });

/**
 * FFmpeg's messages since the last call. They arrive with the next turn of the event loop. An immediate of this turn
 * may run before that, so this waits for two.
 */
export async function takeMessages(): Promise<Message[]> {
  await nextTurn();
  await nextTurn();
  const taken = messages;
  messages = [];
  return taken;
}

/** What FFmpeg writes while `describe` runs, details included. */
export async function detailsOf(describe: () => void): Promise<string[]> {
  await takeMessages();
  most = DETAILS_MAX;
  Log.setCallback(keepLibavMessage, { maxLevel: AV_LOG_INFO });
  try {
    describe();
    const details: string[] = [];
    // A turn delivers at most a thousand.
    for (let some = await takeMessages(); some.length > 0; some = await takeMessages()) {
      details.push(...some.map(({ text }) => text));
    }
    return details;
  } finally {
    most = MESSAGES_MAX;
    Log.setCallback(keepLibavMessage, { maxLevel: AV_LOG_WARNING });
  }
}
