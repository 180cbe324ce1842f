interface WayProps {
  name: string;
  about?: string | undefined;
  chosen: boolean;
  onChoose: () => void;
}

/** One of a few ways, as a card. */
export function Way({ name, about, chosen, onChoose }: WayProps) {
  return (
    <button type="button" className="way" aria-pressed={chosen} onClick={onChoose}>
      <b>{name}</b>
      {about !== undefined && <span className="small dim">{about}</span>}
    </button>
  );
}
