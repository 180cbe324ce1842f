/** What the page of an item adds to the view of a result: notes, facts, and the place where the owner was. */
import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react';

/** A page of a document, or a second of a recording. */
export interface Place {
  page?: number;
  seconds?: number;
}

/** Words of a result with up to a few characters around them. */
export interface Quoted {
  quote: string;
  before: string;
  after: string;
  place: Place | null;
}

export type PaneName = 'page' | 'notes' | 'about';

interface OwnPane {
  value: PaneName;
  label: string;
  content: ReactNode;
}

export interface OwnLayer {
  panes: readonly OwnPane[];
  /** The open pane; undefined for that of the result. */
  pane: PaneName | undefined;
  onPane: (pane: PaneName | undefined) => void;
  /** Where the owner was; null at the beginning. */
  start: Place | null;
  onPlace: (place: Place) => void;
  /** Where a note leads now. A new object leads there again. */
  aim: Place | null;
  highlight: (quoted: Quoted) => void;
  /** Opens the form of a note at some words. */
  note: (quoted: Quoted) => void;
}

const OwnLayerContext = createContext<OwnLayer | null>(null);

export const OwnLayerProvider = OwnLayerContext.Provider;

/** Null on the page of a job. */
export function useOwnLayer(): OwnLayer | null {
  return useContext(OwnLayerContext);
}

/** Follows notes to their place, and once to where the owner was. @param isReady whether the view can go there */
export function useOwnAim(isReady: boolean, go: (place: Place, isStart: boolean) => void): void {
  const layer = useOwnLayer();
  const started = useRef(false);
  const latest = useRef(go);
  latest.current = go;
  const { start = null, aim = null } = layer ?? {};
  useEffect(() => {
    if (!isReady || started.current) return;
    started.current = true;
    if (start !== null) latest.current(start, true);
  }, [isReady, start]);
  useEffect(() => {
    if (isReady && aim !== null) latest.current(aim, false);
  }, [isReady, aim]);
}

/** The panes of an item below a result that has no place for them. */
export function OwnPanesBelow(): ReactNode {
  const layer = useOwnLayer();
  if (layer === null) return null;
  return (
    <div className="own-below">
      {layer.panes.map(({ value, label, content }) => (
        <section key={value} aria-label={label}>
          <h2>{label}</h2>
          {content}
        </section>
      ))}
    </div>
  );
}
