/** Writes a piece as a Standard MIDI File of format 1. */

import { MIDIBuilder } from 'spessasynth_core';
import { DRUM_CHANNEL, DRUM_NOTES, type Note, type Part, type Piece } from './score.ts';

const TICKS_PER_BEAT = 480;

const PARTS: readonly Part[] = ['chords', 'melody', 'bass', 'arpeggio'];

const DRUM_TICKS = 120;

interface Event {
  ticks: number;
  isOn: boolean;
  pitch: number;
  velocity: number;
}

/** Each part has a track and a channel; drums are on channel 10. A dotted quarter counts as the beat. */
export function midiOf(piece: Piece, name: string): Uint8Array {
  const perBeat = piece.meter.stepsPerBeat === 6 ? (TICKS_PER_BEAT * 3) / 2 : TICKS_PER_BEAT;
  const quarters = piece.tempo * (perBeat / TICKS_PER_BEAT);
  const midi = new MIDIBuilder({ name, timeDivision: TICKS_PER_BEAT, initialTempo: quarters, format: 1 });
  let track = 0;
  for (const [channel, part] of PARTS.entries()) {
    const notes = piece.notes.filter((note) => note.part === part);
    const first = notes[0];
    if (first === undefined) continue;
    midi.addTrack(`${part}, ${first.instrument.name}`);
    track += 1;
    midi.programChange(0, track, channel, first.instrument.program);
    addMidiEvents(
      midi,
      track,
      channel,
      notes.flatMap((note) => midiNoteEvents(note, perBeat)),
    );
  }
  if (piece.hits.length > 0) {
    midi.addTrack('drums');
    track += 1;
    const events = piece.hits.flatMap(({ drum, startBeat, velocity }) => {
      return onAndOff(Math.round(startBeat * perBeat), DRUM_TICKS, DRUM_NOTES[drum], velocity);
    });
    addMidiEvents(midi, track, DRUM_CHANNEL, events);
  }
  midi.flush();
  return new Uint8Array(midi.writeMIDI());
}

function midiNoteEvents({ startBeat, beats, pitch, velocity }: Note, perBeat: number): Event[] {
  return onAndOff(Math.round(startBeat * perBeat), Math.max(1, Math.round(beats * perBeat)), pitch, velocity);
}

function onAndOff(ticks: number, length: number, pitch: number, velocity: number): Event[] {
  const loud = Math.max(1, Math.min(127, Math.round(velocity * 127)));
  return [
    { ticks, isOn: true, pitch, velocity: loud },
    { ticks: ticks + length, isOn: false, pitch, velocity: 0 },
  ];
}

/** A note ends before the same one begins again. */
function addMidiEvents(midi: MIDIBuilder, track: number, channel: number, events: Event[]): void {
  events.sort((one, other) => one.ticks - other.ticks || Number(one.isOn) - Number(other.isOn));
  for (const { ticks, isOn, pitch, velocity } of events) {
    if (isOn) midi.noteOn(ticks, track, channel, pitch, velocity);
    else midi.noteOff(ticks, track, channel, pitch, velocity);
  }
}
